/* Data: open_ in:u1:24,32 out:u1:24,32 */
#define H 24
#define W 32
#define MIN(a,b) ((a)<(b)?(a):(b))
#define MAX(a,b) ((a)>(b)?(a):(b))
void open_(const unsigned char in[H][W], unsigned char out[H][W]) {
  static unsigned char tmp[H][W];
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      unsigned char m = 255;
      for (int k = MAX(i-1,0); k <= MIN(i+1,H-1); k++)
        for (int l = MAX(j-1,0); l <= MIN(j+1,W-1); l++)
          m = MIN(m, in[k][l]);
      tmp[i][j] = m;
    }
  for (int i = 0; i < H; i++)
    for (int j = 0; j < W; j++) {
      unsigned char m = 0;
      for (int k = MAX(i-1,0); k <= MIN(i+1,H-1); k++)
        for (int l = MAX(j-1,0); l <= MIN(j+1,W-1); l++)
          m = MAX(m, tmp[k][l]);
      out[i][j] = m;
    }
}
