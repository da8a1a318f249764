/* Data: dither img:u1:24,32 out:u1:24,32 */
#include <stdint.h>
#define H 24
#define W 32
void dither(const uint8_t img[H][W], uint8_t out[H][W]) {
  static int16_t err[2][W + 2];
  for (int i = 0; i < W + 2; i++)
    err[0][i] = err[1][i] = 0;
  for (int y = 0; y < H; y++) {
    int16_t *cur = err[y & 1], *nxt = err[(y + 1) & 1];
    for (int i = 0; i < W + 2; i++)
      nxt[i] = 0;
    for (int x = 0; x < W; x++) {
      int v = img[y][x] + cur[x + 1] / 16;
      int q = v > 127 ? 255 : 0;
      int e = v - q;
      out[y][x] = q;
      cur[x + 2] += e * 7;
      nxt[x] += e * 3;
      nxt[x + 1] += e * 5;
      nxt[x + 2] += e;
    }
  }
}
