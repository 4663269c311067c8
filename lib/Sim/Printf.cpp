//===- Printf.cpp - Text of a device printf -------------------------------===//
//
// The message holds one 64-bit word for each number, and strings with their zero, padded to whole
// words. The format is walked as printf does, each conversion handed to the host's with its one
// argument.
//
//===----------------------------------------------------------------------===//

#include "hk/Sim/HostServices.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

using namespace llvm;
using namespace hk;
using namespace hk::sim;

namespace {

class Message {
public:
  Message(const uint64_t *Words, uint64_t Count) : Next(Words), End(Words + Count) {}

  uint64_t word() { return Next == End ? 0 : *Next++; }
  std::string string() {
    std::string Text;
    while (Next != End) {
      char Bytes[8];
      std::memcpy(Bytes, Next++, 8);
      for (char C : Bytes) {
        if (!C)
          return Text;
        Text += C;
      }
    }
    return Text;
  }

private:
  const uint64_t *Next, *End;
};

} // namespace

template <typename T> static void append(std::string &Out, const std::string &Format, T Value) {
  int Length = std::snprintf(nullptr, 0, Format.c_str(), Value);
  if (Length <= 0)
    return;
  std::vector<char> Text(size_t(Length) + 1);
  std::snprintf(Text.data(), Text.size(), Format.c_str(), Value);
  Out.append(Text.data(), size_t(Length));
}

/// One conversion, from behind its percent sign on; \p Format is moved past it.
static void convert(std::string &Out, StringRef &Format, Message &M) {
  std::string Spec = "%";
  auto Star = [&] {
    if (!Format.consume_front("*"))
      return false;
    Spec += std::to_string(int32_t(M.word()));
    return true;
  };
  auto Take = [&](StringRef Set) {
    size_t N = Format.find_first_not_of(Set);
    StringRef Taken = Format.take_front(N);
    Format = Format.drop_front(Taken.size());
    return Taken;
  };
  Spec += Take("-+ #0");
  if (!Star())
    Spec += Take("0123456789");
  if (Format.consume_front(".")) {
    Spec += '.';
    if (!Star())
      Spec += Take("0123456789");
  }
  StringRef Size = Take("hlLjztq");
  if (Format.empty()) {
    Out += Spec;
    return;
  }
  char Kind = Format.front();
  Format = Format.drop_front();
  bool Wide = Size == "l" || Size == "ll" || Size == "j" || Size == "z" || Size == "t" ||
              Size == "q" || Size == "L";
  switch (Kind) {
  case 'd':
  case 'i': {
    uint64_t W = M.word();
    long long V = Wide           ? static_cast<long long>(W)
                  : Size == "hh" ? int8_t(W)
                  : Size == "h"  ? int16_t(W)
                                 : int32_t(W);
    append(Out, Spec + "ll" + Kind, V);
    return;
  }
  case 'u':
  case 'x':
  case 'X':
  case 'o': {
    uint64_t W = M.word();
    unsigned long long V = Wide           ? W
                           : Size == "hh" ? uint8_t(W)
                           : Size == "h"  ? uint16_t(W)
                                          : uint32_t(W);
    append(Out, Spec + "ll" + Kind, V);
    return;
  }
  case 'c':
    append(Out, Spec + 'c', int(M.word()));
    return;
  case 'f':
  case 'F':
  case 'e':
  case 'E':
  case 'g':
  case 'G':
  case 'a':
  case 'A':
    append(Out, Spec + Kind, std::bit_cast<double>(M.word()));
    return;
  case 'p':
    append(Out, Spec + 'p', reinterpret_cast<void *>(M.word()));
    return;
  case 's':
    append(Out, Spec + 's', M.string().c_str());
    return;
  case 'n':
    M.word();
    return;
  default:
    Out += Spec;
    Out += Kind;
  }
}

std::string sim::printfText(const uint64_t *Words, uint64_t Count, bool &ToStderr) {
  Message M(Words, Count);
  ToStderr = M.word() & 1;
  std::string Text = M.string(), Out;
  StringRef Format = Text;
  while (!Format.empty()) {
    size_t Percent = Format.find('%');
    Out += Format.take_front(Percent);
    Format = Format.substr(Percent);
    if (!Format.consume_front("%"))
      break;
    if (Format.consume_front("%"))
      Out += '%';
    else
      convert(Out, Format, M);
  }
  return Out;
}
