// all in 0..255
typedef unsigned char pix;
#define ROWS 9
#define COLS 14
#define K 3
void gauss(pix in[ROWS*COLS], pix out[ROWS*COLS]) {
  pix line[K - 1][COLS];
  pix win[K][K];
  for (int i = 0; i < K - 1; i++) for (int j = 0; j < COLS; j++) line[i][j] = 0;
  for (int i = 0; i < K; i++) for (int j = 0; j < K; j++) win[i][j] = 0;
  for (int r = 0; r < ROWS; r++) {
    for (int c = 0; c < COLS; c++) {
      pix px = in[r * COLS + c];
      for (int i = 0; i < K; i++) for (int j = 0; j < K - 1; j++) win[i][j] = win[i][j + 1];
      win[0][K - 1] = line[0][c];
      win[1][K - 1] = line[1][c];
      win[2][K - 1] = px;
      line[0][c] = line[1][c];
      line[1][c] = px;
      if (r >= 2 && c >= 2) {
        unsigned short s = win[0][0] + 2 * win[0][1] + win[0][2] + 2 * win[1][0] + 4 * win[1][1] + 2 * win[1][2] + win[2][0] + 2 * win[2][1] + win[2][2];
        out[(r - 1) * COLS + c - 1] = (s + 8) >> 4;
      }
    }
  }
}
