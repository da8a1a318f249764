// all in -5..5
// cols in 0..24
// rowDelimiters in 0..60
#define N 24
#define NNZ 60
void spmv(double val[NNZ], int cols[NNZ], int rowDelimiters[N+1], double vec[N], double out[N]) {
  int i, j; double sum, Si;
  for (i = 0; i < N; i++) {
    sum = 0; Si = 0;
    int tmp_begin = rowDelimiters[i];
    int tmp_end = rowDelimiters[i+1];
    for (j = tmp_begin; j < tmp_end; j++) { Si = val[j] * vec[cols[j]]; sum = sum + Si; }
    out[i] = sum;
  }
}
