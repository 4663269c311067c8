// A HIP library without a GPU. A launch leaves a sum over the code object in every buffer, so that two versions of a
// kernel differ, and with FAKE_ERROR it fails.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>

static std::map<void *, size_t> Memory;
static uint8_t Sum;

extern "C" {
int hipInit(unsigned) { return 0; }
int hipGetDeviceCount(int *N) { return *N = 1, 0; }
int hipDeviceGetName(char *To, int Size, int) { return std::strncpy(To, "Fake", size_t(Size)), 0; }
const char *hipGetErrorString(int) { return "unspecified launch failure"; }
int hipMalloc(void **To, size_t Size) {
  *To = std::calloc(1, Size);
  Memory[*To] = Size;
  return 0;
}
int hipFree(void *At) {
  Memory.erase(At);
  std::free(At);
  return 0;
}
int hipMemcpy(void *To, const void *From, size_t Size, int) { return std::memcpy(To, From, Size), 0; }
int hipModuleLoadData(void **Module, const void *Image) {
  // e_shoff of the ELF header: where the file nearly ends.
  uint64_t End;
  std::memcpy(&End, static_cast<const char *>(Image) + 40, 8);
  Sum = 0;
  for (uint64_t I = 0; I != End; ++I)
    Sum = uint8_t(Sum * 31 + static_cast<const uint8_t *>(Image)[I]);
  *Module = &Sum;
  return 0;
}
int hipModuleUnload(void *) { return 0; }
int hipModuleGetFunction(void **Function, void *Module, const char *) { return *Function = Module, 0; }
int hipModuleGetGlobal(void **, size_t *, void *, const char *) { return 1; }
int hipModuleLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                          void **) {
  if (std::getenv("FAKE_ERROR"))
    return 719;
  for (auto &[At, Size] : Memory)
    std::memset(At, Sum, Size);
  return 0;
}
int hipModuleLaunchCooperativeKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *,
                                     void **) {
  return 1;
}
int hipDeviceSynchronize() { return 0; }
}
