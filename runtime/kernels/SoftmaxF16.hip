//===- SoftmaxF16.hip - Softmax of rows of f16 --===//
#include "Softmax.h"

template hipError_t hk::kernels::softmaxOf<hk::f16>(const SoftmaxCall &);
