// all in 1..9
// NL in 0..16
#define NA 16
#define MN 4
#define lj1 1.5
#define lj2 2.0
typedef struct { double x, y, z; } dvector_t;
void md(double force_x[NA], double force_y[NA], double force_z[NA], double pos_x[NA], double pos_y[NA], double pos_z[NA], int NL[NA*MN]) {
  double delx, dely, delz, r2inv, r6inv, potential, force, jx, jy, jz, ix, iy, iz, fx, fy, fz;
  int i, j, jidx;
  loop_i: for (i = 0; i < NA; i++) {
    ix = pos_x[i]; iy = pos_y[i]; iz = pos_z[i];
    fx = 0; fy = 0; fz = 0;
    loop_j: for (j = 0; j < MN; j++) {
      jidx = NL[i * MN + j];
      jx = pos_x[jidx]; jy = pos_y[jidx]; jz = pos_z[jidx];
      delx = ix - jx + 0.25; dely = iy - jy; delz = iz - jz;
      r2inv = 1.0 / (delx * delx + dely * dely + delz * delz);
      r6inv = r2inv * r2inv * r2inv;
      potential = r6inv * (lj1 * r6inv - lj2);
      force = r2inv * potential;
      fx += delx * force; fy += dely * force; fz += delz * force;
    }
    force_x[i] = fx; force_y[i] = fy; force_z[i] = fz;
  }
}
