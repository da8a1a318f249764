// all in -5..5
// cols in 0..24
#define N 24
#define L 5
typedef double TYPE;
void ellpack(TYPE nzval[N*L], int cols[N*L], TYPE vec[N], TYPE out[N]) {
  int i, j; TYPE Si;
  for (i = 0; i < N; i++) {
    TYPE sum = out[i];
    for (j = 0; j < L; j++) { Si = nzval[j + i*L] * vec[cols[j + i*L]]; sum += Si; }
    out[i] = sum;
  }
}
