// Compilation at run time: headers, options, templates by their expression, what the compiler says.
// RUN: %hip-sim-build %s -lhiprtc -o %t
// RUN: hk-sim %t | FileCheck %s
#include <hip/hip_runtime.h>
#include <hip/hiprtc.h>

#include <cstdio>
#include <string>
#include <vector>

static const char Source[] = R"(
#include "factor.h"
__device__ int offset = 7;
template <typename T> __global__ void scale(T *x) { x[threadIdx.x] = x[threadIdx.x] * T(FACTOR) + T(ADD + offset); }
namespace inner { __global__ void clear(int *x) { x[threadIdx.x] = 0; } }
)";

int main() {
  const char *text = "#define FACTOR 3\n", *name = "factor.h";
  hiprtcProgram program;
  std::printf("create %d\n", hiprtcCreateProgram(&program, Source, "kernels", 1, &text, &name));
  std::printf("add %d\n", hiprtcAddNameExpression(program, "scale<int>") | hiprtcAddNameExpression(program, "&inner::clear") |
                              hiprtcAddNameExpression(program, "offset"));
  const char *lowered = nullptr;
  std::printf("early %s\n", hiprtcGetErrorString(hiprtcGetLoweredName(program, "scale<int>", &lowered)));
  const char *options[] = {"-DADD=1", "--gpu-architecture=gfx942", "--std=c++17"};
  std::printf("compile %d\n", hiprtcCompileProgram(program, 3, options));
  size_t size = 0;
  hiprtcGetCodeSize(program, &size);
  std::vector<char> code(size);
  hiprtcGetCode(program, code.data());

  hipModule_t module;
  hipFunction_t scale, clear;
  std::printf("load %d\n", hipModuleLoadData(&module, code.data()));
  std::printf("name %d %d\n", hiprtcGetLoweredName(program, "scale<int>", &lowered), hipModuleGetFunction(&scale, module, lowered));
  std::printf("name %d %d\n", hiprtcGetLoweredName(program, "&inner::clear", &lowered), hipModuleGetFunction(&clear, module, lowered));
  hipDeviceptr_t offset;
  size_t bytes;
  std::printf("name %d %d %s\n", hiprtcGetLoweredName(program, "offset", &lowered),
              hipModuleGetGlobal(&offset, &bytes, module, lowered), lowered);
  std::printf("other %s\n", hiprtcGetErrorString(hiprtcGetLoweredName(program, "scale<float>", &lowered)));
  std::printf("late %s\n", hiprtcGetErrorString(hiprtcAddNameExpression(program, "scale<float>")));
  std::printf("destroy %d\n", hiprtcDestroyProgram(&program));

  int *x, host[64];
  (void)hipMalloc(&x, sizeof host);
  void *arguments[] = {&x};
  (void)hipModuleLaunchKernel(clear, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  for (int i = 0; i < 2; ++i)
    (void)hipModuleLaunchKernel(scale, 1, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr);
  (void)hipMemcpy(host, x, sizeof host, hipMemcpyDeviceToHost);
  std::printf("result %d %d\n", host[0], host[63]);

  hiprtcCreateProgram(&program, "__global__ void bad() { undeclared(); }", nullptr, 0, nullptr, nullptr);
  std::printf("bad %s\n", hiprtcGetErrorString(hiprtcCompileProgram(program, 0, nullptr)));
  hiprtcGetProgramLogSize(program, &size);
  std::string log(size, ' ');
  hiprtcGetProgramLog(program, log.data());
  std::printf("%s\n", log.substr(0, log.find('\n')).c_str());
  hiprtcDestroyProgram(&program);
  const char *outside = "../x.h";
  std::printf("outside %s\n", hiprtcGetErrorString(hiprtcCreateProgram(&program, "", nullptr, 1, &text, &outside)));
}

// CHECK: create 0
// CHECK: add 0
// CHECK: early HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION
// CHECK: compile 0
// CHECK: load 0
// CHECK: name 0 0
// CHECK: name 0 0
// CHECK: name 0 0 offset
// CHECK: other HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID
// CHECK: late HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION
// CHECK: destroy 0
// CHECK: result 32 32
// CHECK: bad HIPRTC_ERROR_COMPILATION
// CHECK: program.hip:1:25: error: use of undeclared identifier 'undeclared'
// CHECK: outside HIPRTC_ERROR_INVALID_INPUT
