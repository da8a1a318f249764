// cols in 0..24
// rowDelimiters in 0..60
// all in -5..5
#define N 24
#define NNZ 60
void spmv(double val[NNZ], int cols[NNZ], int rowDelimiters[N+1], double vec[N], double out[N]) {
  int i, j; double sum, Si;
  for (i = 0; i < N; i++) {
    sum = 0;
    int first = rowDelimiters[i], last = rowDelimiters[i+1];
    for (j = 0; j < NNZ; j++) {
      if (j < first) continue;
      if (j >= last) break;
      Si = val[j] * vec[cols[j]]; sum = sum + Si;
    }
    out[i] = sum;
  }
}
