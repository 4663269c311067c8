//===- GemmF32.hip - Multiplication of f32 --------------------------------===//
#include "Gemm.h"

using namespace hk;

template hipError_t hk::kernels::gemmOf<float, Layout::RowMajor, Layout::RowMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<float, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<float, Layout::ColumnMajor, Layout::RowMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<float, Layout::ColumnMajor, Layout::ColumnMajor>(const GemmCall &);
