/* Data: sorted x:i2:120 n:u1:120 y:i2:120 z:u4:120 */
/* An array that each iteration has for itself, of which data choose the elements; shifts by what data say. */
#include <stdint.h>
static int16_t median(const int16_t *x)
{
  int16_t w[5];
  for (int k = 0; k < 5; k++) {
    int j = k;
    while (j > 0 && w[j - 1] > x[k]) {
      w[j] = w[j - 1];
      j--;
    }
    w[j] = x[k];
  }
  return w[2];
}
void sorted(const int16_t *x, const uint8_t *n, int16_t *y, uint32_t *z)
{
  for (int i = 2; i < 118; i++) {
    unsigned s = n[i] % 32;
    uint32_t bits = (uint16_t)x[i] * 40503u;
    y[i] = median(x + i - 2);
    z[i] = s ? bits << s | bits >> (32 - s) : bits;
  }
}
