// Flags that say what to produce make no difference; those that say how the source reads do.
// RUN: rm -rf %t && mkdir %t && cd %t
// RUN: hk-parse-dump %s -- %hip-flags -DVALUE=3 > plain.txt
// RUN: hk-parse-dump %s -- %hip-flags -DVALUE=3 -O3 -g3 -ggdb -gdwarf-4 -gno-column-info -c -o out.o -MD -MF out.d -MT x \
// RUN:   -save-temps -v --offload-arch=gfx90a --offload-arch=gfx1030 --cuda-gpu-arch=gfx906 --amdgpu-target=gfx900 \
// RUN:   -Wall -Werror -Rpass=inline -fsanitize=address -flto -shared -lfoo -L/nowhere -Wl,-rpath,/x -fPIC --hip-link \
// RUN:   -ftime-trace -fcolor-diagnostics --save-temps=obj -fdebug-prefix-map=/=/x -S -emit-llvm -E -w -pipe \
// RUN:   --offload-device-only -fplugin=none.so -Xclang -load -Xclang none.so -Xclang -ast-dump other.cpp > full.txt
// RUN: diff plain.txt full.txt
// RUN: FileCheck %s --input-file=plain.txt
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// RUN: hk-parse-dump %s -- %hip-flags -Ofast -DVALUE=3 -fno-exceptions -std=c++20 -ffast-math -UOTHER -include cmath | FileCheck %s --check-prefix=FAST
// FILES: full.txt
// FILES-NEXT: plain.txt
// FILES-NOT: {{.}}
#include <hip/hip_runtime.h>
// CHECK: kernel {{.*}} bounds 3
// FAST: kernel {{.*}} bounds 5
#ifdef __FAST_MATH__
__global__ void __launch_bounds__(5) k() {}
#else
__global__ void __launch_bounds__(VALUE) k() {}
#endif
