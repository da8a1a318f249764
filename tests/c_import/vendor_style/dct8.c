// all in -100..100
#define DW 8
typedef short dct_t;
static const short coeff[8][8] = {
 {8192, 8192, 8192, 8192, 8192, 8192, 8192, 8192}, {11363, 9633, 6436, 2260, -2260, -6436, -9632, -11362},
 {10703, 4433, -4433, -10703, -10703, -4433, 4433, 10703}, {9633, -2260, -11362, -6436, 6436, 11363, 2260, -9632},
 {8192, -8192, -8192, 8192, 8192, -8191, -8191, 8192}, {6436, -11362, 2260, 9633, -9632, -2260, 11363, -6436},
 {4433, -10703, 10703, -4433, -4433, 10703, -10703, 4433}, {2260, -6436, 9633, -11362, 11363, -9632, 6436, -2260}};
#define DESCALE(x, n) (((x) + (1 << ((n) - 1))) >> (n))
static void dct_1d(dct_t src[DW], dct_t dst[DW]) {
  for (int k = 0; k < DW; k++) {
    int tmp = 0;
    for (int n = 0; n < DW; n++) tmp += src[n] * (int)coeff[k][n];
    dst[k] = DESCALE(tmp, 13);
  }
}
void dct_2d(dct_t in[DW][DW], dct_t out[DW][DW]) {
  dct_t row[DW][DW], col_in[DW][DW], col_out[DW][DW];
  for (int i = 0; i < DW; i++) dct_1d(in[i], row[i]);
  for (int j = 0; j < DW; j++) for (int i = 0; i < DW; i++) col_in[j][i] = row[i][j];
  for (int i = 0; i < DW; i++) dct_1d(col_in[i], col_out[i]);
  for (int j = 0; j < DW; j++) for (int i = 0; i < DW; i++) out[j][i] = col_out[i][j];
}
