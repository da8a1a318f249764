/* Data: counts_unsigned x:i2:200 y:i2:100 z:i2:100 s:i2:201 w:u1:128 v:u1:128 */
/* Unsigned counters, steps and rings, masks that align, steps in conditions of loops. */
#include <stddef.h>
#include <stdint.h>
void counts_unsigned(const int16_t *x, int16_t *y, int16_t *z, int16_t *s, const uint8_t *w, uint8_t *v)
{
  size_t k = 0;
  unsigned down = 99;
  for (int r = 0; r < 10; r++) {
    for (int c = 0; c < 5; c++) {
      y[k++] = x[down] + 1;
      y[k] = x[down - 1] * 2;
      down -= 1;
      k += 1;
    }
  }
  uint32_t place = 0;
  for (size_t i = 100; i-- > 0;) {
    size_t before = i > 0 ? i - 1 : 0;
    z[i] = x[before] - x[i] + x[place >> 16];
    place += 0x14000;
  }
  int n = 0;
  while (n++ < 200)
    s[n] = x[n - 1] ^ n;
  s[0] = n;
  for (unsigned i = 0; i < 128; i++)
    v[i] = w[i & ~3u] + w[i ^ 1] + w[i | 3];
}
