// all in 0..5
// obs in 0..6
#include <stdint.h>
#define N_OBS 10
#define N_STATES 4
#define N_TOKENS 6
typedef uint8_t tok_t; typedef double prob_t; typedef uint8_t state_t; typedef int32_t step_t;
int viterbi(tok_t obs[N_OBS], prob_t init[N_STATES], prob_t transition[N_STATES*N_STATES], prob_t emission[N_STATES*N_TOKENS], state_t path[N_OBS]) {
  prob_t llike[N_OBS][N_STATES];
  step_t t; state_t prev, curr; prob_t min_p, p; state_t min_s, s;
  L_init: for (s = 0; s < N_STATES; s++) llike[0][s] = init[s] + emission[s*N_TOKENS + obs[0]];
  L_timestep: for (t = 1; t < N_OBS; t++) {
    L_curr: for (curr = 0; curr < N_STATES; curr++) {
      prev = 0;
      min_p = llike[t-1][prev] + transition[prev*N_STATES + curr] + emission[curr*N_TOKENS + obs[t]];
      L_prev: for (prev = 1; prev < N_STATES; prev++) {
        p = llike[t-1][prev] + transition[prev*N_STATES + curr] + emission[curr*N_TOKENS + obs[t]];
        if (p < min_p) min_p = p;
      }
      llike[t][curr] = min_p;
    }
  }
  min_s = 0;
  min_p = llike[N_OBS-1][min_s];
  L_end: for (s = 1; s < N_STATES; s++) {
    p = llike[N_OBS-1][s];
    if (p < min_p) { min_p = p; min_s = s; }
  }
  path[N_OBS-1] = min_s;
  L_back: for (t = N_OBS-2; t >= 0; t--) {
    min_s = 0;
    min_p = llike[t][min_s] + transition[min_s*N_STATES + path[t+1]];
    L_state: for (s = 1; s < N_STATES; s++) {
      p = llike[t][s] + transition[s*N_STATES + path[t+1]];
      if (p < min_p) { min_p = p; min_s = s; }
    }
    path[t] = min_s;
  }
  return 0;
}
