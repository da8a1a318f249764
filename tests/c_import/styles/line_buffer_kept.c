/* Data: conv in:u1:24,32 out:u1:24,32; lb starts with 64 u1 zeros */
#include <stdint.h>
#define H 24
#define W 32
void conv(const uint8_t in[H][W], uint8_t out[H][W]) {
  static uint8_t lb[2][W];
  uint8_t win[3][3] = {{0}};
  for (int y = 0; y < H; y++)
    for (int x = 0; x < W; x++) {
      uint8_t px = in[y][x];
      for (int i = 0; i < 3; i++) { win[i][0] = win[i][1]; win[i][1] = win[i][2]; }
      win[0][2] = lb[0][x]; win[1][2] = lb[1][x]; win[2][2] = px;
      lb[0][x] = lb[1][x]; lb[1][x] = px;
      if (y >= 2 && x >= 2) {
        int s = 0;
        for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) s += win[i][j];
        out[y-1][x-1] = s / 9;
      }
    }
}
