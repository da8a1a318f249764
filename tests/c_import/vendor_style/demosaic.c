// all in 0..1024
#include <stdint.h>
#define H 8
#define W 10
void demosaic(uint16_t raw[H][W], uint16_t rgb[H][W][3]) {
  for (int y = 1; y < H - 1; y++) for (int x = 1; x < W - 1; x++) {
    uint16_t c = raw[y][x];
    uint16_t hz = (raw[y][x - 1] + raw[y][x + 1]) >> 1, vt = (raw[y - 1][x] + raw[y + 1][x]) >> 1;
    uint16_t cross = (raw[y - 1][x] + raw[y + 1][x] + raw[y][x - 1] + raw[y][x + 1]) >> 2;
    uint16_t diag = (raw[y - 1][x - 1] + raw[y - 1][x + 1] + raw[y + 1][x - 1] + raw[y + 1][x + 1]) >> 2;
    switch (((y & 1) << 1) | (x & 1)) {
      case 0: rgb[y][x][0] = c; rgb[y][x][1] = cross; rgb[y][x][2] = diag; break;
      case 1: rgb[y][x][0] = hz; rgb[y][x][1] = c; rgb[y][x][2] = vt; break;
      case 2: rgb[y][x][0] = vt; rgb[y][x][1] = c; rgb[y][x][2] = hz; break;
      default: rgb[y][x][0] = diag; rgb[y][x][1] = cross; rgb[y][x][2] = c;
    }
  }
}
