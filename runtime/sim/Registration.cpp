//===- Registration.cpp - What compiled programs announce at start --------===//
//
// clang emits a constructor for each translation unit that hands over its fat binary and says which
// host address stands for which kernel and variable. Code is not loaded until something of it is
// used.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "Runtime.h"

#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

namespace {

/// As the compiler lays it out in section .hipFatBinSegment.
struct FatBinaryWrapper {
  uint32_t Magic; // "HIPF"
  uint32_t Version;
  const void *Binary;
  void *Unused;
};
constexpr uint32_t FatBinaryMagic = 0x48495046;

} // namespace

ihipModule_t *Runtime::registerFatBinary(const void *Image) {
  auto Module = std::make_unique<ihipModule_t>();
  Expected<ArrayRef<uint8_t>> Bytes = imageAt(Image);
  if (!Bytes) {
    complain(toString(Bytes.takeError()));
    Module->LoadError = hipErrorInvalidImage;
  } else {
    Module->Image = *Bytes;
  }
  ihipModule_t *Result = Module.get();
  Modules.push_back(std::move(Module));
  return Result;
}

void Runtime::unregisterFatBinary(ihipModule_t *) {
  // At exit, or when a shared library goes. Its kernels can no longer be named, and counters of
  // others remain to be written, so the module stays.
}

void Runtime::registerFunction(ihipModule_t *Module, const void *Host, StringRef Name) {
  Stubs[Host] = {Module, Name.str()};
}

void Runtime::registerVariable(ihipModule_t *Module, const void *Shadow, StringRef Name, size_t) {
  Shadows[Shadow] = {Module, Name.str()};
}

hipError_t Runtime::registerManaged(ihipModule_t *Module, void **Pointer, const void *Initial,
                                    StringRef Name, size_t Size) {
  // The host reads its pointer without asking, so the memory has to be there from the start.
  Expected<void *> Memory = memory().allocate(Size, sim::MemoryKind::Managed);
  if (!Memory) {
    complain(toString(Memory.takeError()));
    return hipErrorOutOfMemory;
  }
  if (Initial)
    std::memcpy(*Memory, Initial, Size);
  *Pointer = *Memory;
  Module->ManagedVariables[Name.str()] = {*Memory, Size};
  Shadows[Pointer] = {Module, Name.str()};
  return hipSuccess;
}

StringRef Runtime::nameOfStub(const void *Host) const {
  auto It = Stubs.find(Host);
  return It == Stubs.end() ? StringRef() : StringRef(It->second.Name);
}

hipError_t Runtime::findFunction(const void *Host, ihipModuleSymbol_t *&Result) {
  auto It = Stubs.find(Host);
  if (It == Stubs.end()) {
    // A hipFunction_t serves as well.
    for (auto &M : Modules)
      for (auto &[Name, F] : M->Functions)
        if (F.get() == Host) {
          Result = F.get();
          return hipSuccess;
        }
    return hipErrorInvalidDeviceFunction;
  }
  if (hipError_t E = load(*It->second.Module))
    return E;
  Result = function(*It->second.Module, It->second.Name);
  if (Result)
    return hipSuccess;
  complain("kernel " + It->second.Name + " is not in its code object");
  return hipErrorInvalidDeviceFunction;
}

hipError_t Runtime::findSymbol(const void *Symbol, void *&Address, size_t &Size) {
  auto It = Shadows.find(Symbol);
  if (It == Shadows.end())
    return hipErrorInvalidSymbol;
  ihipModule_t &Module = *It->second.Module;
  if (hipError_t E = load(Module))
    return E;
  auto Managed = Module.ManagedVariables.find(It->second.Name);
  if (Managed != Module.ManagedVariables.end()) {
    Address = Managed->second.Memory;
    Size = Managed->second.Size;
    return hipSuccess;
  }
  const sim::Variable *V = Module.Loaded->variable(It->second.Name);
  if (!V)
    return hipErrorInvalidSymbol;
  Address = reinterpret_cast<void *>(V->Address);
  Size = V->Size;
  return hipSuccess;
}

extern "C" {

void **__hipRegisterFatBinary(const void *Data) {
  ApiLock Lock;
  auto *Wrapper = static_cast<const FatBinaryWrapper *>(Data);
  if (!Wrapper || Wrapper->Magic != FatBinaryMagic || Wrapper->Version != 1) {
    complain("a fat binary of unknown form was registered");
    return nullptr;
  }
  return reinterpret_cast<void **>(Runtime::get().registerFatBinary(Wrapper->Binary));
}

void __hipUnregisterFatBinary(void **Handle) {
  ApiLock Lock;
  Runtime::get().unregisterFatBinary(reinterpret_cast<ihipModule_t *>(Handle));
}

void __hipRegisterFunction(void **Handle, const void *HostFunction, char *, const char *DeviceName,
                           unsigned, void *, void *, dim3 *, dim3 *, int *) {
  ApiLock Lock;
  if (Handle)
    Runtime::get().registerFunction(reinterpret_cast<ihipModule_t *>(Handle), HostFunction,
                                    DeviceName);
}

void __hipRegisterVar(void **Handle, void *Shadow, char *, char *DeviceName, int, size_t Size, int,
                      int) {
  ApiLock Lock;
  if (Handle)
    Runtime::get().registerVariable(reinterpret_cast<ihipModule_t *>(Handle), Shadow, DeviceName,
                                    Size);
}

void __hipRegisterManagedVar(void *Handle, void **Pointer, void *Initial, const char *Name,
                             size_t Size, unsigned) {
  ApiLock Lock;
  if (Handle)
    (void)done(Runtime::get().registerManaged(static_cast<ihipModule_t *>(Handle), Pointer, Initial,
                                              Name, Size));
}

void __hipRegisterSurface(void **, void *, char *, char *, int, int) {
  complain("surface references are not supported");
}

void __hipRegisterTexture(void **, void *, char *, char *, int, int, int) {
  complain("texture references are not supported");
}

} // extern "C"
