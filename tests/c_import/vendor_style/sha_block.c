// all in 0..65000
typedef unsigned int LONG;
#define ROT32(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define f1(x, y, z) ((x & y) | (~x & z))
#define f2(x, y, z) (x ^ y ^ z)
#define f3(x, y, z) ((x & y) | (x & z) | (y & z))
#define FUNC(f, i, k) temp = ROT32(A, 5) + f(B, C, D) + E + W[i] + k; E = D; D = C; C = ROT32(B, 30); B = A; A = temp;
void sha_transform(LONG digest[5], LONG data[16]) {
  int i; LONG temp, A, B, C, D, E, W[80];
  for (i = 0; i < 16; ++i) W[i] = data[i];
  for (i = 16; i < 80; ++i) W[i] = ROT32(W[i-3] ^ W[i-8] ^ W[i-14] ^ W[i-16], 1);
  A = digest[0]; B = digest[1]; C = digest[2]; D = digest[3]; E = digest[4];
  for (i = 0; i < 20; ++i) { FUNC(f1, i, 0x5a827999L) }
  for (i = 20; i < 40; ++i) { FUNC(f2, i, 0x6ed9eba1L) }
  for (i = 40; i < 60; ++i) { FUNC(f3, i, 0x8f1bbcdcL) }
  for (i = 60; i < 80; ++i) { FUNC(f2, i, 0xca62c1d6L) }
  digest[0] += A; digest[1] += B; digest[2] += C; digest[3] += D; digest[4] += E;
}
