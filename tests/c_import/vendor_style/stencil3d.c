#define H 8
#define C 6
#define R 7
#define AT(row, col, plane) ((row) + R * ((col) + C * (plane)))
void stencil3d(int coef[2], int orig[H*C*R], int sol[H*C*R]) {
  int sum0, sum1, mul0, mul1, i, j, k;
  for (j = 0; j < C; j++) for (k = 0; k < R; k++) {
    sol[AT(k, j, 0)] = orig[AT(k, j, 0)];
    sol[AT(k, j, H-1)] = orig[AT(k, j, H-1)];
  }
  for (i = 1; i < H-1; i++) for (k = 0; k < R; k++) {
    sol[AT(k, 0, i)] = orig[AT(k, 0, i)];
    sol[AT(k, C-1, i)] = orig[AT(k, C-1, i)];
  }
  for (i = 1; i < H-1; i++) for (j = 1; j < C-1; j++) {
    sol[AT(0, j, i)] = orig[AT(0, j, i)];
    sol[AT(R-1, j, i)] = orig[AT(R-1, j, i)];
  }
  for (i = 1; i < H-1; i++) for (j = 1; j < C-1; j++) for (k = 1; k < R-1; k++) {
    sum0 = orig[AT(k, j, i)];
    sum1 = orig[AT(k, j, i+1)] + orig[AT(k, j, i-1)] + orig[AT(k, j+1, i)] + orig[AT(k, j-1, i)] + orig[AT(k+1, j, i)] + orig[AT(k-1, j, i)];
    mul0 = sum0 * coef[0];
    mul1 = sum1 * coef[1];
    sol[AT(k, j, i)] = mul0 + mul1;
  }
}
