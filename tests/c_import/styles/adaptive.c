/* Data: lms x:f4:100 wanted:f4:100 error:f4:100 */
#include <string.h>
#define TAPS 6
void lms(const float *x, const float *wanted, float *error) {
  float weights[TAPS], line[TAPS];
  memset(weights, 0, sizeof weights);
  memset(line, 0, sizeof(line));
  for (int n = 0; n < 100; n++) {
    float sum = 0;
    for (int k = TAPS - 1; k > 0; k--) line[k] = line[k - 1];
    line[0] = x[n];
    for (int k = 0; k < TAPS; k++) sum += weights[k] * line[k];
    error[n] = wanted[n] - sum;
    for (int k = 0; k < TAPS; k++) weights[k] += 0.05f * error[n] * line[k];
  }
}
