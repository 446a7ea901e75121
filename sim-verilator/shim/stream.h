// Bus models: a source that drives a stream from a queue of beats, a sink that records one. Their behaviour in time is
// written down at Gate in package sim; both run thousands of cycles without a call from Go.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "gate.h"
#include "port.h"

namespace gornic {

// One stream of the top module. `ready` and `last` may be absent.
struct Stream {
    uint32_t clock = 0;
    Port valid, ready, last;
    std::vector<Port> data;  // packed into a beat, the first one at bit 0

    uint32_t beat_width() const {
        uint32_t width = 0;
        for (const Port& p : data) width += p.width;
        return width;
    }
};

// What a model is at an edge of its clock: sample() sees the settled ports before it, drive() sets them for the next.
class StreamModel {
public:
    StreamModel(Stream s, const Pattern& p)
        : stream_(std::move(s)), gate_(p), beat_words_(words_of(stream_.beat_width())), beat_(beat_words_),
          signal_(beat_words_ + 1) {}
    virtual ~StreamModel() = default;
    virtual void sample(uint64_t cycle) = 0;
    virtual void drive(bool reset) = 0;
    virtual void report(uint64_t* status) const = 0;  // for Go, which reads it between calls

    uint32_t clock() const { return stream_.clock; }
    void set_pattern(const Pattern& p) { gate_ = Gate(p); }

protected:
    Stream stream_;
    Gate gate_;
    uint32_t beat_words_;
    std::vector<uint64_t> beat_, signal_;  // scratch: a packed beat, and one of its signals

    bool ready() const { return !stream_.ready.at || stream_.ready.high(); }
};

class Source final : public StreamModel {
public:
    Source(Stream s, const Pattern& p) : StreamModel(std::move(s), p) {}

    void push(const uint64_t* words, uint64_t count) {
        if (head_ > queue_.size() / 2) compact();
        queue_.insert(queue_.end(), words, words + count);
    }
    uint64_t pending() const { return (queue_.size() - head_) / beat_words_; }
    void report(uint64_t* status) const override { status[0] = pending(); }

    void sample(uint64_t) override {
        valid_ = stream_.valid.high();
        accepted_ = valid_ && ready();
    }

    void drive(bool reset) override {
        if (reset) return stream_.valid.set(false);
        if (accepted_) head_ += beat_words_;
        const bool go = gate_.next();
        if (valid_ && !accepted_) return;
        if (go && head_ < queue_.size()) {
            stream_.valid.set(true);
            put(&queue_[head_]);
        } else {
            stream_.valid.set(false);
            if (valid_) put_noise();
        }
    }

private:
    std::vector<uint64_t> queue_;
    size_t head_ = 0;
    bool valid_ = false, accepted_ = false;

    void put(const uint64_t* beat) {
        uint32_t offset = 0;
        for (const Port& p : stream_.data) {
            extract(beat, offset, p.width, signal_.data());
            p.store(signal_.data());
            offset += p.width;
        }
    }

    // A payload that nobody may look at: the number that the gate drew, in each word.
    void put_noise() {
        std::fill(beat_.begin(), beat_.end(), gate_.draw());
        put(beat_.data());
    }

    void compact() {
        queue_.erase(queue_.begin(), queue_.begin() + head_);
        head_ = 0;
    }
};

class Sink final : public StreamModel {
public:
    uint64_t beats = 0, frames = 0;
    std::vector<uint64_t> words, cycles;  // recorded and not yet taken

    Sink(Stream s, const Pattern& p, bool wait_valid, bool discard)
        : StreamModel(std::move(s), p), wait_valid_(wait_valid), discard_(discard) {}

    void report(uint64_t* status) const override {
        status[0] = beats;
        status[1] = frames;
        status[2] = cycles.size();
    }

    void sample(uint64_t cycle) override {
        valid_ = stream_.valid.high();
        accepted_ = valid_ && ready();
        cycle_ = cycle;
        if (accepted_) last_ = stream_.last.at && stream_.last.high();
        if (accepted_ && !discard_) get();
    }

    void drive(bool reset) override {
        if (reset) return set_ready(false);
        if (accepted_) {
            ++beats;
            frames += last_;
            if (!discard_) {
                words.insert(words.end(), beat_.begin(), beat_.end());
                cycles.push_back(cycle_);
            }
        }
        set_ready(gate_.next() && (!wait_valid_ || (valid_ && !accepted_)));
    }

private:
    bool wait_valid_, discard_;
    bool valid_ = false, accepted_ = false, last_ = false;
    uint64_t cycle_ = 0;

    void set_ready(bool high) const {
        if (stream_.ready.at) stream_.ready.set(high);
    }

    // Packs the present payload; it is kept only if the edge is outside reset.
    void get() {
        std::fill(beat_.begin(), beat_.end(), 0);
        uint32_t offset = 0;
        for (const Port& p : stream_.data) {
            p.load(signal_.data());
            insert(signal_.data(), offset, p.width, beat_.data());
            offset += p.width;
        }
    }
};

}  // namespace gornic
