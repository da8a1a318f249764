// Integers, for g++: unsigned ones of any width, signed ones up to 64 bits. Tools of high-level synthesis bring their
// own ap_int.h.
#ifndef ARRAYOL_AP_INT_H
#define ARRAYOL_AP_INT_H

#include <cstdint>

// Bits `low` to `high` of an integer, at most 64 of them.
template <class WHOLE>
class ap_bits {
  WHOLE &whole;
  int high, low;

 public:
  ap_bits(WHOLE &of, int last, int first) : whole(of), high(last), low(first) {}

  uint64_t to_uint64() const {
    uint64_t bits = 0;
    for (int at = high; at >= low; --at) bits = bits << 1 | whole.bit(at);
    return bits;
  }

  ap_bits &operator=(uint64_t bits) {
    for (int at = low; at <= high; ++at) whole.set_bit(at, bits >> (at - low) & 1);
    return *this;
  }
};

// Keeps the lowest W bits of what it is given; more than 64 are read and written in parts.
template <int W, bool IS_WIDE = (W > 64)>
class ap_uint {
  uint64_t kept;

 public:
  constexpr ap_uint(uint64_t value = 0) : kept(W < 64 ? value & ((uint64_t(1) << (W % 64)) - 1) : value) {}
  constexpr operator uint64_t() const { return kept; }

  bool bit(int at) const { return kept >> at & 1; }
  void set_bit(int at, bool value) { kept = (kept & ~(uint64_t(1) << at)) | uint64_t(value) << at; }
  ap_bits<ap_uint> range(int high, int low) { return {*this, high, low}; }
  ap_bits<const ap_uint> range(int high, int low) const { return {*this, high, low}; }
};

template <int W>
class ap_uint<W, true> {
  uint64_t kept[(W + 63) / 64] = {};

 public:
  ap_uint(uint64_t value = 0) { kept[0] = value; }

  bool bit(int at) const { return kept[at / 64] >> at % 64 & 1; }
  void set_bit(int at, bool value) {
    kept[at / 64] = (kept[at / 64] & ~(uint64_t(1) << at % 64)) | uint64_t(value) << at % 64;
  }
  ap_bits<ap_uint> range(int high, int low) { return {*this, high, low}; }
  ap_bits<const ap_uint> range(int high, int low) const { return {*this, high, low}; }
};

// Keeps the lowest W bits, of which the highest one is the sign.
template <int W>
class ap_int {
  int64_t kept;

 public:
  constexpr ap_int(int64_t value = 0) : kept(int64_t(uint64_t(value) << (64 - W)) >> (64 - W)) {}
  constexpr operator int64_t() const { return kept; }
};

#endif
