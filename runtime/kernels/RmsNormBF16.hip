//===- RmsNormBF16.hip - RmsNorm of rows of bf16 --===//
#include "RmsNorm.h"

template hipError_t hk::kernels::rmsNormOf<hk::bf16>(const NormCall &);
