/* Opening comment
   of two lines. */
#pragma once
__device__ inline int once() { return 2; }
#include <climits>
