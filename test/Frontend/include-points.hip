// RUN: hk-parse-dump %s -- %hip-flags -I%S/Inputs/points | FileCheck %s --match-full-lines --implicit-check-not=include-point
#include <hip/hip_runtime.h> // the runtime
#include "guarded.h"
#include "once.h"
#include "opening.h"
#include "attached.h"
#include "bare.h"
#include "conditional.h"
#include "host_only.h"
#ifdef SOMETHING
#include "missing.h"
#endif
#ifndef SOMETHING
#include <vector>
#endif
namespace ns {
#include "nested.inc"
}
extern "C" {
#include "outer.inc"
}
#define NAME first
#include "twice.inc"
#undef NAME
#define NAME second
namespace ns {
#include "twice.inc"
}
__global__ void k() {}

// CHECK: file include-points.hip
// CHECK-NEXT: kernel {{.*}}
// CHECK-NEXT: include-point include-points.hip:10 includes hip/hip_runtime.h guarded.h once.h opening.h attached.h bare.h conditional.h host_only.h nested.inc outer.inc twice.inc twice.inc
// CHECK-NEXT: include-point attached.h:2 includes
// CHECK-NEXT: include-point bare.h:1 includes
// CHECK-NEXT: include-point conditional.h:14 includes cstddef cmath cfloat cstring
// CHECK-NEXT: include-point deeper.inc:1 nested includes
// CHECK-NEXT: include-point guarded.h:4 includes
// CHECK-NEXT: include-point nested.inc:1 nested includes
// CHECK-NEXT: include-point once.h:4 includes climits
// CHECK-NEXT: include-point opening.h:3 includes
// CHECK-NEXT: include-point twice.inc:1 nested includes
