/* Data: dither img:u1:16,20 out:u1:16,20 */
#include <stdint.h>
#define W 20
#define H 16
void dither(const uint8_t img[H][W], uint8_t out[H][W]) {
  int err[H + 1][W + 2] = {{0}};
  for (int y = 0; y < H; y++) {
    int dir = (y & 1) ? -1 : 1;
    int start = (y & 1) ? W - 1 : 0;
    for (int i = 0; i < W; i++) {
      int x = start + dir * i;
      int old = img[y][x] + err[y][x + 1] / 16;
      int v = old < 128 ? 0 : 255;
      int e = old - v;
      out[y][x] = v;
      err[y][x + 1 + dir] += e * 7;
      err[y + 1][x + 1 - dir] += e * 3;
      err[y + 1][x + 1] += e * 5;
      err[y + 1][x + 1 + dir] += e;
    }
  }
}
