//===- Properties.cpp - The device, an MI300X unless told otherwise --------===//

#include "Runtime.h"

#include <cstring>

using namespace hk::hip;

static void fillProperties(hipDeviceProp_t &P) {
  std::memset(static_cast<void *>(&P), 0, sizeof P);
  const Chip &C = Runtime::get().chip();
  std::strcpy(P.name, C.Name);
  std::strcpy(P.gcnArchName, C.ArchName);
  std::strcpy(P.uuid.bytes, "hk-sim-");
  std::strcpy(P.uuid.bytes + 7, C.Processor);
  P.totalGlobalMem = Runtime::get().memory().capacity();
  P.sharedMemPerBlock = P.sharedMemPerBlockOptin = C.Lds;
  P.sharedMemPerMultiprocessor = P.maxSharedMemoryPerMultiProcessor = C.Lds;
  P.regsPerBlock = P.regsPerMultiprocessor = 65536;
  P.warpSize = 64;
  P.memPitch = INT32_MAX;
  P.maxThreadsPerBlock = 1024;
  for (int &N : P.maxThreadsDim)
    N = 1024;
  P.maxGridSize[0] = INT32_MAX;
  P.maxGridSize[1] = P.maxGridSize[2] = 65536;
  P.clockRate = C.ClockKHz;
  P.clockInstructionRate = 100000;
  P.totalConstMem = INT32_MAX;
  P.major = C.Major;
  P.minor = C.Minor;
  P.textureAlignment = P.texturePitchAlignment = P.surfaceAlignment = 256;
  P.deviceOverlap = 1;
  P.multiProcessorCount = C.Units;
  P.canMapHostMemory = 1;
  P.concurrentKernels = 1;
  P.ECCEnabled = 1;
  P.pciBusID = 1;
  P.asyncEngineCount = 8;
  P.unifiedAddressing = 1;
  P.memoryClockRate = C.MemoryClockKHz;
  P.memoryBusWidth = 8192;
  P.l2CacheSize = 4 << 20;
  P.maxThreadsPerMultiProcessor = 2048;
  P.maxBlocksPerMultiProcessor = 32;
  P.streamPrioritiesSupported = 1;
  P.globalL1CacheSupported = P.localL1CacheSupported = 1;
  P.managedMemory = P.concurrentManagedAccess = 1;
  P.hostNativeAtomicSupported = 1;
  P.singleToDoublePrecisionPerfRatio = 2;
  P.canUseHostPointerForRegisteredMem = 1;
  P.cooperativeLaunch = 1;
  P.hostRegisterSupported = 1;
  P.memoryPoolsSupported = 1;
  P.isLargeBar = 1;
  P.asicRevision = 1;

  hipDeviceArch_t &A = P.arch;
  A.hasGlobalInt32Atomics = A.hasGlobalFloatAtomicExch = A.hasSharedInt32Atomics = 1;
  A.hasSharedFloatAtomicExch = A.hasFloatAtomicAdd = A.hasGlobalInt64Atomics = 1;
  A.hasSharedInt64Atomics = A.hasDoubles = A.hasWarpVote = A.hasWarpBallot = A.hasWarpShuffle = 1;
  A.hasThreadFenceSystem = A.has3dGrid = 1;
}

