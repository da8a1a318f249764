// all in -200..200
#define CONST_BITS 13
#define FIX_0_54 ((int)4433)
#define FIX_0_76 ((int)6270)
#define FIX_1_84 ((int)15137)
#define DESCALE(x, n) (((x) + (1 << ((n) - 1))) >> (n))
void idct_rows(int blk[64], int out[64]) {
  int *inptr = blk; int *o = out;
  for (int ctr = 8; ctr > 0; ctr--) {
    int tmp0, tmp1, tmp2, tmp3, tmp10, tmp11, tmp12, tmp13, z1, z2, z3;
    z2 = inptr[2]; z3 = inptr[6];
    z1 = (z2 + z3) * FIX_0_54;
    tmp2 = z1 + z3 * (-FIX_1_84);
    tmp3 = z1 + z2 * FIX_0_76;
    z2 = inptr[0]; z3 = inptr[4];
    tmp0 = (z2 + z3) << CONST_BITS;
    tmp1 = (z2 - z3) << CONST_BITS;
    tmp10 = tmp0 + tmp3; tmp13 = tmp0 - tmp3; tmp11 = tmp1 + tmp2; tmp12 = tmp1 - tmp2;
    o[0] = DESCALE(tmp10, 11); o[7] = DESCALE(tmp13, 11); o[1] = DESCALE(tmp11, 11); o[2] = DESCALE(tmp12, 11);
    o[3] = inptr[1]; o[4] = inptr[3]; o[5] = inptr[5]; o[6] = inptr[7];
    inptr += 8; o += 8;
  }
}
