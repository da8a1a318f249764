/* Data: chosen x:i2:100 y:i2:100; count starts with 1 i4 zeros */
#include <stdint.h>
static int count;
static int more(int by) {
  count += by;
  return count;
}
void chosen(const int16_t x[100], int16_t y[100]) {
  for (int i = 0; i < 100; i++) {
    y[i] = 0;
    if (x[i] > 0 && more(2) < 50)
      y[i] = count;
    if (x[i] < -9000 || more(1) > 90)
      y[i] -= 1;
    y[i] += x[i] & 1 ? (int16_t)more(3) : i & 2 ? more(-2) : 9;
  }
}
