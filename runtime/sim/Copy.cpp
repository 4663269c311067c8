//===- Copy.cpp - memcpy and memset in all their forms --------------------===//

#include "Streams.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

// For the model's time: what the link to the host moves a second.
static constexpr double HostBandwidth = 55e9;

/// How many bytes a box with these strides spans.
static size_t spanOf(size_t Width, size_t Height, size_t Depth, size_t Pitch, size_t Slice) {
  return Width && Height && Depth ? (Depth - 1) * Slice + (Height - 1) * Pitch + Width : 0;
}

/// Memory of an allocation has to be there in full; of other memory nothing is known.
static hipError_t checkRange(const void *Pointer, size_t Bytes) {
  if (!Pointer)
    return hipErrorInvalidValue;
  uint64_t Address = reinterpret_cast<uint64_t>(Pointer);
  const sim::Allocation *A = Runtime::get().memory().lookup(Address);
  if (!A)
    return hipSuccess;
  if (A->Freed) {
    complain("a copy or fill uses freed memory");
    return hipErrorInvalidValue;
  }
  return A->contains(Address, Bytes) ? hipSuccess : hipErrorInvalidValue;
}

static bool onDevice(const void *Pointer) {
  const sim::Allocation *A = Runtime::get().memory().lookup(reinterpret_cast<uint64_t>(Pointer));
  return A && A->Kind != sim::MemoryKind::Host;
}

hipError_t hk::hip::checkCopy(const CopyOp &Op) {
  if (Op.Kind > hipMemcpyDefault && Op.Kind != hipMemcpyDeviceToDeviceNoCU)
    return hipErrorInvalidMemcpyDirection;
  if (!Op.Width || !Op.Height || !Op.Depth)
    return hipSuccess;
  if ((Op.Height > 1 || Op.Depth > 1) && (Op.DstPitch < Op.Width || Op.SrcPitch < Op.Width))
    return hipErrorInvalidPitchValue;
  if (hipError_t E =
          checkRange(Op.Dst, spanOf(Op.Width, Op.Height, Op.Depth, Op.DstPitch, Op.DstSlice)))
    return E;
  return checkRange(Op.Src, spanOf(Op.Width, Op.Height, Op.Depth, Op.SrcPitch, Op.SrcSlice));
}

hipError_t hk::hip::executeCopy(const CopyOp &Op) {
  Runtime &R = Runtime::get();
  if (R.fault() != hipSuccess)
    return R.fault();
  if (hipError_t E = checkCopy(Op))
    return E;
  auto *Dst = static_cast<char *>(Op.Dst);
  auto *Src = static_cast<const char *>(Op.Src);
  for (size_t Z = 0; Z != Op.Depth; ++Z)
    for (size_t Y = 0; Y != Op.Height; ++Y) {
      char *To = Dst + Z * Op.DstSlice + Y * Op.DstPitch;
      std::memmove(To, Src + Z * Op.SrcSlice + Y * Op.SrcPitch, Op.Width);
      R.memory().markWritten(reinterpret_cast<uint64_t>(To), Op.Width);
    }
  double Bytes = double(Op.Width) * double(Op.Height) * double(Op.Depth);
  R.advance(Bytes /
            (onDevice(Op.Dst) && onDevice(Op.Src) ? R.chip().MemoryBandwidth : HostBandwidth));
  return hipSuccess;
}

hipError_t hk::hip::prepareCopy(CopyOp &Op, void *Dst, const void *Src, size_t Bytes,
                                hipMemcpyKind Kind) {
  Op.Dst = Dst;
  Op.Src = Src;
  Op.Width = Op.DstPitch = Op.SrcPitch = Bytes;
  Op.Kind = Kind;
  Op.Params.dstPtr = {Dst, Bytes, Bytes, 1};
  Op.Params.srcPtr = {const_cast<void *>(Src), Bytes, Bytes, 1};
  Op.Params.extent = {Bytes, 1, 1};
  Op.Params.kind = Kind;
  return checkCopy(Op);
}

