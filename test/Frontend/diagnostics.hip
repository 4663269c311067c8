// Errors look like clang's. What both sides say is printed once, what one says is printed too, warnings are not.
// RUN: not hk-parse-dump %s -- %hip-flags -Wall -Werror 2>%t.err | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --match-full-lines --input-file=%t.err
// RUN: not hk-parse-dump --check %s -- %hip-flags -Wall -Werror 2>%t.check
// RUN: diff %t.err %t.check
// OUT: failed
#include <hip/hip_runtime.h>
// CHECK: {{.*}}diagnostics.hip:[[#@LINE+4]]:5: error: use of undeclared identifier 'nowhere'
// CHECK-NEXT: {{ *[0-9]+}} |     nowhere = 1;
// CHECK-NEXT: {{ *}}|     ^~~~~~~
__global__ void both(int *p) {
    nowhere = 1;
}
void unused_variable() { int unused; }
#ifdef __HIP_DEVICE_COMPILE__
// CHECK-NEXT: {{.*}}diagnostics.hip:[[#@LINE+3]]:12: error: redefinition of 'only_device'{{.*}}
// CHECK: {{.*}}diagnostics.hip:[[#@LINE+1]]:5: note: previous definition is here
int only_device;
int *const only_device = 0;
#else
// CHECK: {{.*}}diagnostics.hip:[[#@LINE+1]]:2: error: on the host
#error on the host
#endif
// CHECK-NOT: {{.*}}undeclared{{.*}}
