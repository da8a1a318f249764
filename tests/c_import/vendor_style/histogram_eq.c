// all in 0..256
#include <stdint.h>
#include <string.h>
#define N 64
#define BINS 256
void equalize(const uint8_t in[N], uint8_t out[N]) {
  uint32_t hist[BINS];
  uint32_t cdf[BINS];
  memset(hist, 0, sizeof(hist));
  for (int i = 0; i < N; i++) hist[in[i]]++;
  uint32_t acc = 0;
  for (int b = 0; b < BINS; b++) { acc += hist[b]; cdf[b] = acc; }
  for (int i = 0; i < N; i++) out[i] = (uint8_t)((cdf[in[i]] * 255u) / N);
}
