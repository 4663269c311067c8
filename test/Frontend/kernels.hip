// RUN: hk-parse-dump %s -- %hip-flags | FileCheck %s
// RUN: hk-parse-dump %s -- %hip-flags -fgpu-rdc | FileCheck %s --check-prefix=RDC

#include <hip/hip_runtime.h>

// What is not emitted is no kernel: declarations, templates nobody uses, device functions.
// CHECK-LABEL: file kernels.hip
// CHECK-NOT: declared
// CHECK-NOT: unused
// CHECK-NOT: helper
__global__ void declared(int *p);
template <class T> __global__ void unused(T *p) { *p = 0; }
__device__ void helper(int *p) { *p = 0; }

// CHECK: kernel _Z4freePKfPfi 'free' at kernels.hip:[[#@LINE+5]]:17 body [[#@LINE+5]]:75..[[#@LINE+7]]{{$}}
// CHECK-NEXT: param in: const float *__restrict pointer restrict pointee-const
// CHECK-NEXT: param out: float * pointer{{$}}
// CHECK-NEXT: param -: int{{$}}

__global__ void free(const float *__restrict__ in, float *out, int /*n*/) {
  *out = *in;
}

// CHECK: kernel _Z6tunedTILi4EfEvPT0_ 'tunedT<4, float>' at kernels.hip:[[#@LINE+2]]:{{.*}} bounds 256 instantiation{{$}}
// CHECK: kernel _Z6tunedTILi8EiEvPT0_ 'tunedT<8, int>' at kernels.hip:[[#@LINE+1]]:{{.*}} bounds 512 instantiation{{$}}
template <int N, class T> __global__ void __launch_bounds__(N * 64) tunedT(T *p) { *p = N; }
template __global__ void tunedT<4, float>(float *);

// CHECK: kernel _Z6tunedTILi16EiEvPT0_ 'tunedT<16, int>' at kernels.hip:[[#@LINE+1]]:{{.*}} bounds 32{{$}}
template <> __global__ void __launch_bounds__(32) tunedT<16, int>(int *p) { *p = 0; }

// CHECK: kernel plain 'plain' at
extern "C" __global__ void plain(int *p) { *p = 1; }

// CHECK: kernel _ZL6hiddenPi 'hidden' at {{.*}} internal{{$}}
// RDC: kernel _ZL6hiddenPi.{{static|intern}}.{{[0-9a-f]+}} 'hidden' at {{.*}} internal{{$}}
static __global__ void hidden(int *p) { *p = 2; }
namespace {
// CHECK: kernel _ZN12_GLOBAL__N_17unnamedEPi 'unnamed' at {{.*}} internal{{$}}
// RDC: kernel _ZN12_GLOBAL__N_17unnamedEPi.{{static|intern}}.{{[0-9a-f]+}} 'unnamed' at
__global__ void unnamed(int *p) { *p = 3; }
struct Local {};
} // namespace
namespace ns {
inline namespace v1 {
// CHECK: kernel _ZN2ns2v16scopedEPi 'ns::scoped' at
__global__ void scoped(int *p) { *p = 4; }
} // namespace v1
template <class T> struct Holder {
  // CHECK: kernel _ZN2ns6HolderIiE6memberEPi 'ns::Holder<int>::member' at {{.*}} instantiation{{$}}
  static __global__ void member(T *p) { *p = 5; }
};
struct Plain {
  // CHECK: kernel _ZN2ns5Plain4bothIdEEvPT_ 'ns::Plain::both<double>' at {{.*}} instantiation{{$}}
  template <class T> static __global__ void both(T *p) { *p = 6; }
};
} // namespace ns
template struct ns::Holder<int>;

// A type that only this file can name makes the instantiation internal.
// CHECK: kernel {{.*}} 'typed<Local>' at {{.*}} instantiation internal{{$}}
template <class T> __global__ void typed(T *, int *p) { *p = 7; }

// The definition counts, not the declaration.
// CHECK: kernel _Z5laterIiEvPT_ 'later<int>' at kernels.hip:[[#@LINE+3]]:36 body [[#@LINE+3]]:48..[[#@LINE+3]]:58 instantiation{{$}}
template <class T> __global__ void later(T *p);
inline void early(int *p) { later<<<1, 1>>>(p); }
template <class T> __global__ void later(T *p) { *p = 8; }

// A body that a macro makes is spelled nowhere.
// CHECK: kernel _Z4madePi 'made' at kernels.hip:[[#@LINE+2]]:{{[0-9]+}} body none
#define MAKE(name) __global__ void name(int *p) { *p = 9; }
MAKE(made)

// CHECK: kernel _Z11conditionalPi 'conditional' at {{.*}} conditionals{{$}}
__global__ void conditional(int *p) {
#ifdef SOMETHING
  *p = 10;
#endif
}
#ifndef OTHER
// CHECK: kernel _Z7wrappedPi 'wrapped' at {{[^ ]+}} body {{[^ ]+}}{{$}}
__global__ void wrapped(int *p) { *p = 11; }
#endif

inline void use(int *p) {
  tunedT<8><<<1, 1>>>(p);
  ns::Plain::both<<<1, 1>>>((double *)p);
  typed<<<1, 1>>>((Local *)nullptr, p);
  early(p);
}
