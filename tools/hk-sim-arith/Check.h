//===- Check.h - Counts what differs from a reference ---------------------===//

#ifndef HK_TOOLS_SIM_ARITH_CHECK_H
#define HK_TOOLS_SIM_ARITH_CHECK_H

#include <cstdint>
#include <cstdio>
#include <random>

namespace hk::arith {

/// One named comparison. The first few differences are printed.
class Check {
public:
  explicit Check(const char *Name) : Name(Name) {}
  ~Check();
  template <typename... Args> void expect(bool Ok, const char *Format, Args... Values) {
    ++Done;
    if (Ok)
      return;
    if (++Wrong > 8)
      return;
    std::printf("%s: ", Name);
    if constexpr (sizeof...(Values) == 0)
      std::fputs(Format, stdout);
    else
      std::printf(Format, Values...);
    std::printf("\n");
  }
  static bool anyWrong() { return Any; }

private:
  const char *Name;
  uint64_t Done = 0, Wrong = 0;
  static bool Any;
};

using Random = std::mt19937_64;

/// Bit patterns in which the special ones are as frequent as the others.
uint64_t hardBits(Random &R, unsigned ExponentBits, unsigned MantissaBits);

void testFormats(uint64_t Count);
void testSequences(uint64_t Count);
void testFunctions(uint64_t Count);
void testMatrix(uint64_t Count);

} // namespace hk::arith

#endif
