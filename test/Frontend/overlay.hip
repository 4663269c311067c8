// Contents that are not on disk yet can be parsed and checked.
// RUN: hk-parse-dump --check %s -- %hip-flags | FileCheck %s --check-prefix=GOOD
// RUN: not hk-parse-dump --check --overlay=%s=%S/Inputs/overlay-bad.hip %s -- %hip-flags 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not hk-parse-dump --check --overlay=%S/Inputs/shared.cuh=%S/Inputs/overlay-bad.hip %s -- %hip-flags 2>&1 | FileCheck %s --check-prefix=HEADER
// RUN: hk-parse-dump --places --overlay=%s=%S/Inputs/overlay-good.hip %s -- %hip-flags | FileCheck %s --check-prefix=NEW
// GOOD: {{^}}compiles
// BAD: overlay.hip:2:38: error: use of undeclared identifier 'q'
// BAD: does not compile
// HEADER: shared.cuh:2:38: error: use of undeclared identifier 'q'
// NEW: kernel _Z7renamedPi 'renamed' at overlay.hip:2:17
// NEW: matched 1
#include <hip/hip_runtime.h>
#define FACTOR 2
#include "Inputs/shared.cuh"
__global__ void k(int *p) { *p = 1; }
