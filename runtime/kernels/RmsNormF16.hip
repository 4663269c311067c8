//===- RmsNormF16.hip - RmsNorm of rows of f16 --===//
#include "RmsNorm.h"

template hipError_t hk::kernels::rmsNormOf<hk::f16>(const NormCall &);
