// The functions that Go calls. Everything crosses as 64-bit words; library.go has the other side.
#include <cstdarg>
#include <cstdio>

#include "hooks.h"
#include "simulation.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

using gornic::Pattern;
using gornic::Simulation;

EXPORT Simulation* gornic_new(uint64_t* shared, const uint64_t* timing, uint64_t seed, const char* waves) {
    return new Simulation(shared, timing, seed, waves);
}

EXPORT void gornic_delete(Simulation* s) { delete s; }

EXPORT void gornic_settle(Simulation* s) { s->settle(); }

EXPORT void gornic_run(Simulation* s, gornic::Request* request, const gornic::Stop* stops) { s->run(*request, stops); }

EXPORT uint64_t gornic_add_source(Simulation* s, const uint64_t* spec, const Pattern* pattern, uint64_t* status) {
    return s->add(std::make_unique<gornic::Source>(s->stream(spec), *pattern), status);
}

EXPORT uint64_t gornic_add_sink(Simulation* s, const uint64_t* spec, const Pattern* pattern, uint64_t* status,
                                uint64_t wait_valid, uint64_t discard) {
    return s->add(std::make_unique<gornic::Sink>(s->stream(spec), *pattern, wait_valid, discard), status);
}

EXPORT void gornic_set_pattern(Simulation* s, uint64_t model, const Pattern* pattern) {
    s->model(model).set_pattern(*pattern);
}

EXPORT void gornic_push(Simulation* s, uint64_t source, const uint64_t* words, uint64_t count) {
    s->source(source).push(words, count);
}

// Moves what a sink recorded to memory of Go, which has read the sizes in the sink's status.
EXPORT void gornic_take(Simulation* s, uint64_t index, uint64_t* words, uint64_t* cycles) {
    gornic::Sink& sink = s->sink(index);
    std::copy(sink.words.begin(), sink.words.end(), words);
    std::copy(sink.cycles.begin(), sink.cycles.end(), cycles);
    sink.words.clear();
    sink.cycles.clear();
}

EXPORT void gornic_peek(Simulation* s, uint64_t index, uint64_t* words) { s->binding().peeks[index].load(words); }

EXPORT void gornic_covers(Simulation* s, uint64_t* counts) {
    s->parts().count();
    for (const gornic::Port& p : s->binding().covers) p.load(counts++);
}

// How many edges the parts have had, and how many of these were evaluated.
EXPORT void gornic_activity(Simulation* s, uint64_t* words) {
    words[0] = s->parts().edges;
    words[1] = s->parts().evaluated;
}

// How many words the records of events take, and a move of them to memory of Go.
EXPORT uint64_t gornic_count_events(Simulation* s) { return s->events.size(); }

EXPORT void gornic_take_events(Simulation* s, uint64_t* words) {
    std::copy(s->events.begin(), s->events.end(), words);
    s->events.clear();
}

// Copies what the design printed, cut to size, and returns its whole length.
EXPORT uint64_t gornic_text(Simulation* s, char* to, uint64_t size) {
    s->text.copy(to, size);
    return s->text.size();
}

namespace gornic {
extern thread_local Simulation* current;
}

int gornic_printf(const char* format, ...) {
    char line[4096];
    va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (gornic::current) gornic::current->text += line;
    return length;
}

// A check failed: the run ends after this instant.
void vl_stop(const char*, int, const char*) {
    if (gornic::current) gornic::current->stopped = true;
}
void vl_finish(const char* file, int line, const char* where) { vl_stop(file, line, where); }

// Verilator found a fault of its own, such as values that do not settle, and does not expect to go on.
void vl_fatal(const char* file, int line, const char*, const char* why) {
    gornic_printf("%s:%d: %s\n", file, line, why);
    throw gornic::Fatal();
}
