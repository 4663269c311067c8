//===- QuantizeF16.hip - Quantize of rows of f16 --===//
#include "Quantize.h"

template hipError_t hk::kernels::quantizeOf<hk::f16>(const QuantizeCall &);
