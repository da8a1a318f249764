/* Data: cic x:i2:512 y:i4:64 */
#include <stdint.h>
void cic(const int16_t x[512], int32_t y[64]) {
    int32_t i1 = 0, i2 = 0, d1 = 0, d2 = 0;
    int cnt = 0, out = 0;
    for (int i = 0; i < 512; i++) {
        i1 += x[i];
        i2 += i1;
        if (++cnt == 8) {
            cnt = 0;
            int32_t c1 = i2 - d1; d1 = i2;
            int32_t c2 = c1 - d2; d2 = c1;
            y[out++] = c2;
        }
    }
}
