/* Data: flat_histogram x:u1:1920 h:i4:64 t:i4:1 */
#include <stdint.h>
void flat_histogram(const uint8_t x[1920], int32_t h[64], int32_t t[1]) {
    int32_t s = 0;
    for (int i = 0; i < 64; i++) h[i] = 0;
    for (int i = 0; i < 1920; i++) { h[x[i] >> 2]++; s += x[i]; }
    t[0] = s;
}
