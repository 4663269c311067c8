//===- LayerNormF16.hip - LayerNorm of rows of f16 --===//
#include "LayerNorm.h"

template hipError_t hk::kernels::layerNormOf<hk::f16>(const NormCall &);
