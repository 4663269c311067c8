//===- Modules.cpp - hipModule*: code objects, kernels and variables ------===//

#include "Bundle.h"
#include "Runtime.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

hipError_t Runtime::load(ihipModule_t &Module) {
  if (Module.Loaded || Module.LoadError != hipSuccess)
    return Module.LoadError;
  Expected<std::vector<uint8_t>> Code = sim::extractCodeObject(Module.Image, chip().Processor);
  if (!Code) {
    complain(toString(Code.takeError()));
    return Module.LoadError = hipErrorNoBinaryForGpu;
  }
  Expected<std::unique_ptr<sim::Module>> Loaded = Device->loadModule(*Code);
  if (!Loaded) {
    complain(toString(Loaded.takeError()));
    return Module.LoadError = hipErrorInvalidImage;
  }
  Module.Loaded = std::move(*Loaded);
  // Device code finds a managed variable through a pointer of the same name.
  for (auto &[Name, Managed] : Module.ManagedVariables)
    if (const sim::Variable *V = Module.Loaded->variable(Name)) {
      std::memcpy(reinterpret_cast<void *>(V->Address), &Managed.Memory, sizeof(void *));
      memory().markWritten(V->Address, sizeof(void *));
    }
  return hipSuccess;
}

void Runtime::addModule(std::unique_ptr<ihipModule_t> Module) {
  Modules.push_back(std::move(Module));
}

bool Runtime::isModule(const ihipModule_t *Module) const {
  for (auto &M : Modules)
    if (M.get() == Module)
      return true;
  return false;
}

hipError_t Runtime::removeModule(ihipModule_t *Module) {
  for (auto It = Modules.begin(); It != Modules.end(); ++It)
    if (It->get() == Module) {
      Modules.erase(It);
      return hipSuccess;
    }
  return hipErrorInvalidResourceHandle;
}

ihipModuleSymbol_t *Runtime::function(ihipModule_t &Module, StringRef Name) {
  auto It = Module.Functions.find(Name.str());
  if (It != Module.Functions.end())
    return It->second.get();
  const sim::Kernel *K = Module.Loaded->kernel(Name);
  if (!K)
    return nullptr;
  auto F = std::make_unique<ihipModuleSymbol_t>();
  F->Module = &Module;
  F->Kernel = K;
  return (Module.Functions[Name.str()] = std::move(F)).get();
}

static hipError_t loadData(hipModule_t *Result, std::unique_ptr<ihipModule_t> Module) {
  Runtime &R = Runtime::get();
  if (hipError_t E = R.load(*Module))
    return E;
  *Result = Module.get();
  R.addModule(std::move(Module));
  return hipSuccess;
}

extern "C" {

hipError_t hipModuleLoad(hipModule_t *Module, const char *Name) {
  ApiLock Lock;
  if (!Module || !Name)
    return done(hipErrorInvalidValue);
  auto Buffer = MemoryBuffer::getFile(Name, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return done(hipErrorFileNotFound);
  auto M = std::make_unique<ihipModule_t>();
  StringRef Text = (*Buffer)->getBuffer();
  M->Bytes.assign(Text.bytes_begin(), Text.bytes_end());
  M->Image = M->Bytes;
  return done(loadData(Module, std::move(M)));
}

hipError_t hipModuleLoadData(hipModule_t *Module, const void *Image) {
  ApiLock Lock;
  if (!Module || !Image)
    return done(hipErrorInvalidValue);
  Expected<ArrayRef<uint8_t>> Bytes = imageAt(Image);
  if (!Bytes) {
    complain(toString(Bytes.takeError()));
    return done(hipErrorInvalidImage);
  }
  auto M = std::make_unique<ihipModule_t>();
  // The caller may free its copy.
  M->Bytes.assign(Bytes->begin(), Bytes->end());
  M->Image = M->Bytes;
  return done(loadData(Module, std::move(M)));
}

hipError_t hipModuleLoadDataEx(hipModule_t *Module, const void *Image, unsigned, hipJitOption *,
                               void **) {
  return hipModuleLoadData(Module, Image);
}

hipError_t hipModuleUnload(hipModule_t Module) {
  ApiLock Lock;
  return done(Runtime::get().removeModule(Module));
}

hipError_t hipModuleGetFunction(hipFunction_t *Function, hipModule_t Module, const char *Name) {
  ApiLock Lock;
  if (!Function || !Name)
    return done(hipErrorInvalidValue);
  if (!Runtime::get().isModule(Module))
    return done(hipErrorInvalidResourceHandle);
  *Function = Runtime::get().function(*Module, Name);
  return done(*Function ? hipSuccess : hipErrorNotFound);
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *Address, size_t *Bytes, hipModule_t Module,
                              const char *Name) {
  ApiLock Lock;
  if (!Name || (!Address && !Bytes))
    return done(hipErrorInvalidValue);
  if (!Runtime::get().isModule(Module))
    return done(hipErrorInvalidResourceHandle);
  const sim::Variable *V = Module->Loaded->variable(Name);
  if (!V)
    return done(hipErrorNotFound);
  if (Address)
    *Address = reinterpret_cast<hipDeviceptr_t>(V->Address);
  if (Bytes)
    *Bytes = V->Size;
  return hipSuccess;
}

hipError_t hipGetFuncBySymbol(hipFunction_t *Function, const void *Symbol) {
  ApiLock Lock;
  if (!Function || !Symbol)
    return done(hipErrorInvalidValue);
  ihipModuleSymbol_t *F = nullptr;
  hipError_t E = Runtime::get().findFunction(Symbol, F);
  *Function = F;
  return done(E);
}

hipError_t hipGetSymbolAddress(void **Address, const void *Symbol) {
  ApiLock Lock;
  size_t Size;
  if (!Address)
    return done(hipErrorInvalidValue);
  return done(Runtime::get().findSymbol(Symbol, *Address, Size));
}

hipError_t hipGetSymbolSize(size_t *Size, const void *Symbol) {
  ApiLock Lock;
  void *Address;
  if (!Size)
    return done(hipErrorInvalidValue);
  return done(Runtime::get().findSymbol(Symbol, Address, *Size));
}

const char *hipKernelNameRef(const hipFunction_t Function) {
  return Function ? Function->Kernel->Name.c_str() : nullptr;
}

const char *hipKernelNameRefByPtr(const void *HostFunction, hipStream_t) {
  ApiLock Lock;
  StringRef Name = Runtime::get().nameOfStub(HostFunction);
  return Name.empty() ? nullptr : Name.data();
}

} // extern "C"
