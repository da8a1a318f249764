/* Data: crc_bits x:u1:256 r:u4:1 */
#include <stdint.h>
void crc_bits(const uint8_t x[256], uint32_t r[1]) {
    uint32_t c = 0xFFFFFFFFu;
    for (int i = 0; i < 256; i++) {
        c ^= x[i];
        for (int k = 0; k < 8; k++) {
            if (c & 1) c = (c >> 1) ^ 0xEDB88320u; else c >>= 1;
        }
    }
    r[0] = ~c;
}
