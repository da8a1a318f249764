// all in -100..100
#include <limits.h>
#define C 2
#define H 6
#define W 6
void pool(int in[C][H][W], int out[C][H / 2][W / 2], unsigned char where[C][H / 2][W / 2]) {
  for (int c = 0; c < C; c++) for (int y = 0; y < H / 2; y++) for (int x = 0; x < W / 2; x++) {
    int m = INT_MIN; unsigned char k = 0;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) {
      int v = in[c][2 * y + i][2 * x + j];
      if (v > m) { m = v; k = i * 2 + j; }
    }
    out[c][y][x] = m; where[c][y][x] = k;
  }
}
