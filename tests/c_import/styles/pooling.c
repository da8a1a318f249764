/* The greatest of each 2 x 2, and which of them it was. */
/* Data: pool in:i1:4,12,16 out:i1:4,6,8 place:u1:4,6,8 */
#include <stdint.h>

void pool(const int8_t in[4][12][16], int8_t out[4][6][8], uint8_t place[4][6][8])
{
    for (int c = 0; c < 4; ++c)
        for (int y = 0; y < 6; ++y)
            for (int x = 0; x < 8; ++x) {
                int8_t most = INT8_MIN;
                uint8_t own = 0;
                for (int k = 0; k < 4; ++k) {
                    int8_t v = in[c][2 * y + (k >> 1)][2 * x + (k & 1)];
                    if (v > most) { most = v; own = k; }
                }
                out[c][y][x] = most;
                place[c][y][x] = own;
            }
}
