//===- SoftmaxBF16.hip - Softmax of rows of bf16 --===//
#include "Softmax.h"

template hipError_t hk::kernels::softmaxOf<hk::bf16>(const SoftmaxCall &);
