//===- BiasActivationF16.hip - BiasActivation of rows of f16 --===//
#include "BiasActivation.h"

template hipError_t hk::kernels::biasActivationOf<hk::f16>(const BiasActivationCall &);
