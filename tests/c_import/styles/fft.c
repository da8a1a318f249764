/* Data: fft re:i2:16 im:i2:16 */
#include <stdint.h>
#define N 16
static const int16_t cosT[N/2] = {32767,30273,23170,12539,0,-12539,-23170,-30273};
static const int16_t sinT[N/2] = {0,12539,23170,30273,32767,30273,23170,12539};
void fft(int16_t *re, int16_t *im) {
  int len, i, j;
  for (len = 2; len <= N; len <<= 1) {
    int half = len / 2, stride = N / len;
    for (i = 0; i < N; i += len)
      for (j = 0; j < half; j++) {
        int t = j * stride;
        int wr = cosT[t], wi = -sinT[t];
        int p = i + j, q = i + j + half;
        int tr = (wr * re[q] - wi * im[q]) >> 15;
        int ti = (wr * im[q] + wi * re[q]) >> 15;
        re[q] = (re[p] - tr) >> 1; im[q] = (im[p] - ti) >> 1;
        re[p] = (re[p] + tr) >> 1; im[p] = (im[p] + ti) >> 1;
      }
  }
}
