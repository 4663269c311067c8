//===- Devices.cpp - Devices, contexts, limits, versions ------------------===//
//
// There is one device, 0, and one context on it.
//
//===----------------------------------------------------------------------===//

#include "Runtime.h"

#include <dlfcn.h>

#include <cstdlib>

using namespace hk::hip;

struct ihipCtx_t {
  unsigned Flags = 0;
};

static ihipCtx_t *primaryContext() {
  static ihipCtx_t Context;
  return &Context;
}

static hipError_t checkDevice(int Device) { return Device ? hipErrorInvalidDevice : hipSuccess; }

static size_t &limitOf(hipLimit_t Limit) {
  static size_t Limits[hipLimitRange + 1] = {1024, size_t(1) << 20, size_t(8) << 20};
  return Limits[Limit];
}

extern "C" {

hipError_t hipInit(unsigned Flags) {
  Runtime::get();
  return done(Flags ? hipErrorInvalidValue : hipSuccess);
}
hipError_t hipGetDeviceCount(int *Count) {
  if (!Count)
    return done(hipErrorInvalidValue);
  *Count = 1;
  return hipSuccess;
}
hipError_t hipGetDevice(int *Device) {
  if (!Device)
    return done(hipErrorInvalidValue);
  *Device = 0;
  return hipSuccess;
}
hipError_t hipSetDevice(int Device) { return done(checkDevice(Device)); }
hipError_t hipSetValidDevices(int *Devices, int Count) {
  if (Count < 0 || Count > 1 || (Count && (!Devices || *Devices)))
    return done(Count == 1 && Devices ? hipErrorInvalidDevice : hipErrorInvalidValue);
  return hipSuccess;
}
hipError_t hipDeviceGet(hipDevice_t *Device, int Ordinal) {
  if (!Device)
    return done(hipErrorInvalidValue);
  *Device = 0;
  return done(checkDevice(Ordinal));
}
hipError_t hipDeviceSynchronize() { return doneWaiting(hipSuccess); }
hipError_t hipDeviceReset() {
  ApiLock Lock;
  Runtime::get().resetDevice();
  return hipSuccess;
}
hipError_t hipSetDeviceFlags(unsigned Flags) {
  primaryContext()->Flags = Flags;
  return hipSuccess;
}
hipError_t hipGetDeviceFlags(unsigned *Flags) {
  if (!Flags)
    return done(hipErrorInvalidValue);
  *Flags = primaryContext()->Flags;
  return hipSuccess;
}

hipError_t hipDeviceGetLimit(size_t *Value, hipLimit_t Limit) {
  if (!Value)
    return done(hipErrorInvalidValue);
  if (unsigned(Limit) > hipLimitMallocHeapSize)
    return done(hipErrorUnsupportedLimit);
  *Value = limitOf(Limit);
  return hipSuccess;
}
hipError_t hipDeviceSetLimit(hipLimit_t Limit, size_t Value) {
  if (unsigned(Limit) > hipLimitMallocHeapSize)
    return done(hipErrorUnsupportedLimit);
  limitOf(Limit) = Value;
  return hipSuccess;
}
// Hints; the chip has neither choice.
hipError_t hipDeviceSetCacheConfig(hipFuncCache_t) { return hipSuccess; }
hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *Config) {
  if (!Config)
    return done(hipErrorInvalidValue);
  *Config = hipFuncCachePreferNone;
  return hipSuccess;
}
hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig) { return hipSuccess; }
hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *Config) {
  if (!Config)
    return done(hipErrorInvalidValue);
  *Config = hipSharedMemBankSizeFourByte;
  return hipSuccess;
}
hipError_t hipDeviceGetStreamPriorityRange(int *Least, int *Greatest) {
  if (Least)
    *Least = 1;
  if (Greatest)
    *Greatest = -1;
  return hipSuccess;
}

