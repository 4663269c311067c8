//===- Gemm8.hip - Multiplication of the target's own e4m3, and of int8 ---===//
#include "Gemm.h"

using namespace hk;

template hipError_t hk::kernels::gemmOf<hk::kernels::E4M3, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<int8_t, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