hipError_t hk::hip::prepareCopy(CopyOp &Op, const hipMemcpy3DParms &P) {
  if (P.srcArray || P.dstArray)
    return hipErrorNotSupported;
  Op.Params = P;
  Op.Kind = P.kind;
  Op.Width = P.extent.width;
  Op.Height = P.extent.height;
  Op.Depth = P.extent.depth;
  Op.DstPitch = P.dstPtr.pitch;
  Op.SrcPitch = P.srcPtr.pitch;
  Op.DstSlice = P.dstPtr.pitch * P.dstPtr.ysize;
  Op.SrcSlice = P.srcPtr.pitch * P.srcPtr.ysize;
  if (Op.Width && Op.Height && Op.Depth && (!P.dstPtr.ptr || !P.srcPtr.ptr))
    return hipErrorInvalidValue;
  Op.Dst = static_cast<char *>(P.dstPtr.ptr) + P.dstPos.x + P.dstPos.y * Op.DstPitch +
           P.dstPos.z * Op.DstSlice;
  Op.Src = static_cast<const char *>(P.srcPtr.ptr) + P.srcPos.x + P.srcPos.y * Op.SrcPitch +
           P.srcPos.z * Op.SrcSlice;
  return checkCopy(Op);
}

hipError_t hk::hip::checkFill(const FillOp &Op) {
  if (Op.ElementSize != 1 && Op.ElementSize != 2 && Op.ElementSize != 4)
    return hipErrorInvalidValue;
  if (!Op.Width || !Op.Height || !Op.Depth)
    return hipSuccess;
  size_t Bytes = Op.Width * Op.ElementSize;
  if (Op.Height > 1 && Op.Pitch < Bytes)
    return hipErrorInvalidValue;
  uint64_t Address = reinterpret_cast<uint64_t>(Op.Dst);
  if (!Op.Dst || !Runtime::get().memory().lookup(Address))
    return hipErrorInvalidValue;
  return checkRange(Op.Dst, spanOf(Bytes, Op.Height, Op.Depth, Op.Pitch, Op.Slice));
}

hipError_t hk::hip::executeFill(const FillOp &Op) {
  Runtime &R = Runtime::get();
  if (R.fault() != hipSuccess)
    return R.fault();
  if (hipError_t E = checkFill(Op))
    return E;
  size_t Bytes = Op.Width * Op.ElementSize;
  for (size_t Z = 0; Z != Op.Depth; ++Z)
    for (size_t Y = 0; Y != Op.Height; ++Y) {
      char *To = static_cast<char *>(Op.Dst) + Z * Op.Slice + Y * Op.Pitch;
      if (Op.ElementSize == 1)
        std::memset(To, int(Op.Value), Op.Width);
      else
        for (size_t X = 0; X != Op.Width; ++X)
          std::memcpy(To + X * Op.ElementSize, &Op.Value, Op.ElementSize);
      R.memory().markWritten(reinterpret_cast<uint64_t>(To), Bytes);
    }
  R.advance(double(Bytes) * double(Op.Height) * double(Op.Depth) / R.chip().MemoryBandwidth);
  return hipSuccess;
}

hipError_t hk::hip::prepareFill(FillOp &Op, const hipMemsetParams &P) {
  Op.Dst = P.dst;
  Op.Value = P.value;
  Op.ElementSize = P.elementSize;
  Op.Width = P.width;
  Op.Height = P.height;
  Op.Pitch = P.pitch;
  return checkFill(Op);
}

static hipError_t copy(hipStream_t Stream, void *Dst, const void *Src, size_t Bytes,
                       hipMemcpyKind Kind) {
  if (!Bytes)
    return hipSuccess;
  CopyOp Op;
  if (hipError_t E = prepareCopy(Op, Dst, Src, Bytes, Kind))
    return E;
  return submit(Stream, Op);
}

static hipError_t copy2D(hipStream_t Stream, void *Dst, size_t DstPitch, const void *Src,
                         size_t SrcPitch, size_t Width, size_t Height, hipMemcpyKind Kind) {
  if (!Width || !Height)
    return hipSuccess;
  if (DstPitch < Width || SrcPitch < Width)
    return hipErrorInvalidPitchValue;
  hipMemcpy3DParms P = {};
  P.dstPtr = {Dst, DstPitch, Width, Height};
  P.srcPtr = {const_cast<void *>(Src), SrcPitch, Width, Height};
  P.extent = {Width, Height, 1};
  P.kind = Kind;
  CopyOp Op;
  if (hipError_t E = prepareCopy(Op, P))
    return E;
  return submit(Stream, Op);
}

