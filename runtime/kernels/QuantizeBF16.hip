//===- QuantizeBF16.hip - Quantize of rows of bf16 --===//
#include "Quantize.h"

template hipError_t hk::kernels::quantizeOf<hk::bf16>(const QuantizeCall &);
