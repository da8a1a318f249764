/* Data: filter x:f4:128 y:f4:128; sos starts with 0.1 0.2 0.1 -0.5 0.25 0 0 0.3 0.1 0.3 -0.2 0.1 0 0 1 0 -1 0.1 0.2 0 0 */
#define NS 3
#define N 128
typedef struct { float b0,b1,b2,a1,a2; float z1,z2; } biquad;
static biquad sos[NS] = {{0.1f,0.2f,0.1f,-0.5f,0.25f,0,0},{0.3f,0.1f,0.3f,-0.2f,0.1f,0,0},{1,0,-1,0.1f,0.2f,0,0}};
void filter(const float *x, float *y) {
  for (int n = 0; n < N; n++) {
    float v = x[n];
    for (int s = 0; s < NS; s++) {
      biquad *q = &sos[s];
      float o = q->b0 * v + q->z1;
      q->z1 = q->b1 * v - q->a1 * o + q->z2;
      q->z2 = q->b2 * v - q->a2 * o;
      v = o;
    }
    y[n] = v;
  }
}
