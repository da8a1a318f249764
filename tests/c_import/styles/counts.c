/* Data: hist x:u1:1000 h:u4:256 */
#include <stdint.h>
#include <string.h>
void hist(const uint8_t *x, uint32_t *h) {
  memset(h, 0, 256 * sizeof(uint32_t));
  for (int i = 0; i < 1000; i++) h[x[i]]++;
}
