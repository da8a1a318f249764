/* Data: atrous x:i4:24,32 y:i4:24,32 */
#define H 24
#define W 32
void atrous(int x[H][W], int y[H][W]) {
  static const int k[3] = {1, 2, 1};
  for (int i = 0; i < H; i++)
    for (int j = 4; j < W - 4; j++) {
      int s = 0;
      for (int t = -1; t <= 1; t++) s += k[t + 1] * x[i][j + 4 * t];
      y[i][j] = s >> 2;
    }
}
