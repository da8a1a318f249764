// all in -5..5
#define ROWS 16
#define BLK 4
#define N (ROWS*ROWS)
typedef float elem;
void bbgemm(elem m1[N], elem m2[N], elem prod[N]) {
  int i, k, j, jj, kk;
  int i_row, k_row;
  elem t, m;
  loopjj: for (jj = 0; jj < ROWS; jj += BLK) {
    loopkk: for (kk = 0; kk < ROWS; kk += BLK) {
      loopi: for (i = 0; i < ROWS; ++i) {
        loopk: for (k = 0; k < BLK; ++k) {
          i_row = i * ROWS;
          k_row = (k + kk) * ROWS;
          t = m1[i_row + k + kk];
          loopj: for (j = 0; j < BLK; ++j) {
            m = t * m2[k_row + j + jj];
            prod[i_row + j + jj] += m;
          }
        }
      }
    }
  }
}
