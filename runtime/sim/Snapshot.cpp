//===- Snapshot.cpp - Device memory after each launch ---------------------===//
//
// For comparing two versions of a program. With HK_SIM_SNAPSHOT=FILE each launch
// adds lines of words to FILE:
//
//   launch NUMBER KERNEL
//   argument NAME KEY BYTE     a pointer argument, and where it points to
//   memory KEY SIZE HASH       one a live allocation or variable
//
// A key is m1, m2, ... in the order of allocation, or the name of a variable.
// Addresses differ from run to run, so a word that is one counts as the key and
// the offset of what it points to. HK_SIM_SNAPSHOT_DUMP=NUMBER:KEY:FILE writes the
// bytes of one memory after one launch.
//
//===----------------------------------------------------------------------===//

#include "Snapshot.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>
#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

namespace {

struct Region {
  const sim::Allocation *A;
  std::string Key;
};

bool isSeenByPrograms(const sim::Allocation &A) {
  switch (A.Kind) {
  case sim::MemoryKind::Device:
  case sim::MemoryKind::Managed:
  case sim::MemoryKind::Host:
    return true;
  case sim::MemoryKind::Variable:
    // Of the compiler: it names the file.
    return !StringRef(A.Label).starts_with("__hip_cuid");
  default:
    return false;
  }
}

/// Live memory by key, sorted by address.
std::vector<Region> regions(const sim::DeviceMemory &Memory) {
  std::vector<Region> All;
  for (const sim::Allocation *A = Memory.before(UINT64_MAX); A; A = Memory.before(A->Base - 1))
    if (!A->Freed && isSeenByPrograms(*A))
      All.push_back({A, A->Label});
  sort(All, [](const Region &X, const Region &Y) { return X.A->Serial < Y.A->Serial; });
  unsigned Number = 0;
  for (Region &R : All)
    if (R.A->Kind != sim::MemoryKind::Variable || R.Key.empty())
      R.Key = "m" + std::to_string(++Number);
  sort(All, [](const Region &X, const Region &Y) { return X.A->Base < Y.A->Base; });
  return All;
}

const Region *regionOf(ArrayRef<Region> All, uint64_t Address) {
  auto It = upper_bound(All, Address, [](uint64_t X, const Region &R) { return X < R.A->Base; });
  if (It == All.begin())
    return nullptr;
  --It;
  return Address - It->A->Base <= It->A->Size ? &*It : nullptr;
}

/// A copy of the bytes in which addresses have become keys and offsets.
void normalize(std::vector<uint8_t> &Bytes, ArrayRef<Region> All) {
  if (All.empty())
    return;
  uint64_t Low = All.front().A->Base, High = All.back().A->end();
  for (size_t At = 0; At + 8 <= Bytes.size(); At += 8) {
    uint64_t Word;
    std::memcpy(&Word, Bytes.data() + At, 8);
    if (Word < Low || Word > High)
      continue;
    if (const Region *R = regionOf(All, Word)) {
      Word = xxh3_64bits(R->Key) + (Word - R->A->Base);
      std::memcpy(Bytes.data() + At, &Word, 8);
    }
  }
}

std::vector<uint8_t> contents(const Region &R, ArrayRef<Region> All) {
  const auto *Base = reinterpret_cast<const uint8_t *>(R.A->Base);
  std::vector<uint8_t> Bytes(Base, Base + R.A->Size);
  normalize(Bytes, All);
  return Bytes;
}

} // namespace

void hk::hip::snapshot(const KernelOp &Op) {
  static const char *const File = std::getenv("HK_SIM_SNAPSHOT");
  if (!File || !*File)
    return;
  static const char *const Dump = std::getenv("HK_SIM_SNAPSHOT_DUMP");
  static unsigned Number = 0;
  static std::error_code EC;
  static raw_fd_ostream OS(File, EC);
  ++Number;
  if (EC)
    return;

  std::vector<Region> All = regions(Runtime::get().memory());
  const sim::Kernel &K = *Op.Function->Kernel;
  OS << "launch " << Number << ' ' << K.Name << '\n';
  for (const sim::KernelArgument &A : K.Arguments) {
    if (A.hidden() || A.Size != 8 || A.Offset + 8 > Op.Arguments.size())
      continue;
    uint64_t Word;
    std::memcpy(&Word, Op.Arguments.data() + A.Offset, 8);
    if (const Region *R = regionOf(All, Word))
      OS << "argument " << (A.Name.empty() ? "?" : A.Name) << ' ' << R->Key << ' ' << Word - R->A->Base << '\n';
  }
  for (const Region &R : All) {
    std::vector<uint8_t> Bytes = contents(R, All);
    OS << "memory " << R.Key << ' ' << R.A->Size << ' ' << utohexstr(xxh3_64bits(Bytes)) << '\n';
    SmallVector<StringRef, 3> Wanted;
    StringRef(Dump ? Dump : "").split(Wanted, ':', 2);
    unsigned Which;
    if (Wanted.size() == 3 && !Wanted[0].getAsInteger(10, Which) && Which == Number && Wanted[1] == R.Key) {
      std::error_code DumpError;
      raw_fd_ostream To(Wanted[2], DumpError);
      if (!DumpError)
        To.write(reinterpret_cast<const char *>(Bytes.data()), Bytes.size());
    }
  }
  OS.flush();
}