static hipError_t copy3D(hipStream_t Stream, const hipMemcpy3DParms *P) {
  if (!P)
    return hipErrorInvalidValue;
  CopyOp Op;
  if (hipError_t E = prepareCopy(Op, *P))
    return E == hipErrorNotSupported ? unsupported("hipMemcpy3D with arrays") : E;
  return submit(Stream, Op);
}

/// The driver's descriptions name memory by type.
static hipError_t pointerOf(hipMemoryType Type, const void *Host, hipDeviceptr_t Device,
                            void *&Out) {
  switch (Type) {
  case hipMemoryTypeHost:
    Out = const_cast<void *>(Host);
    return hipSuccess;
  case hipMemoryTypeDevice:
  case hipMemoryTypeUnified:
  case hipMemoryTypeManaged:
    Out = Device;
    return hipSuccess;
  default:
    return unsupported("a copy with arrays");
  }
}

static hipError_t copyDescribed(hipStream_t Stream, const HIP_MEMCPY3D *D) {
  if (!D)
    return hipErrorInvalidValue;
  hipMemcpy3DParms P = {};
  if (hipError_t E = pointerOf(D->srcMemoryType, D->srcHost, D->srcDevice, P.srcPtr.ptr))
    return E;
  if (hipError_t E = pointerOf(D->dstMemoryType, D->dstHost, D->dstDevice, P.dstPtr.ptr))
    return E;
  P.srcPtr.pitch = D->srcPitch ? D->srcPitch : D->WidthInBytes;
  P.srcPtr.ysize = D->srcHeight ? D->srcHeight : D->Height;
  P.dstPtr.pitch = D->dstPitch ? D->dstPitch : D->WidthInBytes;
  P.dstPtr.ysize = D->dstHeight ? D->dstHeight : D->Height;
  P.srcPos = {D->srcXInBytes, D->srcY, D->srcZ};
  P.dstPos = {D->dstXInBytes, D->dstY, D->dstZ};
  P.extent = {D->WidthInBytes, D->Height, D->Depth};
  P.kind = hipMemcpyDefault;
  return copy3D(Stream, &P);
}

static hipError_t copyDescribed(hipStream_t Stream, const hip_Memcpy2D *D) {
  if (!D)
    return hipErrorInvalidValue;
  HIP_MEMCPY3D Wide = {};
  Wide.srcXInBytes = D->srcXInBytes;
  Wide.srcY = D->srcY;
  Wide.srcMemoryType = D->srcMemoryType;
  Wide.srcHost = D->srcHost;
  Wide.srcDevice = D->srcDevice;
  Wide.srcPitch = D->srcPitch;
  Wide.dstXInBytes = D->dstXInBytes;
  Wide.dstY = D->dstY;
  Wide.dstMemoryType = D->dstMemoryType;
  Wide.dstHost = D->dstHost;
  Wide.dstDevice = D->dstDevice;
  Wide.dstPitch = D->dstPitch;
  Wide.WidthInBytes = D->WidthInBytes;
  Wide.Height = D->Height;
  Wide.Depth = 1;
  return copyDescribed(Stream, &Wide);
}

static hipError_t copySymbol(hipStream_t Stream, const void *Symbol, void *Other, size_t Bytes,
                             size_t Offset, hipMemcpyKind Kind, bool ToSymbol) {
  void *Address = nullptr;
  size_t Size = 0;
  if (hipError_t E = Runtime::get().findSymbol(Symbol, Address, Size))
    return E;
  if (Offset > Size || Bytes > Size - Offset)
    return hipErrorInvalidValue;
  char *Place = static_cast<char *>(Address) + Offset;
  return ToSymbol ? copy(Stream, Place, Other, Bytes, Kind)
                  : copy(Stream, Other, Place, Bytes, Kind);
}

static hipError_t fill(hipStream_t Stream, void *Dst, unsigned Value, unsigned ElementSize,
                       size_t Width, size_t Height = 1, size_t Pitch = 0, size_t Depth = 1,
                       size_t Slice = 0) {
  FillOp Op{Dst, Value, ElementSize, Width, Height, Pitch, Depth, Slice};
  if (hipError_t E = checkFill(Op))
    return E;
  return submit(Stream, Op);
}

