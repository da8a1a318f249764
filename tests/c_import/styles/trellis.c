/* A decoder of Viterbi's: the costs of four states, and the way back through the decisions. */
/* Data: viterbi r:u1:64,2 bits:u1:64 */
#include <stdint.h>
#define LENGTH 64
#define STATES 4
static int distance(int a, int b) { return (a ^ b) & 1; }

void viterbi(const uint8_t r[LENGTH][2], uint8_t bits[LENGTH])
{
    uint8_t from[LENGTH][STATES];
    int cost[STATES] = {0, 1000, 1000, 1000};
    for (int t = 0; t < LENGTH; t++) {
        int next[STATES];
        for (int s = 0; s < STATES; s++) {
            int b = s & 1, low = s >> 1, high = (s >> 1) | 2;
            int c0 = cost[low] + distance(b ^ (low & 1), r[t][0]) + distance(b, r[t][1]);
            int c1 = cost[high] + distance(b ^ (high & 1) ^ 1, r[t][0]) + distance(b ^ 1, r[t][1]);
            if (c0 <= c1) { next[s] = c0; from[t][s] = low; }
            else          { next[s] = c1; from[t][s] = high; }
        }
        for (int s = 0; s < STATES; s++) cost[s] = next[s];
    }
    int best = 0;
    for (int s = 1; s < STATES; s++)
        if (cost[s] < cost[best]) best = s;
    for (int t = LENGTH - 1; t >= 0; t--) { bits[t] = best & 1; best = from[t][best]; }
}
