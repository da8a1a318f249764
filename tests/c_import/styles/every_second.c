/* Data: every_second x:u1:200 y:u1:100 z:i4:25 */
#include <stdint.h>
void every_second(const uint8_t x[200], uint8_t y[100], int32_t z[25]) {
    uint8_t *o = y; int acc = 0; int k = 0; int *w = z;
    for (int i = 0; i < 200; i++) {
        if (i % 2 == 1) *o++ = (x[i-1] + x[i]) / 2;
        acc += x[i];
        if (++k == 8) { *w++ = acc; acc = 0; k = 0; }
    }
}
