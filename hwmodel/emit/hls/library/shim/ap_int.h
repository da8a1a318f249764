// Integers of any width up to 64 bits, for g++. Tools of high-level synthesis bring their own ap_int.h.
#ifndef ARRAYOL_AP_INT_H
#define ARRAYOL_AP_INT_H

#include <cstdint>

// Keeps the lowest W bits of what it is given.
template <int W>
class ap_uint {
  uint64_t kept;

 public:
  constexpr ap_uint(uint64_t value = 0) : kept(W < 64 ? value & ((uint64_t(1) << (W % 64)) - 1) : value) {}
  constexpr operator uint64_t() const { return kept; }
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
