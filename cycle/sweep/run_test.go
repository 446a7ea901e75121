package sweep

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gornic/cycle/config"
	"gornic/cycle/model"
	"gornic/cycle/report"
)

func TestRunAndCollect(t *testing.T) {
	dir := t.TempDir()
	r := runnerOf(t, planOf(t, file), dir)
	sum, err := r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, Summary{Points: 12, Ran: 12, Took: sum.Took}, sum)
	rows, err := Collect(r.Plan, r.Store)
	require.NoError(t, err)
	require.Len(t, rows, 12)
	require.Equal(t, 12, report.Count(rows, report.OK))
	require.EqualValues(t, 256*9, rows[7].Measured.Cycles)
	require.Equal(t, []report.Value{{Field: "workload.sizes", Text: "256"}, {Field: "host.latency", Text: "8"}}, rows[7].Values)

	before := contents(t, dir)
	r.run = func(context.Context, config.Experiment, func(int64, int64)) (*model.Result, error) {
		t.Error("a point that has a result is run again")
		return nil, nil
	}
	sum, err = r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 12, sum.Had)
	require.Equal(t, before, contents(t, dir))
}

// Shards together are the whole, whatever runs them, and leave the same files.
func TestShards(t *testing.T) {
	p := planOf(t, file)
	whole, parts := t.TempDir(), t.TempDir()
	_, err := runnerOf(t, p, whole).Run(t.Context())
	require.NoError(t, err)
	ran := 0
	for i := 1; i <= 5; i++ {
		r := runnerOf(t, p, parts)
		r.Shard, r.Jobs = Shard{i, 5}, 1
		sum, err := r.Run(t.Context())
		require.NoError(t, err)
		ran += sum.Ran
	}
	require.Equal(t, 12, ran)
	require.Equal(t, contents(t, whole), contents(t, parts))
}

// A point that is there twice is run once, and collected twice.
func TestPointsThatAreTheSame(t *testing.T) {
	r := runnerOf(t, planOf(t, "workload: small\nsweep: {grid: {host.latency: [1, 1]}}\n"), t.TempDir())
	sum, err := r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, sum.Ran)
	rows, err := Collect(r.Plan, r.Store)
	require.NoError(t, err)
	require.Equal(t, 2, report.Count(rows, report.OK))
}

// A point that fails does not stop the others, is told, and is run again when asked for.
func TestFailures(t *testing.T) {
	r := runnerOf(t, planOf(t, "workload: small\nsweep: {grid: {workload.sizes: [64, 666, 13]}}\n"), t.TempDir())
	sum, err := r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 3, sum.Ran)
	require.Equal(t, 2, sum.Failed)
	rows, err := Collect(r.Plan, r.Store)
	require.NoError(t, err)
	require.Equal(t, report.OK, rows[0].Status)
	require.Equal(t, report.Failed, rows[1].Status)
	require.Equal(t, "stuck: queue pair 3 waits for nobody", rows[1].Error)
	require.Equal(t, "panic in the model: bad luck", rows[2].Error)

	sum, err = r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, Summary{Points: 3, Had: 3, Failed: 2, Took: sum.Took}, sum)
	r.Retry = true
	sum, err = r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, sum.Ran)
}

// A point that was not run is missing, not left out.
func TestMissing(t *testing.T) {
	r := runnerOf(t, planOf(t, file), t.TempDir())
	r.Shard = Shard{1, 2}
	_, err := r.Run(t.Context())
	require.NoError(t, err)
	rows, err := Collect(r.Plan, r.Store)
	require.NoError(t, err)
	require.Len(t, rows, 12)
	require.Equal(t, 6, report.Count(rows, report.Missing))
	require.Equal(t, report.Missing, rows[1].Status)
}

// full is a disk that takes so many bytes more.
type full struct {
	*os.File
	left *atomic.Int64
}

