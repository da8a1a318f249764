#ifndef ARRAYOL_COMPLEX_H
#define ARRAYOL_COMPLEX_H
#define complex _Complex
#define _Complex_I __builtin_complex(0.0f, 1.0f)
#define I _Complex_I
#define CMPLX(x, y) __builtin_complex((double)(x), (double)(y))
#define CMPLXF(x, y) __builtin_complex((float)(x), (float)(y))
#endif
