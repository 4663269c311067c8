//===- Inputs.h - Arguments made up for a kernel ----------------*- C++ -*-===//
//
// A case is one launch with everything that goes into it, and follows from its
// number and the seed alone.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/Sim/Device.h"
#include "hk/Verify/Verify.h"

namespace hk::verification {

/// What the values in a buffer are like.
enum class IntValues { Small, Tiny, Ascending, Full };
enum class FloatValues { Plain, Special, Bits };

/// How a kernel may be launched, as launch sites or a specification say.
struct LaunchChoice {
  std::array<uint32_t, 3> Grid{4, 1, 1}, Block{256, 1, 1};
  uint32_t Lds = 0;
  std::vector<std::optional<int64_t>> Arguments; ///< by parameter
  const LaunchSpec *Spec = nullptr;
};

/// The choices for \p K; \p Specs are those that name it. \p Code: its limits.
std::vector<LaunchChoice> launchChoices(const Kernel &K, const std::vector<Launch> &Launches,
                                        const std::vector<const LaunchSpec *> &Specs, const sim::Kernel &Code,
                                        const VerifyOptions &Opts);

struct DeviceBuffer {
  std::string Name; ///< of the parameter, or p.member
  ValueLayout Element;
  uint8_t *Base = nullptr;
  uint64_t Bytes = 0;
  uint64_t Start = 0; ///< where the pointer points to, in bytes
  std::vector<uint8_t> Initial;
};

/// A pointer that is part of the inputs.
struct InputPointer {
  int Holder = -1;     ///< the buffer that it is in; -1: the arguments
  uint64_t Offset = 0; ///< where in it
  unsigned Target = 0; ///< the buffer that it points into
  uint64_t Byte = 0;   ///< and where
};

class CaseInputs {
public:
  CaseInputs(const Kernel &K, const sim::Kernel &Code, const LaunchChoice &Choice, unsigned Number,
             const VerifyOptions &Opts)
      : K(K), Code(Code), Choice(Choice), Number(Number), Opts(Opts) {}
  ~CaseInputs();

  /// Allocates and fills. An error when arguments cannot be made.
  llvm::Error make(sim::DeviceMemory &Memory);
  /// Puts all buffers back to what they were before the first launch.
  void restore();

  sim::LaunchConfig config() const;
  const std::vector<uint8_t> &arguments() const { return Arguments; }
  /// Where each argument begins.
  std::vector<uint64_t> argumentOffsets() const;
  const std::vector<DeviceBuffer> &buffers() const { return Buffers; }
  /// All pointers in arguments and buffers, for memory that lies elsewhere.
  std::vector<InputPointer> pointers() const;
  /// In the form of a launch specification, so that the case can be repeated in part, with what that does not say.
  std::string description() const { return Text; }

private:
  const Kernel &K;
  const sim::Kernel &Code;
  const LaunchChoice &Choice;
  unsigned Number;
  const VerifyOptions &Opts;
  sim::DeviceMemory *Memory = nullptr;
  std::vector<DeviceBuffer> Buffers;
  std::vector<uint8_t> Arguments;
  std::vector<std::pair<int, uint64_t>> PointerWords; ///< holder and offset, as in InputPointer
  std::string Text;
  IntValues Ints = IntValues::Small;
  FloatValues Floats = FloatValues::Plain;
  bool Unaligned = false;
  bool Overlap = false;
  uint64_t State = 0;

  uint64_t random();
  llvm::Error makeBuffer(llvm::StringRef Name, const ValueLayout *Element, const LaunchSpec::Param *P, unsigned Depth,
                         uint64_t &Address);
  llvm::Error fill(unsigned Buffer, llvm::StringRef Initial, unsigned Depth);
  void scalarInto(uint8_t *To, const ValueLayout::Scalar &S, uint64_t Index, llvm::StringRef Initial);
  int64_t sizeSample(unsigned Param);
};

} // namespace hk::verification
