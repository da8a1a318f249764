/* Data: sobel in:u1:100,40 out:u1:100,40 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define W 40
#define H 100
void sobel(const uint8_t *in, uint8_t *out) {
  uint8_t b0[W], b1[W], b2[W];
  uint8_t *top = b0, *mid = b1, *bot = b2;
  memcpy(top, in, W);
  memcpy(mid, in + W, W);
  for (int y = 1; y < H - 1; y++) {
    memcpy(bot, in + (y + 1) * W, W);
    for (int x = 1; x < W - 1; x++) {
      int gx = top[x + 1] - top[x - 1] + 2 * (mid[x + 1] - mid[x - 1]) + bot[x + 1] - bot[x - 1];
      int gy = bot[x - 1] - top[x - 1] + 2 * (bot[x] - top[x]) + bot[x + 1] - top[x + 1];
      int g = abs(gx) + abs(gy);
      out[y * W + x] = g > 255 ? 255 : g;
    }
    uint8_t *t = top; top = mid; mid = bot; bot = t;
  }
}
