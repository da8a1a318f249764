// Words of AXI4-Streams from files, and what of them is not as it should be.
#ifndef ARRAYOL_FRAMES_HPP
#define ARRAYOL_FRAMES_HPP

#include <cstdio>
#include <cstdlib>
#include <vector>

#include <hls_stream.h>

// A line for each word of BITS bits: TUSER and TLAST in the first digit, then TDATA, its highest digit first.
template <class WORD, int BITS>
std::vector<WORD> words_of(const char *path, int count) {
  std::vector<WORD> words(count);
  std::FILE *file = std::fopen(path, "r");
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path);
    std::exit(2);
  }
  for (WORD &own : words)
    for (int at = BITS; at >= 0; at -= 4) {
      unsigned digit;
      if (std::fscanf(file, "%1x", &digit) != 1) {
        std::fprintf(stderr, "%s ends too soon\n", path);
        std::exit(2);
      }
      if (at < BITS) {
        own.data.range(at + 3, at) = digit;
      } else {
        own.user = digit >> 1;
        own.last = digit & 1;
      }
    }
  std::fclose(file);
  return words;
}

template <class WORD>
void send(hls::stream<WORD> &stream, const std::vector<WORD> &words) {
  for (const WORD &own : words) stream.write(own);
}

// Adds to `wrong` by frame how many words are not there, or not the same. `goes_on` if more words may follow.
template <class WORD, int BITS>
void compare(hls::stream<WORD> &stream, const std::vector<WORD> &words, int frames, long *wrong, bool goes_on) {
  for (size_t number = 0; number < words.size(); ++number) {
    long &own = wrong[number * frames / words.size()];
    if (stream.empty()) {
      ++own;
      continue;
    }
    const WORD seen = stream.read(), &wanted = words[number];
    bool same = seen.user == wanted.user && seen.last == wanted.last;
    for (int at = 0; at < BITS; at += 8)
      same = same && seen.data.range(at + 7, at).to_uint64() == wanted.data.range(at + 7, at).to_uint64();
    own += !same;
  }
  if (!goes_on && !stream.empty()) ++wrong[frames - 1];
}

#endif