/// -1 for one that is not known.
static int attributeOf(const hipDeviceProp_t &P, hipDeviceAttribute_t Attribute) {
  switch (Attribute) {
  case hipDeviceAttributeEccEnabled:
    return P.ECCEnabled;
  case hipDeviceAttributeAccessPolicyMaxWindowSize:
    return P.accessPolicyMaxWindowSize;
  case hipDeviceAttributeAsyncEngineCount:
    return P.asyncEngineCount;
  case hipDeviceAttributeCanMapHostMemory:
    return P.canMapHostMemory;
  case hipDeviceAttributeCanUseHostPointerForRegisteredMem:
    return P.canUseHostPointerForRegisteredMem;
  case hipDeviceAttributeClockRate:
    return P.clockRate;
  case hipDeviceAttributeComputeMode:
    return P.computeMode;
  case hipDeviceAttributeComputePreemptionSupported:
    return P.computePreemptionSupported;
  case hipDeviceAttributeConcurrentKernels:
    return P.concurrentKernels;
  case hipDeviceAttributeConcurrentManagedAccess:
    return P.concurrentManagedAccess;
  case hipDeviceAttributeCooperativeLaunch:
    return P.cooperativeLaunch;
  case hipDeviceAttributeDeviceOverlap:
    return P.deviceOverlap;
  case hipDeviceAttributeDirectManagedMemAccessFromHost:
    return P.directManagedMemAccessFromHost;
  case hipDeviceAttributeGlobalL1CacheSupported:
    return P.globalL1CacheSupported;
  case hipDeviceAttributeHostNativeAtomicSupported:
    return P.hostNativeAtomicSupported;
  case hipDeviceAttributeIntegrated:
    return P.integrated;
  case hipDeviceAttributeIsMultiGpuBoard:
    return P.isMultiGpuBoard;
  case hipDeviceAttributeKernelExecTimeout:
    return P.kernelExecTimeoutEnabled;
  case hipDeviceAttributeL2CacheSize:
    return P.l2CacheSize;
  case hipDeviceAttributeLocalL1CacheSupported:
    return P.localL1CacheSupported;
  case hipDeviceAttributeComputeCapabilityMajor:
    return P.major;
  case hipDeviceAttributeComputeCapabilityMinor:
    return P.minor;
  case hipDeviceAttributeManagedMemory:
    return P.managedMemory;
  case hipDeviceAttributeMaxBlocksPerMultiProcessor:
    return P.maxBlocksPerMultiProcessor;
  case hipDeviceAttributeMaxBlockDimX:
    return P.maxThreadsDim[0];
  case hipDeviceAttributeMaxBlockDimY:
    return P.maxThreadsDim[1];
  case hipDeviceAttributeMaxBlockDimZ:
    return P.maxThreadsDim[2];
  case hipDeviceAttributeMaxGridDimX:
    return P.maxGridSize[0];
  case hipDeviceAttributeMaxGridDimY:
    return P.maxGridSize[1];
  case hipDeviceAttributeMaxGridDimZ:
    return P.maxGridSize[2];
  case hipDeviceAttributeMaxThreadsPerBlock:
    return P.maxThreadsPerBlock;
  case hipDeviceAttributeMaxThreadsPerMultiProcessor:
    return P.maxThreadsPerMultiProcessor;
  case hipDeviceAttributeMaxPitch:
    return int(P.memPitch);
  case hipDeviceAttributeMemoryBusWidth:
    return P.memoryBusWidth;
  case hipDeviceAttributeMemoryClockRate:
    return P.memoryClockRate;
  case hipDeviceAttributeMultiprocessorCount:
  case hipDeviceAttributePhysicalMultiProcessorCount:
    return P.multiProcessorCount;
  case hipDeviceAttributePageableMemoryAccess:
    return P.pageableMemoryAccess;
  case hipDeviceAttributePageableMemoryAccessUsesHostPageTables:
    return P.pageableMemoryAccessUsesHostPageTables;
  case hipDeviceAttributePciBusId:
    return P.pciBusID;
  case hipDeviceAttributePciDeviceId:
    return P.pciDeviceID;
  case hipDeviceAttributePciDomainID:
    return P.pciDomainID;
  case hipDeviceAttributePersistingL2CacheMaxSize:
    return P.persistingL2CacheMaxSize;
  case hipDeviceAttributeMaxRegistersPerBlock:
    return P.regsPerBlock;
  case hipDeviceAttributeMaxRegistersPerMultiprocessor:
    return P.regsPerMultiprocessor;
  case hipDeviceAttributeReservedSharedMemPerBlock:
    return int(P.reservedSharedMemPerBlock);
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
    return int(P.sharedMemPerBlock);
  case hipDeviceAttributeSharedMemPerBlockOptin:
    return int(P.sharedMemPerBlockOptin);
  case hipDeviceAttributeSharedMemPerMultiprocessor:
  case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
    return int(P.sharedMemPerMultiprocessor);
  case hipDeviceAttributeSingleToDoublePrecisionPerfRatio:
    return P.singleToDoublePrecisionPerfRatio;
  case hipDeviceAttributeStreamPrioritiesSupported:
    return P.streamPrioritiesSupported;
  case hipDeviceAttributeSurfaceAlignment:
    return int(P.surfaceAlignment);
  case hipDeviceAttributeTccDriver:
    return P.tccDriver;
  case hipDeviceAttributeTextureAlignment:
    return int(P.textureAlignment);
  case hipDeviceAttributeTexturePitchAlignment:
    return int(P.texturePitchAlignment);
  case hipDeviceAttributeTotalConstantMemory:
    return int(P.totalConstMem);
  case hipDeviceAttributeUnifiedAddressing:
    return P.unifiedAddressing;
  case hipDeviceAttributeWarpSize:
    return P.warpSize;
  case hipDeviceAttributeMemoryPoolsSupported:
    return P.memoryPoolsSupported;
  case hipDeviceAttributeHostRegisterSupported:
    return P.hostRegisterSupported;
  case hipDeviceAttributeClockInstructionRate:
  case hipDeviceAttributeWallClockRate:
    return P.clockInstructionRate;
  case hipDeviceAttributeIsLargeBar:
    return P.isLargeBar;
  case hipDeviceAttributeAsicRevision:
    return P.asicRevision;
  case hipDeviceAttributeFineGrainSupport:
    return 1;
  // Textures, virtual memory and several devices are not there.
  case hipDeviceAttributeImageSupport:
  case hipDeviceAttributeVirtualMemoryManagementSupported:
  case hipDeviceAttributeCanUseStreamWaitValue:
  case hipDeviceAttributeCooperativeMultiDeviceLaunch:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedFunc:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedGridDim:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedBlockDim:
  case hipDeviceAttributeCooperativeMultiDeviceUnmatchedSharedMem:
  case hipDeviceAttributeMemoryPoolSupportedHandleTypes:
  case hipDeviceAttributeMultiGpuBoardGroupID:
  case hipDeviceAttributeMaxTexture1DWidth:
  case hipDeviceAttributeMaxTexture2DWidth:
  case hipDeviceAttributeMaxTexture2DHeight:
  case hipDeviceAttributeMaxTexture3DWidth:
  case hipDeviceAttributeMaxTexture3DHeight:
  case hipDeviceAttributeMaxTexture3DDepth:
    return 0;
  default:
    return -1;
  }
}

