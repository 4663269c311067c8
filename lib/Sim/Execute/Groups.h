//===- Groups.h - The files of operations -----------------------*- C++ -*-===//
#pragma once

#include "../OpTable.h"
#include "Region.h"

namespace hk::sim {
#define HK_SIM_GROUPS                                                                              \
  void addSalu(OpTable &);                                                                         \
  void addControl(OpTable &);                                                                      \
  void addSmem(OpTable &);                                                                         \
  void addValuInt(OpTable &);                                                                      \
  void addValuFloat(OpTable &);                                                                    \
  void addValuConvert(OpTable &);                                                                  \
  void addValuCompare(OpTable &);                                                                  \
  void addValuPacked(OpTable &);                                                                   \
  void addMatrix(OpTable &);                                                                       \
  void addLds(OpTable &);                                                                          \
  void addGlobal(OpTable &);                                                                       \
  void addBuffer(OpTable &);                                                                       \
  void addTyped(OpTable &);                                                                        \
  void addHalfModes(OpTable &);                                                                    \
  void runWave(Wave &, uint64_t);
namespace base {
HK_SIM_GROUPS
}
namespace v3 {
HK_SIM_GROUPS
}
#undef HK_SIM_GROUPS
} // namespace hk::sim
