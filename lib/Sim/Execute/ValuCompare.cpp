//===- ValuCompare.cpp - v_cmp and v_cmpx ---------------------------------===//

#include "../FloatTranscendental.h"
#include "Groups.h"
#include "Lanes.h"

using namespace llvm;
using namespace hk;
using namespace hk::sim;

HK_SIM_BEGIN

namespace {

template <class V> void addInteger(Adder &T, StringRef Type, V) {
  auto Name = [&](StringRef Op) { return (Op + "_" + Type).str(); };
  T.compare(Name("f"), [](V, V) { return false; });
  T.compare(Name("lt"), [](V A, V B) { return A < B; });
  T.compare(Name("eq"), [](V A, V B) { return A == B; });
  T.compare(Name("le"), [](V A, V B) { return A <= B; });
  T.compare(Name("gt"), [](V A, V B) { return A > B; });
  T.compare(Name("ne"), [](V A, V B) { return A != B; });
  T.compare(Name("ge"), [](V A, V B) { return A >= B; });
  T.compare(Name("t"), [](V, V) { return true; });
}

template <class V> void addFloat(Adder &T, StringRef Type, V) {
  auto Name = [&](StringRef Op) { return (Op + "_" + Type).str(); };
  T.compare(Name("f"), [](V, V) { return false; });
  T.compare(Name("lt"), [](V A, V B) { return A < B; });
  T.compare(Name("eq"), [](V A, V B) { return A == B; });
  T.compare(Name("le"), [](V A, V B) { return A <= B; });
  T.compare(Name("gt"), [](V A, V B) { return A > B; });
  T.compare(Name("lg"), [](V A, V B) { return A < B || A > B; });
  T.compare(Name("ge"), [](V A, V B) { return A >= B; });
  T.compare(Name("o"), [](V A, V B) { return A == A && B == B; });
  T.compare(Name("u"), [](V A, V B) { return A != A || B != B; });
  T.compare(Name("nge"), [](V A, V B) { return !(A >= B); });
  T.compare(Name("nlg"), [](V A, V B) { return !(A < B || A > B); });
  T.compare(Name("ngt"), [](V A, V B) { return !(A > B); });
  T.compare(Name("nle"), [](V A, V B) { return !(A <= B); });
  T.compare(Name("neq"), [](V A, V B) { return !(A == B); });
  T.compare(Name("nlt"), [](V A, V B) { return !(A < B); });
  T.compare(Name("tru"), [](V, V) { return true; });
}

} // namespace

void addValuCompare(OpTable &Table) {
  Adder T(Table);
  addInteger(T, "i16", int16_t());
  addInteger(T, "u16", uint16_t());
  addInteger(T, "i32", int32_t());
  addInteger(T, "u32", uint32_t());
  addInteger(T, "i64", int64_t());
  addInteger(T, "u64", uint64_t());
  addFloat(T, "f16", half());
  addFloat(T, "f32", float());
  addFloat(T, "f64", double());
  T.compare("class_f16", [](half X, uint32_t Mask) {
    return bool(classOfBits(std::bit_cast<uint16_t>(X), FormatF16) & Mask);
  });
  T.compare("class_f32", [](float X, uint32_t Mask) {
    return bool(classOfBits(std::bit_cast<uint32_t>(X), FormatF32) & Mask);
  });
  T.compare("class_f64", [](double X, uint32_t Mask) { return bool(classOf(X) & Mask); });
}

HK_SIM_END
