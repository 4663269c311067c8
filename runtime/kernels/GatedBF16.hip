//===- GatedBF16.hip - Gated of rows of bf16 --===//
#include "Gated.h"

template hipError_t hk::kernels::gatedOf<hk::bf16>(const GatedCall &);
