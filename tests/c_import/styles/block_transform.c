/* Data: transform img:u1:24,32 coef:i2:12,64 */
#include <stdint.h>
#define SIDE 8
static void pass(int *p, int step) {
  int a = p[0] + p[7 * step], b = p[0] - p[7 * step], c = p[3 * step] + p[4 * step];
  p[0] = a + c;
  p[4 * step] = a - c;
  p[7 * step] = (b * 4433 + 1024) >> 11;
}
void transform(const uint8_t img[24][32], int16_t coef[12][64]) {
  for (int n = 0; n < 12; n++) {
    int block[SIDE * SIDE], *p = block, left;
    for (int y = 0; y < SIDE; y++)
      for (int x = 0; x < SIDE; x++) *p++ = img[n / 4 * SIDE + y][n % 4 * SIDE + x] - 128;
    p = block;
    for (left = SIDE; left > 0; left--) {
      pass(p, 1);
      p += SIDE;
    }
    for (p = block; p < block + SIDE; p++) pass(p, SIDE);
    for (int k = 0; k < SIDE * SIDE; k++) coef[n][k] = (int16_t)(block[k] >> 3);
  }
}
