// Parts of a design that have clocks of their own, which do not rise while the part is at rest. part.go says when that is,
// and why it makes no difference.
#pragma once
#include <cstdint>
#include <vector>

#include "port.h"

namespace gornic {

// Where the variables of a part are.
struct Part {
    Port clk;
    std::vector<Port> inputs, writes, state;
    std::vector<uint64_t> covers;  // their numbers
};

// Variables that are saved and compared at once: those that lie side by side, as hundreds of a width do, are one range.
class Variables {
public:
    void add(const Port& p);
    void arrange();  // when all have been added
    void save();
    bool same() const;  // as when they were saved

private:
    struct Range {
        const uint8_t* at;
        size_t size, saved;
    };
    std::vector<Range> ranges_;
    std::vector<uint8_t> saved_;
};

// A part while it runs. It is busy, and looked at from time to time: its registers are saved before one edge and compared
// before the next. Or it is at rest.
class RunningPart {
public:
    RunningPart(const Part& part, const std::vector<Port>& covers);
    bool rests();  // decides about the coming edge
    void wake();
    void count();  // the covers of the edges at rest
    void set_clock(bool high) const { clk_.set(high); }

private:
    Port clk_;
    std::vector<Port> writes_, covers_;
    std::vector<uint64_t> counts_;  // of covers: while saved, as they were; at rest, what an edge adds
    Variables inputs_, state_;
    bool resting_ = false;
    bool saved_ = false;      // the state is that before the last edge, which wrote to no memory
    uint32_t wait_ = 0;       // edges until it is saved again
    uint32_t patience_ = 1;   // what to wait for after the next look in vain
    uint64_t rested_ = 0;     // edges at rest that its covers have not counted

    void look();
    void fall_asleep();
};

class Parts {
public:
    uint64_t edges = 0, evaluated = 0;  // of all parts

    void bind(const std::vector<Part>& parts, const std::vector<Port>& covers);
    void wake();   // all of them: the reset has changed
    void raise();  // the clocks of those that are not at rest, where the design is settled
    void lower();
    void count();  // brings the covers up to date

private:
    std::vector<RunningPart> parts_;
};

}  // namespace gornic
