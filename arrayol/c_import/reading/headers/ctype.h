#ifndef ARRAYOL_CTYPE_H
#define ARRAYOL_CTYPE_H
int isdigit(int);
int isalpha(int);
int isspace(int);
int toupper(int);
int tolower(int);
#endif
