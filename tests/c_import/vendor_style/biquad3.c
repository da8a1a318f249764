// all in -2..2
#define S 3
#define N 20
typedef struct { float b0, b1, b2, a1, a2; } sos_t;
void cascade(const float in[N], float out[N], const sos_t sos[S]) {
  float w[S][2] = {{0}};
  for (int n = 0; n < N; n++) {
    float x = in[n];
    for (int s = 0; s < S; s++) {
      float t = x - sos[s].a1 * w[s][0] - sos[s].a2 * w[s][1];
      x = sos[s].b0 * t + sos[s].b1 * w[s][0] + sos[s].b2 * w[s][1];
      w[s][1] = w[s][0];
      w[s][0] = t;
    }
    out[n] = x;
  }
}
