//===- GemmF16.hip - Multiplication of f16 --===//
#include "Gemm.h"

using namespace hk;

template hipError_t hk::kernels::gemmOf<f16, Layout::RowMajor, Layout::RowMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<f16, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<f16, Layout::ColumnMajor, Layout::RowMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<f16, Layout::ColumnMajor, Layout::ColumnMajor>(const GemmCall &);
