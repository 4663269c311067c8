//===- OpTable.cpp - The operations, for this processor -------------------===//

#include "OpTable.h"

#include "Execute/Groups.h"
#include "Wave.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

static bool Plain = false;

void sim::usePlainCode() { Plain = true; }

static bool hasV3() {
#if defined(__x86_64__)
  static const bool Has = __builtin_cpu_supports("x86-64-v3");
  return Has && !Plain;
#else
  return false;
#endif
}

#define HK_SIM_ADD_ALL(ISA, Table)                                                                 \
  ISA::addSalu(Table), ISA::addControl(Table), ISA::addSmem(Table), ISA::addValuInt(Table),        \
      ISA::addValuFloat(Table), ISA::addValuConvert(Table), ISA::addValuCompare(Table),            \
      ISA::addValuPacked(Table), ISA::addMatrix(Table), ISA::addLds(Table), ISA::addGlobal(Table), \
      ISA::addBuffer(Table), ISA::addTyped(Table), ISA::addHalfModes(Table)

const OpTable &OpTable::get() {
  static const OpTable *Table = [] {
    auto *T = new OpTable;
    if (hasV3())
      HK_SIM_ADD_ALL(v3, *T);
    else
      HK_SIM_ADD_ALL(base, *T);
    return T;
  }();
  return *Table;
}

RunWave sim::runWaveForHost() { return hasV3() ? v3::runWave : base::runWave; }
