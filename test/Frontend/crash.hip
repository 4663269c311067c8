// A crash of clang is caught: both sides are named, and nothing is left half done.
// RUN: not hk-parse-dump %s -- %hip-flags 2>&1 | FileCheck %s
// RUN: not hk-parse-dump --check %s -- %hip-flags 2>&1 | FileCheck %s
// RUN: not hk-parse-dump %s -- %hip-flags -DHOST 2>&1 | FileCheck %s --check-prefix=HOST
// CHECK: hk-opt: error: clang crashed on the device side of '{{.*}}crash.hip'
// CHECK-NEXT: hk-opt: error: clang crashed on the host side of '{{.*}}crash.hip'
// CHECK-NEXT: {{failed|does not compile}}
// HOST-NOT: device
// HOST: hk-opt: error: clang crashed on the host side of '{{.*}}crash.hip'
// HOST-NEXT: failed
#if !defined(HOST) || !defined(__HIP_DEVICE_COMPILE__)
#pragma clang __debug parser_crash
#endif
