// Runs the design on the external memory of data/memory.hex, and compares the outputs with data/expected.hex. If frames
// after the first one have data of their own, data/memory1.hex is that of the next one. Of several channels each has a
// folder, as data/channel0.
// It prints a line for each frame and each stream, and starts in the folder of data. Exit code 1 where anything is not as
// it should be.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "design.hpp"
#include <hls_stream.h>

static bool is_same(const word &one, const word &other) {
  for (int place = 0; place < WORD_BYTES; ++place)
    if (one.byte[place] != other.byte[place]) return false;
  return true;
}

// A line for each word, its last byte first.
static std::vector<word> words_of(const channel &own, const char *name, int frame) {
  std::vector<word> words(own.words);
  char path[64];
  if (IS_VIDEO && frame)
    std::snprintf(path, sizeof path, "%s%s%d.hex", own.folder, name, frame);
  else
    std::snprintf(path, sizeof path, "%s%s.hex", own.folder, name);
  std::FILE *file = std::fopen(path, "r");
  if (!file) {
    std::fprintf(stderr, "%s cannot be read\n", path);
    std::exit(2);
  }
  for (word &read : words)
    for (int place = WORD_BYTES - 1; place >= 0; --place) {
      unsigned byte;
      if (std::fscanf(file, "%2x", &byte) != 1) {
        std::fprintf(stderr, "%s ends too soon\n", path);
        std::exit(2);
      }
      read.byte[place] = uint8_t(byte);
    }
  std::fclose(file);
  return words;
}

static std::vector<std::vector<word>> all_words_of(const char *name, int frame) {
  std::vector<std::vector<word>> each;
  for (const channel &own : CHANNELS) each.push_back(words_of(own, name, frame));
  return each;
}

int main() {
  bool right = true;
  std::vector<std::vector<word>> memory;
  for (const channel &own : CHANNELS) memory.push_back(std::vector<word>(own.words));
  for (int call = 0; call < FRAMES + BEHIND; ++call) {
    if (!STAYS) {
      memory = all_words_of("memory", call);
    } else if (call < FRAMES) {
      const std::vector<std::vector<word>> before = all_words_of("memory", call);
      for (const span &input : INPUTS)
        for (long at = input.first; input.frame == call && at < input.first + input.words; ++at)
          memory[input.channel][at] = before[input.channel][at];
    }
    word *memories[CHANNEL_COUNT];
    for (int place = 0; place < CHANNEL_COUNT; ++place) memories[place] = &memory[place][0];
    run_frame(memories);
    const int frame = call - BEHIND;
    if (frame < 0) continue;
    const std::vector<std::vector<word>> expected = all_words_of("expected", frame);
    long wrong = 0;
    for (const span &output : OUTPUTS)
      for (long at = output.first; output.frame == frame && at < output.first + output.words; ++at)
        wrong += !is_same(memory[output.channel][at], expected[output.channel][at]);
    std::printf("frame %d wrong %ld\n", frame, wrong);
    right = right && !wrong;
  }
#ifdef ARRAYOL_SHIM
  for (const shim::counts *own : shim::all_streams()) {
    std::printf("stream %s %d fullest %ld depth %d early %ld left %ld\n", own->name, own->number, long(own->fullest),
                own->depth, long(own->early), long(own->left));
    right = right && own->fullest <= own->depth && !own->early && !own->left;
  }
#endif
  return right ? 0 : 1;
}
