#ifndef ARRAYOL_ERRNO_H
#define ARRAYOL_ERRNO_H
#define EINVAL 22
#define ENOMEM 12
#endif
