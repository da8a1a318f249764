/* Data: ring_unsigned x:i2:200 y:i4:200 */
#include <stdint.h>
#define M 16
void ring_unsigned(const int16_t *x, int32_t *y)
{
  int16_t line[M] = {0};
  unsigned head = 0;
  for (int n = 0; n < 200; n++) {
    int32_t sum = 0;
    line[head] = x[n];
    for (unsigned k = 0; k < M; k++)
      sum += line[(head - k) & (M - 1)] * (int)(k + 1);
    y[n] = sum;
    head = (head + 1) & (M - 1);
  }
}
