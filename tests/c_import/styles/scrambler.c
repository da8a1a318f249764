/* Data: scrambler x:u1:200 y:u1:200 */
#include <stdint.h>
void scrambler(const uint8_t x[200], uint8_t y[200]) {
    unsigned lfsr = 0x4A80;
    for (int i = 0; i < 200; i++) {
        uint8_t o = 0;
        for (int b = 7; b >= 0; b--) {
            unsigned f = ((lfsr >> 14) ^ (lfsr >> 13)) & 1;
            lfsr = ((lfsr << 1) | f) & 0x7FFF;
            o |= (uint8_t)((((x[i] >> b) & 1) ^ f) << b);
        }
        y[i] = o;
    }
}
