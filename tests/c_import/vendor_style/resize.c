// all in 0..255
#include <stdint.h>
#define IW 12
#define IH 8
#define OW 7
#define OH 5
#define FIX 8
void resize_bilinear(uint8_t src[IH][IW], uint8_t dst[OH][OW]) {
  const int sx = (IW << FIX) / OW, sy = (IH << FIX) / OH;
  for (int y = 0; y < OH; y++) {
    int fy = y * sy, y0 = fy >> FIX, wy = fy & 255;
    int y1 = y0 + 1 < IH ? y0 + 1 : IH - 1;
    for (int x = 0; x < OW; x++) {
      int fx = x * sx, x0 = fx >> FIX, wx = fx & 255;
      int x1 = x0 + 1 < IW ? x0 + 1 : IW - 1;
      int top = src[y0][x0] * (256 - wx) + src[y0][x1] * wx;
      int bot = src[y1][x0] * (256 - wx) + src[y1][x1] * wx;
      dst[y][x] = (top * (256 - wy) + bot * wy + (1 << 15)) >> 16;
    }
  }
}
