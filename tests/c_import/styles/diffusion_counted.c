/* Data: counted in:u1:20,30 out:i4:20,30 */
#include <stdint.h>
void counted(const uint8_t in[20][30], int out[20][30]) {
  int a[21][31];
  for (int y = 0; y < 21; y++)
    for (int x = 0; x < 31; x++) a[y][x] = 3;
  for (int y = 0; y < 20; y++)
    for (int x = 0; x < 30; x++) {
      a[y][x + 1] += 1;
      a[y + 1][x] += a[y][x] * in[y][x] & 63;
      a[y + 1][x + 1] += 2;
      out[y][x] = a[y][x];
    }
}
