/* Data: wrapped x:u1:20,24 y:i2:20,24 a:i2:200 b:i2:200 c:i2:200 */
/* Unsigned places that wrap below 0, which one comparison keeps inside. */
#include <stddef.h>
#include <stdint.h>
void wrapped(const uint8_t x[20][24], int16_t y[20][24], const int16_t *a, int16_t *b, int16_t *c)
{
  for (int r = 0; r < 20; r++)
    for (int k = 0; k < 24; k++) {
      int sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
          unsigned rr = r + dy, kk = k + dx;
          if (rr >= 20u || kk >= 24u)
            continue;
          sum += x[rr][kk];
        }
      y[r][k] = sum;
    }
  for (size_t i = 0; i < 200; i++) {
    size_t left = i - 1, right = i + 1;
    int16_t v = 2 * a[i];
    if (left < 200)
      v -= a[left];
    if (!(right >= 200))
      v -= a[right];
    b[i] = v;
  }
  for (unsigned i = 0; i < 200; i++) {
    unsigned j = i - 50u;
    c[i] = (j < 20) + 2 * (i - 1 > 50u) + 4 * (j == 3) + 8 * (50u - i >= 10) + 16 * (j > i);
  }
}
