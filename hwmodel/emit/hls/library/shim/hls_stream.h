// A stream between two functions, for g++. Tools of high-level synthesis bring their own hls_stream.h.
// Here functions run one after another, so all that one writes is there before the next one reads. What a stream must
// hold is known all the same: who writes and who reads says in which cycle of the schedule it does (`hls::now`), and a
// stream counts what is in it then.
#ifndef ARRAYOL_HLS_STREAM_H
#define ARRAYOL_HLS_STREAM_H

#include <cstdint>
#include <cstdio>
#include <vector>

namespace hls {

inline int64_t now = 0;  // the cycle of the schedule

struct counts {
  const char *name = "stream";
  int number = 0, depth = 0;
  int64_t fullest = 0, early = 0, left = 0;  // data at once; data read too early; data never read
};

inline std::vector<counts *> &all_streams() {
  static std::vector<counts *> all;
  return all;
}

template <class T, int DEPTH = 2>
class stream {
  std::vector<T> data;
  std::vector<int64_t> made;
  size_t first = 0, arrived = 0;  // data that were read; those that were there when the last one was
  counts seen;

 public:
  stream() {
    seen.depth = DEPTH;
    all_streams().push_back(&seen);
  }
  stream(const stream &) = delete;

  void named(const char *name, int number) {
    seen.name = name;
    seen.number = number;
  }

  void write(const T &value) {
    data.push_back(value);
    made.push_back(now);
    seen.left = int64_t(data.size() - first);
  }

  // A datum is in a stream from the cycle in which it is made to that in which it is read, both included.
  T read() {
    if (first == data.size() || made[first] >= now) ++seen.early;
    if (first == data.size()) return T();
    while (arrived < made.size() && made[arrived] <= now) ++arrived;
    const int64_t held = int64_t(arrived) - int64_t(first);
    if (held > seen.fullest) seen.fullest = held;
    const T value = data[first++];
    seen.left = int64_t(data.size() - first);
    if (first == data.size()) {
      data.clear();
      made.clear();
      first = arrived = 0;
    }
    return value;
  }
};

template <class T, int DEPTH, int COUNT>
bool name_streams(stream<T, DEPTH> (&streams)[COUNT], const char *name) {
  for (int number = 0; number < COUNT; ++number) streams[number].named(name, number);
  return true;
}

}  // namespace hls

#endif