hipError_t hipDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  if (!Can)
    return done(hipErrorInvalidValue);
  *Can = 0;
  return done(Device || Peer ? hipErrorInvalidDevice : hipSuccess);
}
hipError_t hipDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  return done(Flags ? hipErrorInvalidValue : (void(Peer), hipErrorInvalidDevice));
}
hipError_t hipDeviceDisablePeerAccess(int) { return done(hipErrorInvalidDevice); }
hipError_t hipDeviceGetP2PAttribute(int *Value, hipDeviceP2PAttr, int, int) {
  return done(Value ? hipErrorInvalidDevice : hipErrorInvalidValue);
}

hipError_t hipRuntimeGetVersion(int *Version) {
  if (!Version)
    return done(hipErrorInvalidValue);
  *Version = HIP_VERSION;
  return hipSuccess;
}
hipError_t hipDriverGetVersion(int *Version) { return hipRuntimeGetVersion(Version); }

hipError_t hipProfilerStart() { return hipSuccess; }
hipError_t hipProfilerStop() { return hipSuccess; }

hipError_t hipGetProcAddress(const char *Symbol, void **Function, int, uint64_t,
                             hipDriverProcAddressQueryResult *Status) {
  if (!Symbol || !Function)
    return done(hipErrorInvalidValue);
  *Function = dlsym(RTLD_DEFAULT, Symbol);
  if (Status)
    *Status = *Function ? HIP_GET_PROC_ADDRESS_SUCCESS : HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return done(*Function ? hipSuccess : hipErrorInvalidValue);
}

// Contexts.

hipError_t hipCtxCreate(hipCtx_t *Context, unsigned, hipDevice_t Device) {
  if (!Context)
    return done(hipErrorInvalidValue);
  *Context = primaryContext();
  return done(checkDevice(Device));
}
hipError_t hipCtxDestroy(hipCtx_t Context) {
  return done(Context ? hipSuccess : hipErrorInvalidValue);
}
hipError_t hipCtxPushCurrent(hipCtx_t Context) {
  return done(Context ? hipSuccess : hipErrorInvalidContext);
}
hipError_t hipCtxPopCurrent(hipCtx_t *Context) {
  if (Context)
    *Context = primaryContext();
  return hipSuccess;
}
hipError_t hipCtxSetCurrent(hipCtx_t) { return hipSuccess; }
hipError_t hipCtxGetCurrent(hipCtx_t *Context) {
  if (!Context)
    return done(hipErrorInvalidValue);
  *Context = primaryContext();
  return hipSuccess;
}
hipError_t hipCtxGetDevice(hipDevice_t *Device) { return hipGetDevice(Device); }
hipError_t hipCtxGetFlags(unsigned *Flags) { return hipGetDeviceFlags(Flags); }
hipError_t hipCtxSynchronize() { return hipDeviceSynchronize(); }
hipError_t hipCtxGetApiVersion(hipCtx_t, int *Version) { return hipRuntimeGetVersion(Version); }
hipError_t hipDevicePrimaryCtxRetain(hipCtx_t *Context, hipDevice_t Device) {
  return hipCtxCreate(Context, 0, Device);
}
hipError_t hipDevicePrimaryCtxRelease(hipDevice_t Device) { return done(checkDevice(Device)); }
hipError_t hipDevicePrimaryCtxReset(hipDevice_t Device) {
  if (Device)
    return done(hipErrorInvalidDevice);
  return hipDeviceReset();
}
hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t Device, unsigned Flags) {
  if (Device)
    return done(hipErrorInvalidDevice);
  return hipSetDeviceFlags(Flags);
}
hipError_t hipDevicePrimaryCtxGetState(hipDevice_t Device, unsigned *Flags, int *Active) {
  if (!Flags || !Active)
    return done(hipErrorInvalidValue);
  *Flags = primaryContext()->Flags;
  *Active = 1;
  return done(checkDevice(Device));
}

} // extern "C"
