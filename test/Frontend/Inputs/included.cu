__global__ void from_cu(int *p) {
  __syncthreads();
  *p = 1;
}
