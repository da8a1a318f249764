// all in 0..2000000000
typedef unsigned int BF_LONG;
#define BF_ENC(LL, R, S, P) (LL ^= P, LL ^= (((S[(R >> 24)] + S[256 + ((R >> 16) & 0xff)]) ^ S[512 + ((R >> 8) & 0xff)]) + S[768 + (R & 0xff)]))
void BF_encrypt(BF_LONG data[2], BF_LONG p[18], BF_LONG s[1024]) {
  BF_LONG l, r;
  l = data[0]; r = data[1];
  l ^= p[0];
  BF_ENC(r, l, s, p[1]);
  BF_ENC(l, r, s, p[2]);
  BF_ENC(r, l, s, p[3]);
  BF_ENC(l, r, s, p[4]);
  r ^= p[17];
  data[1] = l & 0xffffffff;
  data[0] = r & 0xffffffff;
}
