/* A window of line buffers, one line and one column longer than the picture, so that the last results come out. */
#include <stdint.h>
/* Data: top in:u1:20,32 out:u1:20,32 */
#define H 20
#define W 32
typedef uint8_t pix_t;
void top(pix_t in[H][W], pix_t out[H][W]) {
  pix_t lb[2][W];
  pix_t win[3][3];
#pragma HLS ARRAY_PARTITION variable=win complete dim=0
  for (int r = 0; r < H + 1; r++) {
    for (int c = 0; c < W + 1; c++) {
#pragma HLS PIPELINE II=1
      pix_t p = 0;
      if (r < H && c < W) p = in[r][c];
      for (int i = 0; i < 3; i++) { win[i][0] = win[i][1]; win[i][1] = win[i][2]; }
      if (c < W) {
        win[0][2] = lb[0][c]; win[1][2] = lb[1][c]; win[2][2] = p;
        lb[0][c] = lb[1][c]; lb[1][c] = p;
      }
      if (r >= 1 && c >= 1) {
        int rr = r - 1, cc = c - 1;
        if (rr == 0 || cc == 0 || rr == H - 1 || cc == W - 1) out[rr][cc] = 0;
        else {
          int s = 0;
          for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) s += win[i][j];
          out[rr][cc] = s / 9;
        }
      }
    }
  }
}
