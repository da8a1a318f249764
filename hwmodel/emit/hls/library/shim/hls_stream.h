// A stream between two functions, for g++. Tools of high-level synthesis bring their own hls_stream.h.
// Here functions run one after another, so all that one writes is there before the next one reads. What a stream must
// hold is known all the same: who writes and who reads says in which cycle of the schedule it does (`shim::now`), and a
// stream counts what is in it then. Namespace `shim` has what other headers lack; ARRAYOL_SHIM says that it is there.
#ifndef ARRAYOL_SHIM
#define ARRAYOL_SHIM

#include <cstdint>
#include <cstdio>
#include <vector>

namespace shim {

inline int64_t now = 0;  // the cycle of the schedule

struct counts {
  const char *name = "stream";
  int number = 0, depth = 2;
  int64_t fullest = 0, early = 0, left = 0;  // data at once; data read too early; data never read
};

inline std::vector<counts *> &all_streams() {
  static std::vector<counts *> all;
  return all;
}

}  // namespace shim

namespace hls {

template <class T>
class stream {
  std::vector<T> data;
  std::vector<int64_t> made;
  size_t first = 0, arrived = 0;  // data that were read; those that were there when the last one was

 public:
  shim::counts seen;

  stream() { shim::all_streams().push_back(&seen); }
  stream(const stream &) = delete;

  void write(const T &value) {
    data.push_back(value);
    made.push_back(shim::now);
    seen.left = int64_t(data.size() - first);
  }

  bool empty() const { return first == data.size(); }

  // A datum is in a stream from the cycle in which it is made to that in which it is read, both included.
  T read() {
    if (first == data.size() || made[first] >= shim::now) ++seen.early;
    if (first == data.size()) return T();
    while (arrived < made.size() && made[arrived] <= shim::now) ++arrived;
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

}  // namespace hls

namespace shim {

template <class T, int COUNT>
bool know(hls::stream<T> (&streams)[COUNT], const char *name, int depth) {
  for (int number = 0; number < COUNT; ++number) {
    counts &seen = streams[number].seen;
    seen.name = name;
    seen.number = number;
    seen.depth = depth;
  }
  return true;
}

}  // namespace shim

#endif
