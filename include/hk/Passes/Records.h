//===- Records.h - What each work-item has of its own -----------*- C++ -*-===//
//
// A record is a struct, or some consecutive elements, at a work-item's number
// times the record's size. It may be moved as a whole if the kernel itself uses
// all of each in every work-item below its limits: nothing is read that it does
// not read, and nothing is written that it does not write.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Passes/KernelVersion.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace hk {

struct Record {
  int64_t Elements = 0; ///< 1 for a struct
  unsigned Bytes = 0;   ///< of one
  std::string Type;
  std::string Base; ///< distance of record 0 from the parameter, as an expression of the kernel;
                    ///< empty for none
  bool IsStruct = false, IsMostlyUsed = true;
  std::set<int64_t> Touched, Written; ///< elements
  std::set<std::string> Members, WrittenMembers;
  bool Reads = false, Writes = false, IsConst = false;
};

/// The records of dimension \p D behind the parameter \p Root, if all accesses are to a work-item's
/// own. \p Edits: what they become: hk_NAME for a single element, hk_NAME[e], or hk_NAME.own() for
/// a struct.
std::optional<Record> recordOf(const KernelSource &S, unsigned Root, unsigned D,
                               std::vector<TextEdit> &Edits, Declined &Why);

} // namespace hk
