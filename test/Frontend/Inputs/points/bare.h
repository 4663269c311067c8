__device__ inline int bare() { return 5; } // trailing
