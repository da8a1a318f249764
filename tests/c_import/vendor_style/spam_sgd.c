// all in -1..1
// label in 0..2
#include <math.h>
#define NF 8
#define NS 6
typedef float FeatureType; typedef unsigned char LabelType;
static FeatureType dot(FeatureType *p, const FeatureType *f) { FeatureType r = 0; for (int i = 0; i < NF; i++) r += p[i] * f[i]; return r; }
static FeatureType hardsig(FeatureType e) { if (e > 4) return 1; if (e < -4) return 0; return 0.5f + e * 0.125f; }
void sgd(const FeatureType data[NS * NF], const LabelType label[NS], FeatureType theta[NF]) {
  FeatureType gradient[NF];
  for (int epoch = 0; epoch < 2; epoch++) {
    for (int id = 0; id < NS; id++) {
      FeatureType d = dot(theta, &data[NF * id]);
      FeatureType prob = hardsig(d);
      for (int i = 0; i < NF; i++) gradient[i] = (prob - label[id]) * data[id * NF + i];
      for (int i = 0; i < NF; i++) theta[i] += -0.01f * gradient[i];
    }
  }
}
