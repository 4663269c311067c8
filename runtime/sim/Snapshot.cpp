//===- Snapshot.cpp -------------------------------------------------------===//

#include "Snapshot.h"

#include "../snapshot/SnapshotWriter.h"

#include "llvm/ADT/StringRef.h"

#include <cstring>

using namespace llvm;
using namespace hk;
using namespace hk::hip;

static bool isSeenByPrograms(const sim::Allocation &A) {
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

void hk::hip::snapshot(const KernelOp &Op) {
  snapshot::Writer *Writer = snapshot::Writer::get("HK_SIM_SNAPSHOT");
  if (!Writer)
    return;
  std::vector<snapshot::Region> All;
  const sim::DeviceMemory &Memory = Runtime::get().memory();
  for (const sim::Allocation *A = Memory.before(UINT64_MAX); A; A = Memory.before(A->Base - 1))
    if (!A->Freed && isSeenByPrograms(*A)) {
      snapshot::Region R;
      if (A->Kind == sim::MemoryKind::Variable)
        R.Variable = A->Label;
      R.Base = A->Base;
      R.Size = A->Size;
      R.Serial = A->Serial;
      R.Read = [A](uint8_t *To) {
        std::memcpy(To, reinterpret_cast<const void *>(A->Base), A->Size);
        return true;
      };
      All.push_back(std::move(R));
    }
  std::vector<snapshot::Argument> Arguments;
  const sim::Kernel &K = *Op.Function->Kernel;
  for (const sim::KernelArgument &A : K.Arguments) {
    if (A.hidden() || A.Size != 8 || A.Offset + 8 > Op.Arguments.size())
      continue;
    uint64_t Word;
    std::memcpy(&Word, Op.Arguments.data() + A.Offset, 8);
    Arguments.push_back({A.Name, Word});
  }
  Writer->launch(K.Name, Arguments, std::move(All));
}
