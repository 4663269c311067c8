//===- SnapshotWriter.cpp -------------------------------------------------===//

#include "SnapshotWriter.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

using namespace hk::snapshot;

namespace {

uint64_t hashOf(const void *Data, size_t Size) {
  return std::hash<std::string_view>()({static_cast<const char *>(Data), Size});
}

/// The region that \p Address is in or just behind; \p All is sorted by address.
const Region *regionOf(const std::vector<Region> &All, uint64_t Address) {
  auto It = std::upper_bound(All.begin(), All.end(), Address,
                             [](uint64_t X, const Region &R) { return X < R.Base; });
  if (It == All.begin())
    return nullptr;
  --It;
  return Address - It->Base <= It->Size ? &*It : nullptr;
}

/// Makes addresses in \p Bytes keys and offsets.
void normalize(std::vector<uint8_t> &Bytes, const std::vector<Region> &All) {
  if (All.empty())
    return;
  uint64_t Low = All.front().Base, High = All.back().Base + All.back().Size;
  for (size_t At = 0; At + 8 <= Bytes.size(); At += 8) {
    uint64_t Word;
    std::memcpy(&Word, Bytes.data() + At, 8);
    if (Word < Low || Word > High)
      continue;
    if (const Region *R = regionOf(All, Word)) {
      Word = hashOf(R->Key.data(), R->Key.size()) + (Word - R->Base);
      std::memcpy(Bytes.data() + At, &Word, 8);
    }
  }
}

} // namespace

Writer *Writer::get(const char *Name) {
  static Writer *const Instance = [&]() -> Writer * {
    const char *File = std::getenv(Name);
    return File && *File ? new Writer(File, std::getenv((std::string(Name) + "_DUMP").c_str())) : nullptr;
  }();
  return Instance;
}

Writer::Writer(const char *File, const char *List) : Out(File) {
  if (!List)
    return;
  std::ifstream In(List);
  for (std::string Line; std::getline(In, Line);) {
    std::istringstream Words(Line);
    unsigned Launch;
    std::string Key, To;
    if (Words >> Launch >> Key && std::getline(Words >> std::ws, To))
      Dumps[{Launch, Key}] = To;
  }
}

void Writer::launch(const std::string &Kernel, const std::vector<Argument> &Arguments, std::vector<Region> All) {
  ++Number;
  std::sort(All.begin(), All.end(), [](const Region &A, const Region &B) { return A.Serial < B.Serial; });
  unsigned Allocations = 0;
  for (Region &R : All)
    R.Key = R.Variable.empty() ? "m" + std::to_string(++Allocations) : R.Variable;
  std::sort(All.begin(), All.end(), [](const Region &A, const Region &B) { return A.Base < B.Base; });

  Out << "launch " << Number << ' ' << Kernel << '\n';
  for (const Argument &A : Arguments)
    if (const Region *R = regionOf(All, A.Address))
      Out << "argument " << (A.Name.empty() ? "?" : A.Name) << ' ' << R->Key << ' ' << A.Address - R->Base << '\n';
  for (const Region &R : All) {
    std::vector<uint8_t> Bytes(R.Size);
    if (!R.Read(Bytes.data()))
      continue;
    normalize(Bytes, All);
    Out << "memory " << R.Key << ' ' << R.Size << ' ' << std::hex << hashOf(Bytes.data(), Bytes.size()) << std::dec << '\n';
    if (auto It = Dumps.find({Number, R.Key}); It != Dumps.end())
      std::ofstream(It->second, std::ios::binary)
          .write(reinterpret_cast<const char *>(Bytes.data()), std::streamsize(Bytes.size()));
  }
  Out.flush();
}
