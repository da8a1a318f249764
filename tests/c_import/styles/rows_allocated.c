/* Data: blur in:u1:100,40 out:u1:100,40 */
#include <stdint.h>
#include <stdlib.h>
#define W 40
#define H 100
int blur(const uint8_t *in, uint8_t *out) {
  uint16_t *prev = (uint16_t *)calloc(W, sizeof(uint16_t)), *cur = malloc(W * sizeof(*cur));
  if (!prev || !cur) return -1;
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) cur[x] = in[y * W + x] * 3;
    for (int x = 0; x < W; x++) out[y * W + x] = (prev[x] + cur[x]) / 6;
    uint16_t *t = prev; prev = cur; cur = t;
  }
  free(prev); free(cur);
  return 0;
}
