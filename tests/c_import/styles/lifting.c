/* Data: dwt x:i2:64 */
#include <stdint.h>
void dwt(int16_t x[64]) {
  for (int i = 1; i < 62; i += 2) x[i] -= (x[i - 1] + x[i + 1]) >> 1;
  x[63] -= x[62];
  x[0] += x[1] >> 1;
  for (int i = 2; i < 64; i += 2) x[i] += (x[i - 1] + x[i + 1 < 64 ? i + 1 : 63] + 2) >> 2;
}
