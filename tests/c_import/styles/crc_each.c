/* Data: crc_each x:u1:256 r:u2:256 */
#include <stdint.h>
static uint16_t upd(uint16_t crc, uint8_t d) {
    crc ^= (uint16_t)d << 8;
    for (int i = 0; i < 8; i++) {
        if (crc & 0x8000) crc = (crc << 1) ^ 0x1021;
        else crc <<= 1;
    }
    return crc;
}
void crc_each(const uint8_t x[256], uint16_t r[256]) {
    uint16_t c = 0xFFFF;
    for (int i = 0; i < 256; i++) { c = upd(c, x[i]); r[i] = c; }
}
