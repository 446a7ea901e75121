package model

import "math/bits"

// distribution counts latencies: exactly up to exactMost, above that in buckets of 1/64 of a power of two.
type distribution struct {
	count    int64
	sum      int64
	min, max int64
	buckets  []int64
}

const subBits = 6 // log2 of the buckets of a power of two

// index is the bucket of a value.
func index(v int64) int {
	v = max(v, 0)
	if v < 1<<(subBits+1) {
		return int(v)
	}
	shift := bits.Len64(uint64(v)) - subBits - 1
	return shift<<subBits + int(v>>shift)
}

// lowest is the least value of a bucket.
func lowest(i int) int64 {
	if i < 1<<(subBits+1) {
		return int64(i)
	}
	shift := i>>subBits - 1
	return int64(i-shift<<subBits) << shift
}

func (d *distribution) add(v int64) {
	i := index(v)
	for len(d.buckets) <= i {
		d.buckets = append(d.buckets, make([]int64, 64)...)
	}
	d.buckets[i]++
	if d.count == 0 || v < d.min {
		d.min = v
	}
	d.max = max(d.max, v)
	d.count++
	d.sum += v
}

// quantile is the least value that a share of all, in parts of a million, is not above.
func (d *distribution) quantile(millionths int64) int64 {
	want := (d.count*millionths + 999_999) / 1_000_000
	seen := int64(0)
	for i, n := range d.buckets {
		if seen += n; seen >= want && n > 0 {
			return min(lowest(i+1)-1, d.max)
		}
	}
	return d.max
}

func (d *distribution) result() Latency {
	if d.count == 0 {
		return Latency{}
	}
	l := Latency{
		Count: d.count, Mean: float64(d.sum) / float64(d.count), Min: d.min, Max: d.max,
		P50: d.quantile(500_000), P99: d.quantile(990_000), P999: d.quantile(999_000),
	}
	for i, n := range d.buckets {
		if n > 0 {
			l.Histogram = append(l.Histogram, Bucket{From: lowest(i), To: lowest(i + 1), Count: n})
		}
	}
	return l
}
