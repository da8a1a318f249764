/* A box filter by sums of columns, which each line moves on, and sums of a line around each of them. */
#include <stdint.h>
#include <string.h>
/* Data: boxfilter src:u1:20,26 dst:u1:20,26 */
#define H 20
#define W 26
#define R 2
void boxfilter(const uint8_t src[H][W], uint8_t dst[H][W]) {
  uint16_t col[W];
  memset(col, 0, sizeof col);
  for (int y = 0; y < R; y++) for (int x = 0; x < W; x++) col[x] += src[y][x];
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      if (y + R < H) col[x] += src[y + R][x];
      if (y - R - 1 >= 0) col[x] -= src[y - R - 1][x];
    }
    for (int x = 0; x < W; x++) {
      uint32_t s = 0;
      for (int k = -R; k <= R; k++) if (x + k >= 0 && x + k < W) s += col[x + k];
      dst[y][x] = s / 25;
    }
  }
}
