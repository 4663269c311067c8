//===- Region.h - Code that is compiled for two processors ------*- C++ -*-===//
//
// The sources in Execute/ are compiled twice. What is between the two macros is
// in a namespace of its own each time, and is generated for x86-64-v3 the
// second time. Headers stay outside: an inline function that two sources share
// must be the same code in both, or the linker might keep the one that the
// processor cannot run.
//
//===----------------------------------------------------------------------===//
#pragma once

#if HK_SIM_V3
#define HK_SIM_ISA v3
#define HK_SIM_BEGIN                                                                               \
  _Pragma("clang attribute push(__attribute__((target(\"arch=x86-64-v3\"))), apply_to = function)")  \
  namespace hk::sim::v3 {
#define HK_SIM_END                                                                                 \
  }                                                                                                \
  _Pragma("clang attribute pop")
#else
#define HK_SIM_ISA base
#define HK_SIM_BEGIN namespace hk::sim::base {
#define HK_SIM_END }
#endif
