package dcqcn

import "gornic/format"

// Flow is the rate of a queue pair in plain Go, as protocol section 7 has it: by what happens, and when. Times are numbers of ticks.
// The zero Flow is that of a queue pair that is not slowed down, for which nothing is kept.
type Flow struct {
	Slowed               bool
	Rate, Target, Alpha  uint64 // Rc and Rt in Mb/s; alpha in 1/1024
	timeStage, byteStage uint64
	seen                 bool
	timer                int64  // when the timer of the rate was started
	bytes                uint64 // since the byte counter was started
	now                  int64
	cut                  int64 // when the last cut was made,
	wasCut               bool  // if there was one
}

// Advance has time pass up to a tick: updates of alpha at each multiple of AlphaTime, and increases.
func (f *Flow) Advance(s format.Congestion[uint64], to int64) {
	for ; f.now < to; f.now++ {
		if !f.Slowed {
			continue
		}
		tick := f.now + 1
		if tick%int64(s.AlphaTime) == 0 {
			f.updateAlpha(s)
		}
		if s.TimeReset != 0 && tick-f.timer >= int64(s.TimeReset) {
			f.timer = tick
			f.timeStage++
			f.increase(s)
		}
	}
}

func (f *Flow) updateAlpha(s format.Congestion[uint64]) {
	f.Alpha = s.G * f.Alpha / 1024
	if f.seen {
		f.Alpha += 1024 - s.G
	}
	f.seen = false
}

// Sent is a packet with its headers, now.
func (f *Flow) Sent(s format.Congestion[uint64], bytes uint64) {
	f.bytes += bytes
	for f.Slowed && s.ByteReset != 0 && f.bytes >= 64*s.ByteReset {
		f.bytes -= 64 * s.ByteReset
		f.byteStage++
		f.increase(s)
	}
}

// increase follows an expiry of the timer or of the byte counter.
func (f *Flow) increase(s format.Congestion[uint64]) {
	switch {
	case max(f.timeStage, f.byteStage) < s.Threshold: // fast recovery
	case min(f.timeStage, f.byteStage) > s.Threshold:
		f.Target += s.HAIRate
	default:
		f.Target += s.AIRate
	}
	f.Target = min(f.Target, s.LineRate)
	f.Rate = (f.Rate + f.Target) / 2
	// Rounding keeps the rate one below the target for ever: that is as good as there.
	if f.Target == s.LineRate && f.Rate+1 >= s.LineRate {
		f.Slowed = false
	}
}

// CNP is a notification, now. It says whether the rate was cut.
func (f *Flow) CNP(s format.Congestion[uint64]) bool {
	if !f.Slowed {
		first := s.LineRate
		if s.FirstRate != 0 {
			first = s.FirstRate
		}
		*f = Flow{Slowed: true, Rate: first, Target: first, Alpha: s.InitialAlpha, now: f.now}
	}
	if f.wasCut && f.now-f.cut < int64(s.Monitor) {
		return false
	}
	if s.Clamp == 1 || f.byteStage > 0 || s.ClampTime == 1 && f.timeStage > 0 {
		f.Target = f.Rate
	}
	less := f.Rate - min(f.Rate, f.Rate*f.Alpha>>s.GD)
	f.Rate = max(s.MinRate, f.Rate*s.MinKeep/256, less)
	f.timeStage, f.byteStage, f.bytes, f.timer = 0, 0, 0, f.now
	f.seen, f.wasCut, f.cut = true, true, f.now
	return true
}

// Wait is the time in ticks that a number of bytes takes at a rate in Mb/s.
func Wait(bytes, rate float64) float64 { return bytes * 8 / rate / 1.024 }
