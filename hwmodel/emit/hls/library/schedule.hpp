// What all loops of the design share: programs, counters, and elements in words of the external memory.
#ifndef ARRAYOL_SCHEDULE_HPP
#define ARRAYOL_SCHEDULE_HPP

#include <math.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <ap_int.h>
#include <hls_stream.h>

// A program says which row of a table each round takes: an instruction is a row for some rounds, and loops go back.
struct instruction {
  unsigned row, rounds;
  unsigned from, to;  // which loops end behind it, the innermost first
};

struct loop {
  unsigned start, times, depth;
};

template <int DEPTH>
struct walk {
  unsigned at = 0, round = 0;
  unsigned walked[DEPTH] = {};

  // Goes on to the next round; behind the last instruction to number `again`.
  void next(const instruction *program, unsigned length, unsigned again, const loop *loops) {
#pragma HLS INLINE
    if (++round < program[at].rounds) return;
    round = 0;
    const unsigned from = program[at].from, to = program[at].to;
    for (unsigned place = 0; place < DEPTH; ++place) {
#pragma HLS UNROLL
      if (from + place >= to) continue;
      const loop &ends = loops[from + place];
      if (++walked[ends.depth] < ends.times) {
        at = ends.start;
        return;
      }
      walked[ends.depth] = 0;
    }
    at = at + 1 < length ? at + 1 : again;
  }
};

// A counter goes ahead, round its modulus.
static inline uint64_t turned(uint64_t counter, uint64_t ahead, uint64_t modulus) {
  return counter + ahead >= modulus ? counter + ahead - modulus : counter + ahead;
}

// Tells the streams of our shim in which cycle of the schedule they are; tools of synthesis have clocks.
static inline void cycle_is(int64_t step, int64_t cycle) {
#ifdef ARRAYOL_SHIM
  shim::now = (step << 40) + cycle;
#else
  (void)step, (void)cycle;
#endif
}

// A value that no type of the specification holds.
static inline void fail(const char *what) {
#ifndef __SYNTHESIS__
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
#else
  (void)what;
#endif
}

// Elements as bits, and back.
template <class T>
static inline T from_bits(uint64_t bits) {
  return T(bits);
}
template <>
inline bool from_bits<bool>(uint64_t bits) {
  return bits & 1;
}
template <>
inline float from_bits<float>(uint64_t bits) {
  union {
    uint32_t whole;
    float value;
  } both;
  both.whole = uint32_t(bits);
  return both.value;
}
template <>
inline double from_bits<double>(uint64_t bits) {
  union {
    uint64_t whole;
    double value;
  } both;
  both.whole = bits;
  return both.value;
}
template <class T>
static inline uint64_t to_bits(const T &value) {
  return uint64_t(value);
}
template <>
inline uint64_t to_bits<float>(const float &value) {
  union {
    uint32_t whole;
    float value;
  } both;
  both.value = value;
  return both.whole;
}
template <>
inline uint64_t to_bits<double>(const double &value) {
  union {
    uint64_t whole;
    double value;
  } both;
  both.value = value;
  return both.whole;
}

// An element of so many bytes in a word, the first byte lowest.
template <class T, int BYTES, class WORD>
static inline T taken(const WORD &word, unsigned at) {
#pragma HLS INLINE
  uint64_t bits = 0;
  for (int place = 0; place < BYTES && place < 8; ++place) {
#pragma HLS UNROLL
    bits |= uint64_t(word.byte[at + place]) << 8 * place;
  }
  return from_bits<T>(bits);
}

template <class T, int BYTES, class WORD>
static inline void put(WORD &word, unsigned at, const T &value) {
#pragma HLS INLINE
  const uint64_t bits = to_bits<T>(value);
  for (int place = 0; place < BYTES && place < 8; ++place) {
#pragma HLS UNROLL
    word.byte[at + place] = uint8_t(bits >> 8 * place);
  }
}

#endif
