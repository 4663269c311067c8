#include <hip/hip_runtime.h>
__global__ void renamed(int *p) {   *q = 1; }
