// all in 0..256
#include <stdint.h>
uint32_t crc32(const uint8_t data[16]) {
  uint32_t crc = ~0u;
  for (int i = 0; i < 16; i++) {
    crc ^= data[i];
    for (int b = 0; b < 8; b++) crc = (crc >> 1) ^ ((crc & 1) ? 0xEDB88320u : 0);
  }
  return ~crc;
}
void crcs(const uint8_t data[16], uint32_t out[1]) { out[0] = crc32(data); }
