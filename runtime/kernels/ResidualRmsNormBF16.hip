//===- ResidualRmsNormBF16.hip - ResidualRmsNorm of rows of bf16 --===//
#include "ResidualRmsNorm.h"

template hipError_t hk::kernels::residualRmsNormOf<hk::bf16>(const NormCall &);
