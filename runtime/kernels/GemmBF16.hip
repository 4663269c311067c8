//===- GemmBF16.hip - Multiplication of bf16 --===//
#include "Gemm.h"

using namespace hk;

template hipError_t hk::kernels::gemmOf<bf16, Layout::RowMajor, Layout::RowMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<bf16, Layout::RowMajor, Layout::ColumnMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<bf16, Layout::ColumnMajor, Layout::RowMajor>(const GemmCall &);
template hipError_t hk::kernels::gemmOf<bf16, Layout::ColumnMajor, Layout::ColumnMajor>(const GemmCall &);
