#include "parts.h"

#include <algorithm>

namespace gornic {

void Variables::add(const Port& p) { ranges_.push_back({static_cast<const uint8_t*>(p.at), bytes_of(p.width), 0}); }

void Variables::arrange() {
    std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.at < b.at; });
    std::vector<Range> joined;
    size_t size = 0;
    for (const Range& r : ranges_) {
        if (!joined.empty() && joined.back().at + joined.back().size == r.at)
            joined.back().size += r.size;
        else
            joined.push_back({r.at, r.size, size});
        size += r.size;
    }
    ranges_ = std::move(joined);
    saved_.resize(size);
}

void Variables::save() {
    for (const Range& r : ranges_) std::memcpy(saved_.data() + r.saved, r.at, r.size);
}

bool Variables::same() const {
    for (const Range& r : ranges_)
        if (std::memcmp(saved_.data() + r.saved, r.at, r.size) != 0) return false;
    return true;
}

RunningPart::RunningPart(const Part& part, const std::vector<Port>& covers) : clk_(part.clk), writes_(part.writes) {
    for (const Port& v : part.inputs) inputs_.add(v);
    for (const Port& v : part.state) state_.add(v);
    inputs_.arrange();
    state_.arrange();
    for (uint64_t n : part.covers) covers_.push_back(covers[n]);
    counts_.resize(covers_.size());
}

bool RunningPart::rests() {
    const bool unchanged = inputs_.same();
    if (!unchanged) inputs_.save();
    if (resting_ && !unchanged) wake();
    if (!resting_ && saved_ && unchanged && state_.same()) fall_asleep();
    if (resting_)
        ++rested_;
    else
        look();
    return resting_;
}

constexpr uint32_t kPatience = 16;  // edges between two looks at what is busy, at most

// Saves what the coming edge starts from, unless it is too soon after a look that was in vain.
void RunningPart::look() {
    if (saved_) {
        saved_ = false;
        wait_ = patience_ = std::min(2 * patience_, kPatience);
    }
    if (wait_ > 0) {
        --wait_;
        return;
    }
    for (const Port& w : writes_)
        if (w.high()) return;
    state_.save();
    for (size_t i = 0; i < covers_.size(); ++i) counts_[i] = covers_[i].value();
    saved_ = true;
}

void RunningPart::fall_asleep() {
    for (size_t i = 0; i < covers_.size(); ++i) counts_[i] = covers_[i].value() - counts_[i];
    resting_ = true;
    saved_ = false;
    patience_ = 1;
}

void RunningPart::wake() {
    count();
    resting_ = saved_ = false;
    wait_ = 1;
}

void RunningPart::count() {
    if (!resting_) return;
    for (size_t i = 0; i < covers_.size(); ++i) {
        const uint64_t n = covers_[i].value() + rested_ * counts_[i];
        covers_[i].store(&n);
    }
    rested_ = 0;
}

void Parts::bind(const std::vector<Part>& parts, const std::vector<Port>& covers) {
    for (const Part& p : parts) {
        parts_.emplace_back(p, covers);
        parts_.back().set_clock(false);
    }
}

void Parts::wake() {
    for (RunningPart& p : parts_) p.wake();
}

void Parts::raise() {
    edges += parts_.size();
    for (RunningPart& p : parts_) {
        if (p.rests()) continue;
        p.set_clock(true);
        ++evaluated;
    }
}

void Parts::lower() {
    for (const RunningPart& p : parts_) p.set_clock(false);
}

void Parts::count() {
    for (RunningPart& p : parts_) p.count();
}

}  // namespace gornic