func (f full) Write(p []byte) (int, error) {
	if f.left.Add(int64(-len(p))) < 0 {
		n, _ := f.File.Write(p[:len(p)/2])
		return n, &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return f.File.Write(p)
}

// A full disk ends the sweep with an error; what is there is whole, and the rest is run when there is room.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	r := runnerOf(t, planOf(t, file), dir)
	left := &atomic.Int64{}
	left.Store(6000)
	r.Store.create = func(dir string) (tempFile, error) {
		f, err := os.CreateTemp(dir, unfinished)
		return full{f, left}, err
	}
	sum, err := r.Run(t.Context())
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.ErrorContains(t, err, "no result is half written")
	require.Positive(t, sum.Ran)
	require.Less(t, sum.Ran, 12)
	files := contents(t, dir)
	require.Len(t, files, sum.Ran, "no unfinished file is left")
	for name, text := range files {
		require.True(t, json.Valid([]byte(text)), name)
	}

	r.Store.create = create
	again, err := r.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, sum.Ran, again.Had)
	require.Equal(t, 12-sum.Ran, again.Ran)
}

// A run that is interrupted leaves no result of the points that it was at.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	r := runnerOf(t, planOf(t, file), dir)
	ctx, cancel := context.WithCancel(t.Context())
	var started atomic.Int64
	r.run = func(ctx context.Context, e config.Experiment, progress func(int64, int64)) (*model.Result, error) {
		if started.Add(1) > 5 {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return fake(ctx, e, progress)
	}
	sum, err := r.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, sum.Ran, 12)
	rows, err := Collect(r.Plan, r.Store)
	require.NoError(t, err)
	require.Zero(t, report.Count(rows, report.Failed))
	require.Equal(t, len(contents(t, dir)), report.Count(rows, report.OK))
}

// A result file that is damaged is an error that tells what to do, not a result.
func TestDamagedResults(t *testing.T) {
	dir := t.TempDir()
	r := runnerOf(t, planOf(t, file), dir)
	_, err := r.Run(t.Context())
	require.NoError(t, err)
	path := r.Store.Path(r.Plan.Points[3].Key)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for name, text := range map[string][]byte{
		"half": whole[:len(whole)/2], "empty": nil, "another's": bytes.Replace(whole, []byte(r.Plan.Points[3].Key), []byte(r.Plan.Points[4].Key), 1),
		"no result": []byte(fmt.Sprintf(`{"key": %q}`, r.Plan.Points[3].Key)), "more": []byte(`{"kye": 1}`),
	} {
		require.NoError(t, os.WriteFile(path, text, 0o600))
		_, err = r.Run(t.Context())
		require.ErrorContains(t, err, path, name)
		require.ErrorContains(t, err, "remove it to run the point again", name)
		_, err = Collect(r.Plan, r.Store)
		require.Error(t, err, name)
	}
}

// What a killed run left unfinished goes away, but not what another may be writing.
func TestUnfinishedFiles(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(dir)
	require.NoError(t, err)
	for name, age := range map[string]time.Duration{".unfinished-old": 48 * time.Hour, ".unfinished-new": time.Minute} {
		path := filepath.Join(dir, "points", name)
		require.NoError(t, os.WriteFile(path, []byte("half"), 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	_, err = Open(dir)
	require.NoError(t, err)
	require.Contains(t, contents(t, dir), "/points/.unfinished-new")
	require.NotContains(t, contents(t, dir), "/points/.unfinished-old")
}

func TestProduce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b.txt")
	wrong := errors.New("wrong")
	require.ErrorIs(t, Produce(path, func(name string) error {
		require.NoError(t, os.WriteFile(name, []byte("half"), 0o600))
		return wrong
	}), wrong)
	require.Empty(t, contents(t, filepath.Dir(path)))
	require.NoError(t, Produce(path, func(name string) error { return os.WriteFile(name, []byte("whole"), 0o600) }))
	require.Equal(t, map[string]string{"/b.txt": "whole"}, contents(t, filepath.Dir(path)))
	require.NoError(t, WriteFile(path, []byte("other")))
	require.Equal(t, map[string]string{"/b.txt": "other"}, contents(t, filepath.Dir(path)))
}

func TestProgress(t *testing.T) {
	p := newProgress(&bytes.Buffer{}, 10)
	require.Nil(t, p.to, "in a pipe there is none")
	require.Equal(t, "0 of 10 points", p.line(time.Second))
	p.parts[0] = 0.5
	p.done(1, true)
	p.done(1, false)
	require.Equal(t, "2 of 10 points, 1 failed, 2.5 a minute, 3m0s left", p.line(time.Minute))
}
