//===- SnapshotWriter.h - Device memory after each launch -------*- C++ -*-===//
//
// For comparing two versions of a program. With HK_SNAPSHOT=FILE (HK_SIM_SNAPSHOT
// in the stand-in library) each launch adds lines of words to FILE:
//
//   launch NUMBER KERNEL
//   argument NAME KEY BYTE     a pointer argument, and where it points to
//   memory KEY SIZE HASH       one a live allocation or variable
//
// A key is m1, m2, ... in the order of allocation, or the name of a variable.
// Addresses differ from run to run, so a word that is one counts as the key and
// the offset of what it points to. HK_SNAPSHOT_DUMP=FILE names a list of lines
// "NUMBER KEY FILE": the bytes of this memory after this launch are written there.
//
// Nothing but the standard library is used: the library with it is loaded into
// programs of other people.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace hk::snapshot {

struct Region {
  std::string Variable; ///< its name; empty: an allocation
  uint64_t Base = 0, Size = 0;
  uint64_t Serial = 0;  ///< in the order of allocation
  /// Copies the bytes; false if that is not possible.
  std::function<bool(uint8_t *)> Read;
  std::string Key; ///< set by the writer
};

struct Argument {
  std::string Name;
  uint64_t Address = 0;
};

class Writer {
public:
  /// Null unless snapshots are asked for, by the variable of the environment \p Name; the first call decides.
  static Writer *get(const char *Name);

  /// \p All: live memory, in any order.
  void launch(const std::string &Kernel, const std::vector<Argument> &Arguments, std::vector<Region> All);

private:
  Writer(const char *File, const char *List);

  std::ofstream Out;
  unsigned Number = 0;
  std::map<std::pair<unsigned, std::string>, std::string> Dumps;
};

} // namespace hk::snapshot
