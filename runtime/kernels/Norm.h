//===- Norm.h - RMSNorm and LayerNorm, by the type of x -------------------===//
#pragma once

#include "Programs.h"

#include "Arguments.h"
#include "hk/ops/norm.h"

namespace hk::kernels {

struct NormCall {
  Launch launch;
  RowShape shape;
  hk_matrix x;
  hk_matrix residual; ///< residual only
  hk_vector weight;
  hk_vector bias; ///< LayerNorm only
  float epsilon;
  const hk_output &y;
};

template <class X> hipError_t rmsNormOf(const NormCall &call);
template <class X> hipError_t residualRmsNormOf(const NormCall &call);
template <class X> hipError_t layerNormOf(const NormCall &call);

} // namespace hk::kernels
