/* Data: blur in:u1:100,40 out:u1:100,40 */
#include <stdint.h>
#define W 40
#define H 100
void blur(const uint8_t in[H][W], uint8_t out[H][W]) {
  static uint16_t rows[3][W];
  uint16_t *r0 = rows[0], *r1 = rows[1], *r2 = rows[2];
  for (int y = 0; y < H; y++) {
    for (int x = 0; x < W; x++) {
      int l = x > 0 ? in[y][x - 1] : in[y][0], r = x < W - 1 ? in[y][x + 1] : in[y][W - 1];
      r2[x] = l + 2 * in[y][x] + r;
    }
    for (int x = 0; x < W; x++)
      out[y][x] = y >= 2 ? (r0[x] + 2 * r1[x] + r2[x]) >> 4 : 0;
    uint16_t *t = r0; r0 = r1; r1 = r2; r2 = t;
  }
}
