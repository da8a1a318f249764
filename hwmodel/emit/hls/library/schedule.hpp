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

// Complex numbers: each real operation is rounded. The functions have the names that C has for them.
template <class T>
struct complex_number {
  T re, im;

  complex_number() = default;
  constexpr complex_number(T real, T imaginary = T(0)) : re(real), im(imaginary) {}
  template <class OTHER>
  explicit constexpr complex_number(const complex_number<OTHER> &z) : re(T(z.re)), im(T(z.im)) {}

  friend complex_number operator-(const complex_number &x) { return {-x.re, -x.im}; }
  friend complex_number operator+(const complex_number &x, const complex_number &y) {
    return {x.re + y.re, x.im + y.im};
  }
  friend complex_number operator-(const complex_number &x, const complex_number &y) {
    return {x.re - y.re, x.im - y.im};
  }
  friend bool operator==(const complex_number &x, const complex_number &y) { return x.re == y.re && x.im == y.im; }
  friend bool operator!=(const complex_number &x, const complex_number &y) { return !(x == y); }
};

static inline float crealf(const complex_number<float> &z) { return z.re; }
static inline float cimagf(const complex_number<float> &z) { return z.im; }
static inline complex_number<float> conjf(const complex_number<float> &z) { return {z.re, -z.im}; }
static inline complex_number<float> join_c64(float real, float imaginary) { return {real, imaginary}; }
static inline double creal(const complex_number<double> &z) { return z.re; }
static inline double cimag(const complex_number<double> &z) { return z.im; }
static inline complex_number<double> conj(const complex_number<double> &z) { return {z.re, -z.im}; }
static inline complex_number<double> join_c128(double real, double imaginary) { return {real, imaginary}; }

// The parts of an element side by side, the first in the low bits: two of a complex number, else itself.
template <class T>
struct parts {
  typedef T part;
  static const int count = 1;
  static T joined(const T *own) { return own[0]; }
  static T one(const T &value, int) { return value; }
};
template <class T>
struct parts<complex_number<T>> {
  typedef T part;
  static const int count = 2;
  static complex_number<T> joined(const T *own) { return {own[0], own[1]}; }
  static T one(const complex_number<T> &value, int number) { return number ? value.im : value.re; }
};

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
  const int each = BYTES / parts<T>::count;
  typename parts<T>::part own[parts<T>::count];
  for (int number = 0; number < parts<T>::count; ++number) {
#pragma HLS UNROLL
    uint64_t bits = 0;
    for (int place = 0; place < each && place < 8; ++place) {
#pragma HLS UNROLL
      bits |= uint64_t(word.byte[at + number * each + place]) << 8 * place;
    }
    own[number] = from_bits<typename parts<T>::part>(bits);
  }
  return parts<T>::joined(own);
}

template <class T, int BYTES, class WORD>
static inline void put(WORD &word, unsigned at, const T &value) {
#pragma HLS INLINE
  const int each = BYTES / parts<T>::count;
  for (int number = 0; number < parts<T>::count; ++number) {
#pragma HLS UNROLL
    const uint64_t bits = to_bits<typename parts<T>::part>(parts<T>::one(value, number));
    for (int place = 0; place < each && place < 8; ++place) {
#pragma HLS UNROLL
      word.byte[at + number * each + place] = uint8_t(bits >> 8 * place);
    }
  }
}

// The bytes of an element that takes several words.
template <int BYTES>
struct element_bytes {
  uint8_t byte[BYTES];
};

// The element whose last word this is.
template <class T, int BYTES, class WORD>
static inline T taken_by(const WORD *last) {
#pragma HLS INLINE
  const int each = sizeof(last->byte);
  element_bytes<BYTES> own;
  for (int place = 0; place < BYTES; ++place) {
#pragma HLS UNROLL
    own.byte[place] = last[place / each + 1 - BYTES / each].byte[place % each];
  }
  return taken<T, BYTES>(own, 0);
}

// One of the words of an element.
template <class T, int BYTES, class WORD>
static inline void put_part(WORD &word, unsigned part, const T &value) {
#pragma HLS INLINE
  const int each = sizeof(word.byte);
  element_bytes<BYTES> own;
  put<T, BYTES>(own, 0, value);
  for (int place = 0; place < each; ++place) {
#pragma HLS UNROLL
    word.byte[place] = own.byte[part * each + place];
  }
}

#endif
