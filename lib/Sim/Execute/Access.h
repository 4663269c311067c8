//===- Access.h - Lane addresses, checks and transfers ----------*- C++ -*-===//
//
// Every memory instruction goes through the same three steps, whatever space it
// is in: find a host address for each lane, check and count them as a whole,
// move the data. Addresses that follow each other without a gap, the usual
// case, are recognized once and make each step cheap.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Lanes.h"

HK_SIM_BEGIN

enum class Space : uint8_t { Global, Lds, Scratch };
enum class Use : uint8_t { Load, Store, Atomic };

/// What a memory operation moves; OpInfo::Extra.
enum class Data : uint8_t {
  U8,
  I8,
  U16,
  I16,
  U8Low,  ///< d16: to the low half of a register, the other half stays
  U8High, ///< to or from the high half
  I8Low,
  I8High,
  B16Low,
  B16High,
  Dwords, ///< as many as DstDwords or DataDwords
};

enum class AtomicOp : uint8_t {
  Swap,
  CompareSwap,
  Add,
  Sub,
  ReverseSub,
  SMin,
  UMin,
  SMax,
  UMax,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  MaskedOr,
  AddF,
  MinF,
  MaxF,
  AddHalves,
  AddBrains,
  Wrap,
};

struct Lane64 {
  alignas(64) uint64_t Address[NumLanes];
  uint64_t Lanes = 0;
  unsigned Bytes = 4;
  /// The active lanes are neighbours, First to End - 1, and their data one after the other.
  bool Contiguous = false;
  /// The same lanes, but all at one address.
  bool Uniform = false;
  unsigned First = 0, End = NumLanes;

  void findContiguous() {
    Contiguous = Uniform = false;
    First = 0;
    End = NumLanes;
    uint64_t Differ = 0, Vary = 0;
    if (Lanes == FullMask) {
      for (unsigned L = 0; L != NumLanes; ++L) {
        Differ |= Address[L] ^ (Address[0] + uint64_t(L) * Bytes);
        Vary |= Address[L] ^ Address[0];
      }
    } else {
      if (!Lanes)
        return;
      First = std::countr_zero(Lanes);
      uint64_t Run = Lanes >> First;
      if (Run & (Run + 1))
        return;
      End = NumLanes - std::countl_zero(Lanes);
      for (unsigned L = First; L != End; ++L) {
        Differ |= Address[L] ^ (Address[First] + uint64_t(L - First) * Bytes);
        Vary |= Address[L] ^ Address[First];
      }
    }
    Contiguous = !Differ;
    Uniform = !Vary;
  }
};

/// False, after a fault, if a lane may not do this. Counts.
bool checkGlobal(Wave &W, const Inst &I, const Lane64 &A, Use U);
/// Addresses are offsets into LDS when this is called, and host addresses after it.
bool checkLds(Wave &W, const Inst &I, Lane64 &A, Use U);
/// Offsets into a lane's scratch become host addresses.
bool checkScratch(Wave &W, const Inst &I, Lane64 &A, Use U);
/// Generic addresses: lanes may be in any of the three spaces.
bool checkFlat(Wave &W, const Inst &I, Lane64 &A, Use U);

void loadLanes(Wave &W, const Inst &I, unsigned Row, const Lane64 &A, unsigned Dwords);
void storeLanes(Wave &W, const Inst &I, unsigned Row, const Lane64 &A, unsigned Dwords);
/// The atomic named by OpInfo::Extra on each lane in turn; the old values to Dst if asked for.
void atomicLanes(Wave &W, const Inst &I, unsigned DataRow, const Lane64 &A, bool Return);

/// Straight to LDS: M0 and the offset say where lane 0's data go, the others follow. Lanes that are
/// in \p Zero and not in A.Lanes get zeros.
void loadToLds(Wave &W, const Inst &I, const Lane64 &A, uint64_t Zero);
/// On one word or two of memory that was checked; gives the old value.
uint64_t atomicScalar(AtomicOp Op, bool Wide, uint64_t Address, uint64_t X, uint64_t Y);

/// Lanes of which a part is inside a buffer: loads and stores of several dwords are checked dword
/// by dword.
struct Straddling {
  uint64_t Lanes = 0;
  uint64_t Limit = 0; ///< where the buffer ends
};
/// Through the resource descriptor, for accesses of so many bytes. False: this is scratch, and
/// addresses are offsets into it.
bool bufferAddresses(Wave &W, const Inst &I, unsigned Bytes, Lane64 &A, Straddling &Part);

/// Adds loads and stores with this prefix: "global_", "flat_", ...
void addTransfers(Adder &T, llvm::StringRef Prefix, Handler Load, Handler Store,
                  InstClass LoadClass, InstClass StoreClass);
/// Adds the atomics of vector memory, PREFIXatomic_...
void addAtomics(Adder &T, llvm::StringRef Prefix, Handler Run);

struct NamedAtomic {
  const char *Name;
  AtomicOp Op;
};
/// What vector and scalar memory have, in 32 bits and, with _x2, in 64.
inline constexpr NamedAtomic IntegerAtomics[] = {
    {"swap", AtomicOp::Swap}, {"cmpswap", AtomicOp::CompareSwap},
    {"add", AtomicOp::Add},   {"sub", AtomicOp::Sub},
    {"smin", AtomicOp::SMin}, {"umin", AtomicOp::UMin},
    {"smax", AtomicOp::SMax}, {"umax", AtomicOp::UMax},
    {"and", AtomicOp::And},   {"or", AtomicOp::Or},
    {"xor", AtomicOp::Xor},   {"inc", AtomicOp::Inc},
    {"dec", AtomicOp::Dec}};
/// OpInfo::Extra of an atomic: the operation, and bit 7 for 64 bits.
constexpr uint8_t atomicCode(AtomicOp Op, bool Wide) { return uint8_t(Op) | (Wide ? 0x80 : 0); }

HK_SIM_END
