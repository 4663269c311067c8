// The only comment.
__device__ inline int attached() { return 4; }
