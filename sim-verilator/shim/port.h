// Values: moving them between Verilator's variables and the 64-bit words of the interface.
#pragma once
#include <cstdint>
#include <cstring>

namespace gornic {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are copied as bytes");

constexpr uint32_t words_of(uint32_t width) { return (width + 63) / 64; }

// How many bytes Verilator keeps a value of so many bits in: 1, 2, 4 or 8, or a number of 32-bit words.
constexpr uint32_t bytes_of(uint32_t width) {
    return width <= 8 ? 1 : width <= 16 ? 2 : width <= 32 ? 4 : width <= 64 ? 8 : (width + 31) / 32 * 4;
}

// A variable of the verilated model, with zeros above its width: on a little-endian machine its bytes are those of the
// 64-bit words, cut short.
struct Port {
    void* at = nullptr;
    uint32_t width = 0;

    uint32_t words() const { return words_of(width); }
    void load(uint64_t* to) const {
        to[words() - 1] = 0;
        std::memcpy(to, at, bytes_of(width));
    }
    void store(const uint64_t* from) const { std::memcpy(at, from, bytes_of(width)); }

    // Of a port of one bit.
    bool high() const { return *static_cast<const uint8_t*>(at); }
    void set(bool value) const { *static_cast<uint8_t*>(at) = value; }

    // Of a port of at most 64 bits.
    uint64_t value() const {
        uint64_t v = 0;
        std::memcpy(&v, at, bytes_of(width));
        return v;
    }
};

// Copies width bits from bit `offset` of a packed beat to the low end of `to`.
inline void extract(const uint64_t* from, uint32_t offset, uint32_t width, uint64_t* to) {
    const uint64_t* word = from + offset / 64;
    const uint32_t shift = offset % 64, n = words_of(width);
    for (uint32_t i = 0; i < n; ++i) {
        to[i] = word[i] >> shift;
        // The next word only where bits of it are wanted: it may not exist.
        if (shift && i * 64 + 64 - shift < width) to[i] |= word[i + 1] << (64 - shift);
    }
    if (width % 64) to[n - 1] &= (uint64_t(1) << width % 64) - 1;
}

// Copies width bits from the low end of `from` to bit `offset` of a packed beat whose bits there are zero.
inline void insert(const uint64_t* from, uint32_t offset, uint32_t width, uint64_t* to) {
    uint64_t* word = to + offset / 64;
    const uint32_t shift = offset % 64, n = words_of(width);
    for (uint32_t i = 0; i < n; ++i) {
        word[i] |= from[i] << shift;
        if (shift && i * 64 + 64 - shift < width) word[i + 1] |= from[i] >> (64 - shift);
    }
}

}  // namespace gornic
