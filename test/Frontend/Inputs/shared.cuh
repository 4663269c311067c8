#pragma once
__device__ inline void shared_sync() { __syncthreads(); }
static __global__ void from_header(int *p) { shared_sync(); *p = FACTOR; }
