/* Data: coded picture:u1:16,16 out:i2:4,4,16 */
/* A block of 4 x 4 along rows and columns, divided by a table and written in another order: the numbers of table and
   order are constants of one body, so rows and columns are no repetitions of their own. */
#include <stdint.h>
static const uint8_t step[16] = {8, 6, 5, 8, 6, 6, 7, 9, 7, 6, 8, 12, 7, 8, 11, 14};
static const uint8_t order[16] = {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15};

static void transformed(const int in[4], int out[4]) {
  int s = in[0] + in[3], d = in[0] - in[3], t = in[1] + in[2], e = in[1] - in[2];
  out[0] = s + t;
  out[1] = 2 * d + e;
  out[2] = s - t;
  out[3] = d - 2 * e;
}

void coded(const uint8_t picture[16][16], int16_t out[4][4][16]) {
  for (int by = 0; by < 4; by++)
    for (int bx = 0; bx < 4; bx++) {
      int half[4][4], full[16];
      for (int y = 0; y < 4; y++) {
        int line[4];
        for (int x = 0; x < 4; x++)
          line[x] = picture[4 * by + y][4 * bx + x];
        transformed(line, half[y]);
      }
      for (int x = 0; x < 4; x++) {
        int line[4], freq[4];
        for (int y = 0; y < 4; y++)
          line[y] = half[y][x];
        transformed(line, freq);
        for (int y = 0; y < 4; y++)
          full[4 * y + x] = freq[y] / step[4 * y + x];
      }
      for (int k = 0; k < 16; k++)
        out[by][bx][k] = full[order[k]];
    }
}
