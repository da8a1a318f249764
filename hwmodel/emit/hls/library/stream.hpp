// What a streaming group is made of, pulse by pulse: counters, line buffers, and elements in the words of its ends.
#ifndef ARRAYOL_STREAM_HPP
#define ARRAYOL_STREAM_HPP

#include "schedule.hpp"

// 1 a number of pulses after `in`, which comes no sooner than that after the one before.
template <int64_t DELAY, int BITS>
struct later {
  ap_uint<BITS> left = 0;

  bool step(bool in) {
#pragma HLS INLINE
    const bool out = left == 1;
    if (in)
      left = DELAY;
    else if (left != 0)
      left = left - 1;
    return out;
  }
};

// An index along one loop: 0 in the pulse in which it begins, then the next one every STRIDE pulses, EXTENT of them.
// `step` says whether it moves in this pulse; the index stays until the next one. It may begin again at once.
template <int EXTENT, int64_t STRIDE, int INDEX, int PAUSE>
struct place {
  ap_uint<INDEX> index = 0;
  ap_uint<PAUSE> pause = 0;  // pulses before the next index
  bool running = false;

  bool step(bool begins) {
#pragma HLS INLINE
    const bool moves = running && pause == 0;
    if (begins)
      index = 0;
    else if (moves)
      index = index + 1;
    if (begins || moves) {
      running = index != EXTENT - 1;
      pause = STRIDE - 1;
    } else if (pause != 0) {
      pause = pause - 1;
    }
    return begins || moves;
  }
};

// A number that goes round: 0 in the pulse in which a frame begins, and every PERIOD pulses after that.
template <int64_t PERIOD, int BITS>
struct turn {
  ap_uint<BITS> at = 0;

  void step() {
#pragma HLS INLINE
    at = at == PERIOD - 1 ? 0 : unsigned(at) + 1;
  }
};

// DEPTH words that move on together, in registers. All line buffers give the oldest word before anything moves.
template <class T, int DEPTH>
struct window {
  T words[DEPTH];

  T step(const T &in, bool push) {
#pragma HLS INLINE
#pragma HLS ARRAY_PARTITION variable = words complete dim = 0
    const T oldest = words[DEPTH - 1];
    if (push) {
      for (int at = DEPTH - 1; at > 0; --at) {
#pragma HLS UNROLL
        words[at] = words[at - 1];
      }
      words[0] = in;
    }
    return oldest;
  }
};

// The same in a memory, read and written at one place. A word is read DEPTH pulses after it was written or later.
template <class T, int DEPTH, int BITS>
struct ring {
  T words[DEPTH];
  ap_uint<BITS> at;

  T step(const T &in, bool push) {
#pragma HLS INLINE
#pragma HLS BIND_STORAGE variable = words type = ram_s2p
#pragma HLS DEPENDENCE variable = words type = inter direction = RAW distance = DEPTH dependent = true
    const T oldest = words[at];
    if (push) {
      words[at] = in;
      at = at == DEPTH - 1 ? 0 : unsigned(at) + 1;
    }
    return oldest;
  }
};

// Up to DEPTH words that wait: `push` takes one, `pop` gives the oldest one up. Where none waits, `in` is there at once.
template <class T, int DEPTH, int BITS>
struct queue {
  T words[DEPTH];
  ap_uint<BITS> first, after;
  ap_uint<BITS + 1> waiting;

  void clear() {
#pragma HLS INLINE
    first = 0;
    after = 0;
    waiting = 0;
  }

  T step(const T &in, bool push, bool pop) {
#pragma HLS INLINE
#pragma HLS BIND_STORAGE variable = words type = ram_s2p
    const bool empty = waiting == 0;
    const T oldest = empty ? in : words[first];
    const bool gives = pop && !empty, stores = push && !(pop && empty);
    if (stores) {
      words[after] = in;
      after = after == DEPTH - 1 ? 0 : unsigned(after) + 1;
    }
    if (gives) first = first == DEPTH - 1 ? 0 : unsigned(first) + 1;
    if (stores && !gives) waiting = waiting + 1;
    if (gives && !stores) waiting = waiting - 1;
    return oldest;
  }
};

// An element of BITS bits, from bit AT of a word on.
template <class T, int AT, int BITS, class DATA>
static inline T element_of(const DATA &data) {
#pragma HLS INLINE
  const int each = BITS / parts<T>::count;
  typename parts<T>::part own[parts<T>::count];
  for (int number = 0; number < parts<T>::count; ++number) {
#pragma HLS UNROLL
    const int at = AT + number * each;
    own[number] = from_bits<typename parts<T>::part>(data.range(at + each - 1, at).to_uint64());
  }
  return parts<T>::joined(own);
}

template <int AT, int BITS, class DATA, class T>
static inline void put_element(DATA &data, const T &value) {
#pragma HLS INLINE
  const int each = BITS / parts<T>::count;
  for (int number = 0; number < parts<T>::count; ++number) {
#pragma HLS UNROLL
    const int at = AT + number * each;
    const uint64_t bits = to_bits<typename parts<T>::part>(parts<T>::one(value, number));
    data.range(at + each - 1, at) = ap_uint<BITS / parts<T>::count>(bits);
  }
}

#endif
