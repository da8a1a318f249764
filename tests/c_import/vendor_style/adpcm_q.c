// all in -2000..2000
#define N 12
static const int steps[16] = {7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31};
static const signed char adj[8] = {-1, -1, -1, -1, 2, 4, 6, 8};
void adpcm(const short pcm[N], unsigned char code[N]) {
  int pred = 0, index = 0;
  for (int n = 0; n < N; n++) {
    int diff = pcm[n] - pred, step = steps[index], sign = 0, delta = 0;
    if (diff < 0) { sign = 8; diff = -diff; }
    int vp = step >> 3;
    if (diff >= step) { delta = 4; diff -= step; vp += step; }
    step >>= 1;
    if (diff >= step) { delta |= 2; diff -= step; vp += step; }
    step >>= 1;
    if (diff >= step) { delta |= 1; vp += step; }
    pred = sign ? pred - vp : pred + vp;
    if (pred > 32767) pred = 32767; else if (pred < -32768) pred = -32768;
    index += adj[delta & 7];
    if (index < 0) index = 0;
    if (index > 15) index = 15;
    code[n] = delta | sign;
  }
}
