// License line one.
// License line two.

// Belongs to the function.
__device__ inline int opening() { return 3; }
