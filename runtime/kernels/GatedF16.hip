//===- GatedF16.hip - Gated of rows of f16 --===//
#include "Gated.h"

template hipError_t hk::kernels::gatedOf<hk::f16>(const GatedCall &);