#define HK_STREAM_SPT(Stream) ((Stream) ? (Stream) : hipStreamPerThread)

extern "C" {

hipError_t hipMemcpy(void *Dst, const void *Src, size_t Bytes, hipMemcpyKind Kind) {
  ApiLock Lock;
  return doneWaiting(copy(nullptr, Dst, Src, Bytes, Kind));
}
hipError_t hipMemcpy_spt(void *Dst, const void *Src, size_t Bytes, hipMemcpyKind Kind) {
  return hipMemcpy(Dst, Src, Bytes, Kind);
}
hipError_t hipMemcpyWithStream(void *Dst, const void *Src, size_t Bytes, hipMemcpyKind Kind,
                               hipStream_t Stream) {
  ApiLock Lock;
  return doneWaiting(copy(Stream, Dst, Src, Bytes, Kind));
}
hipError_t hipMemcpyAsync(void *Dst, const void *Src, size_t Bytes, hipMemcpyKind Kind,
                          hipStream_t Stream) {
  ApiLock Lock;
  return done(copy(Stream, Dst, Src, Bytes, Kind));
}
hipError_t hipMemcpyAsync_spt(void *Dst, const void *Src, size_t Bytes, hipMemcpyKind Kind,
                              hipStream_t Stream) {
  return hipMemcpyAsync(Dst, Src, Bytes, Kind, HK_STREAM_SPT(Stream));
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t Dst, void *Src, size_t Bytes) {
  return hipMemcpy(Dst, Src, Bytes, hipMemcpyHostToDevice);
}
hipError_t hipMemcpyDtoH(void *Dst, hipDeviceptr_t Src, size_t Bytes) {
  return hipMemcpy(Dst, Src, Bytes, hipMemcpyDeviceToHost);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t Dst, hipDeviceptr_t Src, size_t Bytes) {
  return hipMemcpy(Dst, Src, Bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t Dst, void *Src, size_t Bytes, hipStream_t Stream) {
  return hipMemcpyAsync(Dst, Src, Bytes, hipMemcpyHostToDevice, Stream);
}
hipError_t hipMemcpyDtoHAsync(void *Dst, hipDeviceptr_t Src, size_t Bytes, hipStream_t Stream) {
  return hipMemcpyAsync(Dst, Src, Bytes, hipMemcpyDeviceToHost, Stream);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t Dst, hipDeviceptr_t Src, size_t Bytes,
                              hipStream_t Stream) {
  return hipMemcpyAsync(Dst, Src, Bytes, hipMemcpyDeviceToDevice, Stream);
}
hipError_t hipMemcpyPeer(void *Dst, int DstDevice, const void *Src, int SrcDevice, size_t Bytes) {
  if (DstDevice || SrcDevice)
    return done(hipErrorInvalidDevice);
  return hipMemcpy(Dst, Src, Bytes, hipMemcpyDeviceToDevice);
}
hipError_t hipMemcpyPeerAsync(void *Dst, int DstDevice, const void *Src, int SrcDevice,
                              size_t Bytes, hipStream_t Stream) {
  if (DstDevice || SrcDevice)
    return done(hipErrorInvalidDevice);
  return hipMemcpyAsync(Dst, Src, Bytes, hipMemcpyDeviceToDevice, Stream);
}

hipError_t hipMemcpy2D(void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch, size_t Width,
                       size_t Height, hipMemcpyKind Kind) {
  ApiLock Lock;
  return doneWaiting(copy2D(nullptr, Dst, DstPitch, Src, SrcPitch, Width, Height, Kind));
}
hipError_t hipMemcpy2D_spt(void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,
                           size_t Width, size_t Height, hipMemcpyKind Kind) {
  return hipMemcpy2D(Dst, DstPitch, Src, SrcPitch, Width, Height, Kind);
}
hipError_t hipMemcpy2DAsync(void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,
                            size_t Width, size_t Height, hipMemcpyKind Kind, hipStream_t Stream) {
  ApiLock Lock;
  return done(copy2D(Stream, Dst, DstPitch, Src, SrcPitch, Width, Height, Kind));
}
hipError_t hipMemcpy2DAsync_spt(void *Dst, size_t DstPitch, const void *Src, size_t SrcPitch,
                                size_t Width, size_t Height, hipMemcpyKind Kind,
                                hipStream_t Stream) {
  return hipMemcpy2DAsync(Dst, DstPitch, Src, SrcPitch, Width, Height, Kind, HK_STREAM_SPT(Stream));
}
hipError_t hipMemcpyParam2D(const hip_Memcpy2D *Copy) {
  ApiLock Lock;
  return doneWaiting(copyDescribed(nullptr, Copy));
}
hipError_t hipMemcpyParam2DAsync(const hip_Memcpy2D *Copy, hipStream_t Stream) {
  ApiLock Lock;
  return done(copyDescribed(Stream, Copy));
}
hipError_t hipDrvMemcpy2DUnaligned(const hip_Memcpy2D *Copy) { return hipMemcpyParam2D(Copy); }
hipError_t hipMemcpy3D(const hipMemcpy3DParms *Copy) {
  ApiLock Lock;
  return doneWaiting(copy3D(nullptr, Copy));
}
hipError_t hipMemcpy3D_spt(const hipMemcpy3DParms *Copy) { return hipMemcpy3D(Copy); }
hipError_t hipMemcpy3DAsync(const hipMemcpy3DParms *Copy, hipStream_t Stream) {
  ApiLock Lock;
  return done(copy3D(Stream, Copy));
}
hipError_t hipMemcpy3DAsync_spt(const hipMemcpy3DParms *Copy, hipStream_t Stream) {
  return hipMemcpy3DAsync(Copy, HK_STREAM_SPT(Stream));
}
hipError_t hipDrvMemcpy3D(const HIP_MEMCPY3D *Copy) {
  ApiLock Lock;
  return doneWaiting(copyDescribed(nullptr, Copy));
}
hipError_t hipDrvMemcpy3DAsync(const HIP_MEMCPY3D *Copy, hipStream_t Stream) {
  ApiLock Lock;
  return done(copyDescribed(Stream, Copy));
}

hipError_t hipMemcpyToSymbol(const void *Symbol, const void *Src, size_t Bytes, size_t Offset,
                             hipMemcpyKind Kind) {
  ApiLock Lock;
  return doneWaiting(
      copySymbol(nullptr, Symbol, const_cast<void *>(Src), Bytes, Offset, Kind, true));
}
hipError_t hipMemcpyToSymbol_spt(const void *Symbol, const void *Src, size_t Bytes, size_t Offset,
                                 hipMemcpyKind Kind) {
  return hipMemcpyToSymbol(Symbol, Src, Bytes, Offset, Kind);
}
hipError_t hipMemcpyToSymbolAsync(const void *Symbol, const void *Src, size_t Bytes, size_t Offset,
                                  hipMemcpyKind Kind, hipStream_t Stream) {
  ApiLock Lock;
  return done(copySymbol(Stream, Symbol, const_cast<void *>(Src), Bytes, Offset, Kind, true));
}
hipError_t hipMemcpyToSymbolAsync_spt(const void *Symbol, const void *Src, size_t Bytes,
                                      size_t Offset, hipMemcpyKind Kind, hipStream_t Stream) {
  return hipMemcpyToSymbolAsync(Symbol, Src, Bytes, Offset, Kind, HK_STREAM_SPT(Stream));
}
hipError_t hipMemcpyFromSymbol(void *Dst, const void *Symbol, size_t Bytes, size_t Offset,
                               hipMemcpyKind Kind) {
  ApiLock Lock;
  return doneWaiting(copySymbol(nullptr, Symbol, Dst, Bytes, Offset, Kind, false));
}
hipError_t hipMemcpyFromSymbol_spt(void *Dst, const void *Symbol, size_t Bytes, size_t Offset,
                                   hipMemcpyKind Kind) {
  return hipMemcpyFromSymbol(Dst, Symbol, Bytes, Offset, Kind);
}
hipError_t hipMemcpyFromSymbolAsync(void *Dst, const void *Symbol, size_t Bytes, size_t Offset,
                                    hipMemcpyKind Kind, hipStream_t Stream) {
  ApiLock Lock;
  return done(copySymbol(Stream, Symbol, Dst, Bytes, Offset, Kind, false));
}
hipError_t hipMemcpyFromSymbolAsync_spt(void *Dst, const void *Symbol, size_t Bytes, size_t Offset,
                                        hipMemcpyKind Kind, hipStream_t Stream) {
  return hipMemcpyFromSymbolAsync(Dst, Symbol, Bytes, Offset, Kind, HK_STREAM_SPT(Stream));
}

hipError_t hipMemset(void *Dst, int Value, size_t Bytes) {
  ApiLock Lock;
  return done(fill(nullptr, Dst, unsigned(Value), 1, Bytes));
}
hipError_t hipMemset_spt(void *Dst, int Value, size_t Bytes) {
  return hipMemset(Dst, Value, Bytes);
}
hipError_t hipMemsetAsync(void *Dst, int Value, size_t Bytes, hipStream_t Stream) {
  ApiLock Lock;
  return done(fill(Stream, Dst, unsigned(Value), 1, Bytes));
}
hipError_t hipMemsetAsync_spt(void *Dst, int Value, size_t Bytes, hipStream_t Stream) {
  return hipMemsetAsync(Dst, Value, Bytes, HK_STREAM_SPT(Stream));
}
hipError_t hipMemsetD8(hipDeviceptr_t Dst, unsigned char Value, size_t Count) {
  return hipMemsetD8Async(Dst, Value, Count, nullptr);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t Dst, unsigned char Value, size_t Count,
                            hipStream_t Stream) {
  ApiLock Lock;
  return done(fill(Stream, Dst, Value, 1, Count));
}
hipError_t hipMemsetD16(hipDeviceptr_t Dst, unsigned short Value, size_t Count) {
  return hipMemsetD16Async(Dst, Value, Count, nullptr);
}
hipError_t hipMemsetD16Async(hipDeviceptr_t Dst, unsigned short Value, size_t Count,
                             hipStream_t Stream) {
  ApiLock Lock;
  return done(fill(Stream, Dst, Value, 2, Count));
}
hipError_t hipMemsetD32(hipDeviceptr_t Dst, int Value, size_t Count) {
  return hipMemsetD32Async(Dst, Value, Count, nullptr);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t Dst, int Value, size_t Count, hipStream_t Stream) {
  ApiLock Lock;
  return done(fill(Stream, Dst, unsigned(Value), 4, Count));
}
hipError_t hipMemset2D(void *Dst, size_t Pitch, int Value, size_t Width, size_t Height) {
  return hipMemset2DAsync(Dst, Pitch, Value, Width, Height, nullptr);
}
hipError_t hipMemset2D_spt(void *Dst, size_t Pitch, int Value, size_t Width, size_t Height) {
  return hipMemset2D(Dst, Pitch, Value, Width, Height);
}
hipError_t hipMemset2DAsync(void *Dst, size_t Pitch, int Value, size_t Width, size_t Height,
                            hipStream_t Stream) {
  ApiLock Lock;
  return done(fill(Stream, Dst, unsigned(Value), 1, Width, Height, Pitch));
}
hipError_t hipMemset2DAsync_spt(void *Dst, size_t Pitch, int Value, size_t Width, size_t Height,
                                hipStream_t Stream) {
  return hipMemset2DAsync(Dst, Pitch, Value, Width, Height, HK_STREAM_SPT(Stream));
}
hipError_t hipMemset3D(hipPitchedPtr Dst, int Value, hipExtent Extent) {
  return hipMemset3DAsync(Dst, Value, Extent, nullptr);
}
hipError_t hipMemset3D_spt(hipPitchedPtr Dst, int Value, hipExtent Extent) {
  return hipMemset3D(Dst, Value, Extent);
}
hipError_t hipMemset3DAsync(hipPitchedPtr Dst, int Value, hipExtent Extent, hipStream_t Stream) {
  ApiLock Lock;
  return done(fill(Stream, Dst.ptr, unsigned(Value), 1, Extent.width, Extent.height, Dst.pitch,
                   Extent.depth, Dst.pitch * Dst.ysize));
}
hipError_t hipMemset3DAsync_spt(hipPitchedPtr Dst, int Value, hipExtent Extent,
                                hipStream_t Stream) {
  return hipMemset3DAsync(Dst, Value, Extent, HK_STREAM_SPT(Stream));
}

} // extern "C"
