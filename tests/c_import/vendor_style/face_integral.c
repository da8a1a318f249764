#include <stdint.h>
#define R 10
#define C 12
static const int rect[2][5] = {{0, 0, 4, 3, -1}, {1, 1, 2, 2, 3}};
static int sum(const int ii[R + 1][C + 1], int y, int x, int h, int w) { return ii[y + h][x + w] - ii[y][x + w] - ii[y + h][x] + ii[y][x]; }
void face(uint8_t img[R][C], int score[R - 4][C - 4]) {
  int ii[R + 1][C + 1];
  for (int x = 0; x <= C; x++) ii[0][x] = 0;
  for (int y = 1; y <= R; y++) {
    ii[y][0] = 0;
    int row = 0;
    for (int x = 1; x <= C; x++) { row += img[y - 1][x - 1]; ii[y][x] = ii[y - 1][x] + row; }
  }
  for (int y = 0; y < R - 4; y++) for (int x = 0; x < C - 4; x++) {
    int s = 0;
    for (int k = 0; k < 2; k++) s += rect[k][4] * sum(ii, y + rect[k][1], x + rect[k][0], rect[k][3], rect[k][2]);
    score[y][x] = s >= 100 ? 1 : 0;
  }
}
