/* Data: median3x3 src:u1:32,48 dst:u1:32,48 */
#include <stdint.h>
#define H 32
#define W 48
#define PIX_SORT(a,b) { if ((a)>(b)) { uint8_t t=(a);(a)=(b);(b)=t; } }
static uint8_t med9(uint8_t *p) {
  PIX_SORT(p[1], p[2]); PIX_SORT(p[4], p[5]); PIX_SORT(p[7], p[8]);
  PIX_SORT(p[0], p[1]); PIX_SORT(p[3], p[4]); PIX_SORT(p[6], p[7]);
  PIX_SORT(p[1], p[2]); PIX_SORT(p[4], p[5]); PIX_SORT(p[7], p[8]);
  PIX_SORT(p[0], p[3]); PIX_SORT(p[5], p[8]); PIX_SORT(p[4], p[7]);
  PIX_SORT(p[3], p[6]); PIX_SORT(p[1], p[4]); PIX_SORT(p[2], p[5]);
  PIX_SORT(p[4], p[7]); PIX_SORT(p[4], p[2]); PIX_SORT(p[6], p[4]);
  PIX_SORT(p[4], p[2]); return p[4];
}
void median3x3(uint8_t src[H][W], uint8_t dst[H][W]) {
  uint8_t win[9];
  for (int y = 1; y < H-1; ++y)
    for (int x = 1; x < W-1; ++x) {
      int n = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          win[n++] = src[y+dy][x+dx];
      dst[y][x] = med9(win);
    }
}
