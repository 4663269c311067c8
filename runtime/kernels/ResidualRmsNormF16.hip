//===- ResidualRmsNormF16.hip - ResidualRmsNorm of rows of f16 --===//
#include "ResidualRmsNorm.h"

template hipError_t hk::kernels::residualRmsNormOf<hk::f16>(const NormCall &);
