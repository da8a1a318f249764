// all in -2..2
#define H 10
#define W 12
static const float GRAD_W[5] = {1.0f, -8.0f, 0.0f, 8.0f, -1.0f};
typedef struct { float x, y, z; } gradient_t;
void grad(float frame[H][W], float gx[H][W], float gy[H][W]) {
  float xg, yg; const float k = 12.0f;
  for (int r = 0; r < H; r++) for (int c = 0; c < W; c++) {
    xg = 0; yg = 0;
    if (r >= 2 && r < H - 2 && c >= 2 && c < W - 2) {
      for (int i = 0; i < 5; i++) { xg += frame[r][c - i + 2] * GRAD_W[4 - i]; yg += frame[r - i + 2][c] * GRAD_W[4 - i]; }
    }
    gx[r][c] = xg / k; gy[r][c] = yg / k;
  }
}

