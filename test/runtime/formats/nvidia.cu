// The headers under nvcc: no warnings, and the instructions of the target.
// REQUIRES: nvcc
// RUN: %nvcc -I%runtime-include -ptx -arch=sm_90 %s -o - | FileCheck %s
// RUN: %nvcc -I%runtime-include -ptx -arch=sm_80 %s -o - | FileCheck --check-prefix=SM80 %s
#include "Inputs/kernels.h"

// CHECK-DAG: cvt.rn.f16x2.f32
// CHECK-DAG: cvt.rn.bf16x2.f32
// CHECK-DAG: cvt.pack.sat.s8.s32.b32
// CHECK-DAG: cvt.pack.sat.u8.s32.b32
// CHECK-DAG: cvt.rn.satfinite.e4m3x2.f32
// CHECK-DAG: cvt.rn.satfinite.e5m2x2.f32
// CHECK-DAG: cvt.rn.f16x2.e4m3x2
// CHECK-DAG: cvt.rn.f16x2.e5m2x2
// SM80-NOT: e4m3x2
// SM80: cvt.rn.bf16x2.f32
