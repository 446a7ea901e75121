// Pauses: the C++ twin of Gate in package sim. Both give the same decisions from the same pattern, to the bit.
#pragma once
#include <cstdint>

namespace gornic {

enum PatternKind : uint64_t { kAlways, kNever, kRandom, kBurst, kPeriodic };

// As Go passes it.
struct Pattern {
    uint64_t kind, percent, on, off, seed;
};

class Gate {
public:
    Gate() = default;
    explicit Gate(const Pattern& p) : pattern_(p), state_(p.seed) {}

    // The last number drawn: SplitMix64. Most gates are always open, and nobody looks at their numbers.
    uint64_t draw() const {
        uint64_t z = state_;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
        z = (z ^ z >> 27) * 0x94d049bb133111eb;
        return z ^ z >> 31;
    }

    // Draws a number and says whether the model may act.
    bool next() {
        state_ += 0x9e3779b97f4a7c15;
        switch (pattern_.kind) {
        case kAlways: return true;
        case kRandom: return scale(100) < pattern_.percent;
        case kBurst:
        case kPeriodic: return phase();
        default: return false;
        }
    }

private:
    Pattern pattern_{};
    uint64_t state_ = 0;
    uint32_t left_ = 0;
    bool on_ = false;

    // Counts down the present phase and starts the next one at zero. The first phase is on.
    bool phase() {
        if (left_ == 0) {
            on_ = !on_;
            uint32_t length = on_ ? pattern_.on : pattern_.off;
            if (pattern_.kind == kBurst) length = 1 + scale(length);
            left_ = length ? length : 1;
        }
        --left_;
        return on_;
    }

    // Maps the high half of the last draw to 0..n-1.
    uint32_t scale(uint32_t n) const { return uint32_t((draw() >> 32) * n >> 32); }
};

}  // namespace gornic
