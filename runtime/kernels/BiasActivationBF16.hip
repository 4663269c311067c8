//===- BiasActivationBF16.hip - BiasActivation of rows of bf16 --===//
#include "BiasActivation.h"

template hipError_t hk::kernels::biasActivationOf<hk::bf16>(const BiasActivationCall &);