extern "C" {

hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *Properties, int Device) {
  if (!Properties)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  fillProperties(*Properties);
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *Value, hipDeviceAttribute_t Attribute, int Device) {
  if (!Value)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  hipDeviceProp_t P;
  fillProperties(P);
  int Result = attributeOf(P, Attribute);
  if (Result < 0)
    return done(hipErrorInvalidValue);
  *Value = Result;
  return hipSuccess;
}

hipError_t hipChooseDeviceR0600(int *Device, const hipDeviceProp_tR0600 *Properties) {
  if (!Device || !Properties)
    return done(hipErrorInvalidValue);
  *Device = 0;
  return hipSuccess;
}

hipError_t hipDeviceGetName(char *Name, int Length, hipDevice_t Device) {
  if (!Name || Length <= 0)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  hipDeviceProp_t P;
  fillProperties(P);
  std::strncpy(Name, P.name, size_t(Length) - 1);
  Name[Length - 1] = 0;
  return hipSuccess;
}

hipError_t hipDeviceGetUuid(hipUUID *Uuid, hipDevice_t Device) {
  if (!Uuid)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  hipDeviceProp_t P;
  fillProperties(P);
  *Uuid = P.uuid;
  return hipSuccess;
}

hipError_t hipDeviceTotalMem(size_t *Bytes, hipDevice_t Device) {
  if (!Bytes)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  *Bytes = Runtime::get().memory().capacity();
  return hipSuccess;
}

hipError_t hipDeviceComputeCapability(int *Major, int *Minor, hipDevice_t Device) {
  if (!Major || !Minor)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  *Major = Runtime::get().chip().Major;
  *Minor = Runtime::get().chip().Minor;
  return hipSuccess;
}

hipError_t hipDeviceGetPCIBusId(char *Id, int Length, int Device) {
  if (!Id || Length <= 0)
    return done(hipErrorInvalidValue);
  if (Device)
    return done(hipErrorInvalidDevice);
  std::strncpy(Id, "0000:01:00.0", size_t(Length) - 1);
  Id[Length - 1] = 0;
  return hipSuccess;
}

hipError_t hipDeviceGetByPCIBusId(int *Device, const char *Id) {
  if (!Device || !Id)
    return done(hipErrorInvalidValue);
  *Device = 0;
  return done(std::strcmp(Id, "0000:01:00.0") ? hipErrorInvalidDevice : hipSuccess);
}

} // extern "C"
