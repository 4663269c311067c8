//===- Main.cpp - hk-sim-arith --------------------------------------------===//
//
// hk-sim-arith GROUP [COUNT]: compares a group of the simulator's arithmetic with references that
// were written another way, on COUNT random inputs each. Exits 1 if anything differs.
//
//===----------------------------------------------------------------------===//

#include "Check.h"

#include <cstdlib>
#include <cstring>

using namespace hk::arith;

bool Check::Any = false;

Check::~Check() {
  std::printf("%s: %llu compared, %llu wrong\n", Name, static_cast<unsigned long long>(Done),
              static_cast<unsigned long long>(Wrong));
  // A test that compared nothing has not passed.
  Any |= Wrong != 0 || Done == 0;
}

uint64_t hk::arith::hardBits(Random &R, unsigned ExponentBits, unsigned MantissaBits) {
  uint64_t Exponents = (uint64_t(1) << ExponentBits) - 1;
  uint64_t Mantissas = (uint64_t(1) << MantissaBits) - 1;
  uint64_t Draw = R();
  uint64_t Sign = Draw & 1, Exponent = R() & Exponents, Mantissa = R() & Mantissas;
  switch (Draw >> 1 & 15) {
  case 0:
    Exponent = 0;
    break;
  case 1:
    Exponent = Exponents;
    Mantissa = Draw & 32 ? Mantissa : 0;
    break;
  case 2:
    Exponent = Exponents - 1 - (Draw >> 8 & 3);
    break;
  case 3:
    Exponent = 1 + (Draw >> 8 & 3);
    break;
  case 4: // few bits set: ties
    Mantissa &= Mantissas << (Draw >> 8) % MantissaBits;
    break;
  case 5:
    Mantissa = Mantissas;
    break;
  case 6:
  case 7: // near one
    Exponent = Exponents / 2 + (Draw >> 8 & 15) - 8;
    break;
  case 8:
    Exponent = Mantissa = 0;
    break;
  default:
    break;
  }
  Exponent &= Exponents;
  return Sign << (ExponentBits + MantissaBits) | Exponent << MantissaBits | Mantissa;
}

int main(int Argc, char **Argv) {
  struct Group {
    const char *Name;
    void (*Run)(uint64_t);
  };
  static constexpr Group Groups[] = {{"formats", testFormats},
                                     {"sequences", testSequences},
                                     {"functions", testFunctions},
                                     {"matrix", testMatrix}};
  if (Argc < 2 || Argc > 3) {
    std::fprintf(stderr, "usage: hk-sim-arith formats|sequences|functions|matrix|all [count]\n");
    return 2;
  }
  uint64_t Count = Argc > 2 ? std::strtoull(Argv[2], nullptr, 10) : 100000;
  bool Found = false;
  for (const Group &G : Groups)
    if (!std::strcmp(Argv[1], G.Name) || !std::strcmp(Argv[1], "all")) {
      G.Run(Count);
      Found = true;
    }
  if (!Found) {
    std::fprintf(stderr, "hk-sim-arith: unknown group '%s'\n", Argv[1]);
    return 2;
  }
  return Check::anyWrong();
}
