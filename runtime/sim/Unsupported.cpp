//===- Unsupported.cpp - Calls the library does not do --------------------===//
//
// Each says so and returns hipErrorNotSupported. They are defined without their parameters, which
// the calling convention lets pass: the list holds names only and does not follow the header's
// changes. A test compares it, and what is implemented, with the header.
//
//===----------------------------------------------------------------------===//

namespace hk::hip {
int unsupportedCall(const char *Call);
} // namespace hk::hip

#define HK_UNSUPPORTED(Name)                                                                       \
  extern "C" int Name() { return hk::hip::unsupportedCall(#Name); }
#include "Unsupported.def"
