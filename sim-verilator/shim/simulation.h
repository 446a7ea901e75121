// One running copy of the design: time, clocks, stream models. The order of things at an edge is the one written down at
// Backend in package sim.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "parts.h"
#include "stream.h"

namespace gornic {

constexpr uint64_t kNever64 = ~uint64_t(0);

struct Clock {
    Port clk, rst;  // rst may be absent
    bool reset = false;
    uint64_t period = 0, next = 0;  // next: the instant of the next rising edge
    uint64_t falls = kNever64;      // the instant of the next falling edge, where waves show it
    uint64_t cycle = 0;             // rising edges so far
    bool rising = false;

    void set_reset(bool high) {
        reset = high;
        if (rst.at) rst.set(high);
    }
};

// A trace event: the wires of its condition and fields, and the number of its clock.
struct Event {
    Port when;
    uint64_t clock = 0;
    std::vector<Port> fields;
};

// Where the variables of the verilated model are.
struct Binding {
    std::vector<Clock> clocks;
    std::vector<Port> ports;   // of the top, without clocks and resets
    std::vector<bool> inputs;  // which of them are
    std::vector<Port> covers;  // 64-bit counters
    std::vector<Event> events;
    std::vector<Part> parts;   // that have clocks of their own
    std::vector<Port> peeks;   // whatever is left of the rest
};

// The verilated model, seen through the few things that are done to it.
class Design {
public:
    virtual ~Design() = default;
    virtual void enter() = 0;  // before evaluations on a thread that may have served another model since
    virtual void eval(uint64_t time) = 0;
    virtual void dump(uint64_t time) = 0;  // to the waves, if there are any
    Binding binding;
};

std::unique_ptr<Design> make_design(uint64_t seed, const char* waves);

enum StopKind : uint64_t { kStopPort, kStopDrained, kStopBeats, kStopFrames };

// As Go passes them; see library.go.
struct Stop {
    uint64_t kind, index, value;
};
struct Request {
    uint64_t clock;  // kNever64: until
    uint64_t edges, until, stops;
    uint64_t ran, stop;  // the answer; stop is kNever64 where none held
};

// Thrown where the model cannot be evaluated any more.
struct Fatal {};

class Simulation {
public:
    std::string text;      // what the design printed
    bool stopped = false;  // the design asked to end: a check failed
    // Records of events, one after the other: the event's number, its cycle, the time, and each field.
    std::vector<uint64_t> events;

    // `shared` is the memory that Go reads and writes between calls: time, stopped, the number of cycles of each clock,
    // the reset of each clock, then each port.
    Simulation(uint64_t* shared, const uint64_t* timing, uint64_t seed, const char* waves);

    void settle();
    void run(Request& request, const Stop* stops);
    uint64_t add(std::unique_ptr<StreamModel> model, uint64_t* status);
    void publish();

    Stream stream(const uint64_t* spec) const;
    StreamModel& model(uint64_t index) { return *models_[index]; }
    Source& source(uint64_t index) { return static_cast<Source&>(*models_[index]); }
    Sink& sink(uint64_t index) { return static_cast<Sink&>(*models_[index]); }
    const Binding& binding() const { return design_->binding; }
    Parts& parts() { return parts_; }

private:
    uint64_t* shared_;
    std::unique_ptr<Design> design_;
    Parts parts_;
    std::vector<std::unique_ptr<StreamModel>> models_;
    std::vector<uint64_t*> statuses_;
    uint64_t now_ = 0;
    bool waves_;

    struct Entered;
    void eval();
    uint64_t next_edge() const;
    void instant(uint64_t time);
    void lower_until(uint64_t time);
    void record();
    void raise();
    bool held(const Stop& stop) const;
    uint64_t first_held(const Request& request, const Stop* stops) const;
};

}  // namespace gornic
