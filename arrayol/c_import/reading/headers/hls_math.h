/* Read by name, without the templates of the vendor. */
#include <math.h>
