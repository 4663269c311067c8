//===- check.h - Results against the reference ----------------------------===//
#pragma once

#include "tensor.h"

#include <map>

namespace test {

inline int64_t failures = 0, elements = 0;

/// The largest error seen, as a part of what is allowed, by bound.
inline std::map<std::string, double> &worst() {
  static std::map<std::string, double> all;
  return all;
}

/// One case: `name` has the operator, the shape, types and whatever else tells it from others.
struct Checker {
  std::string bound, name;
  int shown = 0;

  Checker(std::string bound, std::string name) : bound(std::move(bound)), name(std::move(name)) {}

  void fail(const std::string &what) {
    ++failures;
    if (shown++ < 3)
      std::printf("%s: %s\n", name.c_str(), what.c_str());
  }

  /// An element of \p type has to be what some number within \p allowed of \p exact is rounded to.
  void element(const char *what, const ElementType &type, int64_t row, int64_t column, double got, double exact,
               double allowed) {
    ++elements;
    if (!std::isfinite(exact))
      allowed = 0;
    const double low = type.rounded(exact - allowed), high = type.rounded(exact + allowed);
    const bool right = std::isnan(low) || std::isnan(high) ? std::isnan(got) : got >= low && got <= high;
    if (!right) {
      char text[200];
      std::snprintf(text, sizeof text, "%s (%s) row %lld column %lld: got %.9g, wanted %.9g to %.9g (exactly %.12g)",
                    what, type.name, static_cast<long long>(row), static_cast<long long>(column), got, low, high, exact);
      fail(text);
    }
    if (allowed > 0 && allowed < std::fabs(exact) && type.bytes == 4 && std::isfinite(exact) && std::isfinite(got)) {
      const double ulp = std::ldexp(1, std::max(got == 0 ? -200 : std::ilogb(got), 1 - type.bias) - type.mantissaBits);
      double &most = worst()[bound];
      most = std::max(most, (std::fabs(got - exact) - ulp / 2) / allowed);
    }
  }
  void untouched(const char *what, const Tensor &tensor) {
    if (!tensor.untouched())
      fail(std::string(what) + ": memory around it was written");
  }
  void success(int error, const char *message = "") {
    if (error)
      fail("error " + std::to_string(error) + " " + message);
  }
};

inline int finish() {
  for (const auto &[name, part] : worst())
    std::printf("%s: at most %.2f of the bound\n", name.c_str(), part);
  if (failures)
    std::printf("%lld wrong of %lld\n", static_cast<long long>(failures), static_cast<long long>(elements));
  else
    std::printf("all %lld passed\n", static_cast<long long>(elements));
  return failures != 0;
}

} // namespace test
