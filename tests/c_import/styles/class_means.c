/* Means of classes that data choose, from sums that stay in registers. */
/* Data: means x:u1:300 mean:i4:4 */
#include <stdint.h>
#define CLASSES 4

void means(const uint8_t x[300], int32_t mean[CLASSES])
{
    int sum[CLASSES] = {0}, count[CLASSES] = {0};
    for (int i = 0; i < 300; i++) {
        int own = x[i] >> 6;
        sum[own] = sum[own] + x[i];
        count[own]++;
    }
    for (int k = 0; k < CLASSES; k++)
        if (count[k]) mean[k] = sum[k] / count[k];
}
