#ifndef ARRAYOL_STDDEF_H
#define ARRAYOL_STDDEF_H
typedef unsigned long size_t;
typedef long ptrdiff_t;
typedef int wchar_t;
#define NULL 0
#endif
