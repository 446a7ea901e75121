#include "simulation.h"

namespace gornic {

// The simulation that is being evaluated on this thread: Verilator's hooks do not say for which model they are called.
thread_local Simulation* current = nullptr;

struct Simulation::Entered {
    explicit Entered(Simulation* s) {
        current = s;
        if (s->design_) s->design_->enter();
    }
    ~Entered() { current = nullptr; }
};

Simulation::Simulation(uint64_t* shared, const uint64_t* timing, uint64_t seed, const char* waves)
    : shared_(shared), waves_(waves != nullptr) {
    Entered in(this);
    design_ = make_design(seed, waves);
    // Verilator fills the inputs at random, too.
    for (const Port& p : design_->binding.ports) std::memset(p.at, 0, bytes_of(p.width));
    for (Clock& c : design_->binding.clocks) {
        c.period = *timing++;
        c.next = *timing++;
        c.clk.set(false);
        c.set_reset(true);
    }
    parts_.bind(design_->binding.parts, design_->binding.covers);
    eval();
    if (waves_) design_->dump(0);
    publish();
}

void Simulation::eval() {
    try {
        design_->eval(now_);
    } catch (const Fatal&) {
        stopped = true;
    }
}

// Brings what Go wrote into the design.
void Simulation::settle() {
    Entered in(this);
    const uint64_t* word = shared_ + 2 + design_->binding.clocks.size();
    for (Clock& c : design_->binding.clocks) {
        if (c.reset != bool(*word)) parts_.wake();
        c.set_reset(*word++);
    }
    for (size_t i = 0; i < design_->binding.ports.size(); ++i) {
        const Port& p = design_->binding.ports[i];
        if (design_->binding.inputs[i]) p.store(word);
        word += p.words();
    }
    eval();
    publish();
}

// Shows Go the state of the design.
void Simulation::publish() {
    uint64_t* word = shared_;
    *word++ = now_;
    *word++ = stopped;
    for (const Clock& c : design_->binding.clocks) *word++ = c.cycle;
    for (const Clock& c : design_->binding.clocks) *word++ = c.reset;
    for (const Port& p : design_->binding.ports) {
        p.load(word);
        word += p.words();
    }
    for (size_t i = 0; i < models_.size(); ++i) models_[i]->report(statuses_[i]);
}

uint64_t Simulation::add(std::unique_ptr<StreamModel> model, uint64_t* status) {
    models_.push_back(std::move(model));
    statuses_.push_back(status);
    models_.back()->drive(true);
    Entered in(this);
    eval();
    publish();
    return models_.size() - 1;
}

void Simulation::run(Request& request, const Stop* stops) {
    request.ran = 0;
    Entered in(this);
    request.stop = first_held(request, stops);
    while (request.stop == kNever64 && !stopped) {
        const uint64_t time = next_edge();
        const bool counted = request.clock != kNever64;
        if (counted ? request.ran == request.edges : time > request.until) break;
        if (time == kNever64) break;
        instant(time);
        if (counted) request.ran += design_->binding.clocks[request.clock].rising;
        request.stop = first_held(request, stops);
    }
    publish();
}

uint64_t Simulation::next_edge() const {
    uint64_t time = kNever64;
    for (const Clock& c : design_->binding.clocks) time = std::min(time, c.next);
    return time;
}

// One instant where clocks rise. The design is settled before and after.
void Simulation::instant(uint64_t time) {
    if (waves_) lower_until(time);
    now_ = time;
    auto& clocks = design_->binding.clocks;
    for (Clock& c : clocks) c.rising = c.next == time;
    record();
    for (auto& m : models_)
        if (clocks[m->clock()].rising) m->sample(clocks[m->clock()].cycle);
    raise();
    for (auto& m : models_)
        if (clocks[m->clock()].rising) m->drive(clocks[m->clock()].reset);
    // Nothing looks at a falling edge: without waves it takes no evaluation of its own.
    if (!waves_)
        for (const Clock& c : clocks)
            if (c.rising) c.clk.set(false);
    parts_.lower();
    eval();
    if (waves_) design_->dump(time);
}

// Notes the events that the coming edges see.
void Simulation::record() {
    const auto& declared = design_->binding.events;
    for (size_t i = 0; i < declared.size(); ++i) {
        const Event& e = declared[i];
        if (!e.when.high()) continue;
        const Clock& c = design_->binding.clocks[e.clock];
        if (!c.rising || c.reset) continue;
        events.insert(events.end(), {i, c.cycle, now_});
        for (const Port& f : e.fields) events.push_back(f.value());
    }
}

void Simulation::raise() {
    parts_.raise();
    for (Clock& c : design_->binding.clocks) {
        if (!c.rising) continue;
        c.clk.set(true);
        if (waves_) c.falls = c.next + c.period / 2;
        c.next += c.period;
        ++c.cycle;
    }
    eval();
}

// Lets clocks fall, for the waves, up to the next rising edge.
void Simulation::lower_until(uint64_t time) {
    for (;;) {
        uint64_t falls = kNever64;
        for (const Clock& c : design_->binding.clocks) falls = std::min(falls, c.falls);
        if (falls > time) return;
        for (Clock& c : design_->binding.clocks) {
            if (c.falls != falls) continue;
            c.clk.set(false);
            c.falls = kNever64;
        }
        now_ = falls;
        eval();
        if (falls < time) design_->dump(falls);
    }
}

uint64_t Simulation::first_held(const Request& request, const Stop* stops) const {
    for (uint64_t i = 0; i < request.stops; ++i)
        if (held(stops[i])) return i;
    return kNever64;
}

bool Simulation::held(const Stop& stop) const {
    switch (stop.kind) {
    case kStopPort: return design_->binding.ports[stop.index].value() == stop.value;
    case kStopDrained: return static_cast<const Source&>(*models_[stop.index]).pending() == 0;
    case kStopBeats: return static_cast<const Sink&>(*models_[stop.index]).beats >= stop.value;
    case kStopFrames: return static_cast<const Sink&>(*models_[stop.index]).frames >= stop.value;
    }
    return false;
}

// A stream as Go describes it: clock, then the numbers of the ports valid, ready, last (kNever64 where there is none), how
// many data ports, and their numbers.
Stream Simulation::stream(const uint64_t* spec) const {
    const auto port = [&](uint64_t index) { return index == kNever64 ? Port{} : design_->binding.ports[index]; };
    Stream s;
    s.clock = *spec++;
    s.valid = port(*spec++);
    s.ready = port(*spec++);
    s.last = port(*spec++);
    for (uint64_t n = *spec++; n > 0; --n) s.data.push_back(port(*spec++));
    return s;
}

}  // namespace gornic
