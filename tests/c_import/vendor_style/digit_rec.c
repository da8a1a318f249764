// all in 0..1000000
#include <stdint.h>
#define TRAIN 20
#define KK 3
static int popcount(uint64_t x) {
  x = x - ((x >> 1) & 0x5555555555555555ULL);
  x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return (int)((x * 0x0101010101010101ULL) >> 56);
}
static void update_knn(const uint64_t *train, const uint64_t *test, int dists[KK], int labels[KK], int label) {
  int dist = 0;
  for (int i = 0; i < 4; i++) dist += popcount(test[i] ^ train[i]);
  int max_dist = 0, max_id = 0;
  for (int k = 0; k < KK; ++k) if (dists[k] > max_dist) { max_dist = dists[k]; max_id = k; }
  if (dist < max_dist) { dists[max_id] = dist; labels[max_id] = label; }
}
void digitrec(const uint64_t training[TRAIN * 4], const uint64_t test[4], int result[KK], int dists[KK]) {
  int labels[KK];
  for (int k = 0; k < KK; k++) { dists[k] = 256; labels[k] = -1; }
  for (int i = 0; i < TRAIN; i++) update_knn(&training[i * 4], test, dists, labels, i / 2);
  for (int k = 0; k < KK; k++) result[k] = labels[k];
}
