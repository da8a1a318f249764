/* The difference to the last value of the same channel, and how far another value has come. */
/* Data: differences channel:u1:150 value:i2:150 diff:i2:150 way:i4:1 */
#include <stdint.h>

void differences(const uint8_t channel[150], const int16_t value[150], int16_t diff[150], int32_t way[1])
{
    int16_t last[8] = {0};
    int32_t sum = 5;
    for (int i = 0; i < 150; i++) {
        uint8_t k = channel[i] & 7;
        diff[i] = value[i] - last[k];
        last[k] = value[i];
        sum = value[i] < 9 ? sum + channel[i] : sum;
    }
    way[0] = sum;
}
