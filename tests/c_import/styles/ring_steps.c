/* Data: ring_steps x:i2:256 y:i4:256 */
#include <stdint.h>
void ring_steps(const int16_t x[256], int32_t y[256]) {
    int16_t buf[10] = {0}; uint32_t p = 0, k = 5;
    for (int i = 0; i < 256; i++) {
        buf[p] = x[i];
        p = p + 1 == 10 ? 0 : p + 1;
        k = k - 1 == 0 ? 5 : k - 1;
        y[i] = buf[p] + k;
    }
}
