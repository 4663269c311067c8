//===- hip/hip_fp16.h - The same half on both platforms -------------------===//
#pragma once

#include <cuda_fp16.h>
