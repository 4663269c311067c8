//===- LayerNormBF16.hip - LayerNorm of rows of bf16 --===//
#include "LayerNorm.h"

template hipError_t hk::kernels::layerNormOf<hk::bf16>(const NormCall &);
