//===- Rotary.hip - The interface of rotary embedding ---------------------===//
#include "Arguments.h"
#include "hk/ops/rotary.h"

using namespace hk;
using namespace hk::kernels;

namespace {

/// Two strides of what is written or read: heads of `width` elements, of which no two may be the
/// same memory if
/// \p apart.
struct Strides {
  const char *token, *head;
  int64_t tokenStride, headStride;

  void check(Arguments &arguments, int64_t tokens, int64_t heads, int64_t width, bool apart) const {
    constexpr int64_t Most = int64_t(1) << 60;
    arguments.require(tokenStride >= 0, hipErrorInvalidValue, "%s: %lld is negative", token,
                      (long long)tokenStride);
    arguments.require(headStride >= 0, hipErrorInvalidValue, "%s: %lld is negative", head,
                      (long long)headStride);
    int64_t last, lastHead;
    arguments.require(
        !__builtin_mul_overflow(tokens - (tokens > 0), tokenStride, &last) && last <= Most,
        hipErrorInvalidValue, "%s: %lld goes beyond 2^60 elements", token, (long long)tokenStride);
    arguments.require(
        !__builtin_mul_overflow(heads - (heads > 0), headStride, &lastHead) && lastHead <= Most,
        hipErrorInvalidValue, "%s: %lld goes beyond 2^60 elements", head, (long long)headStride);
    if (!arguments || !apart)
      return;
    // The dimension with the smaller stride lies inside of one step of the other.
    const bool headsInside = heads < 2 || tokens < 2 || headStride <= tokenStride;
    const int64_t headSpan = width + (headsInside ? 0 : last),
                  tokenSpan = width + (headsInside ? lastHead : 0);
    arguments.require(heads < 2 || headStride >= headSpan, hipErrorInvalidValue,
                      "%s: %lld is less than the %lld elements of one step", head,
                      (long long)headStride, (long long)headSpan);
    arguments.require(tokens < 2 || tokenStride >= tokenSpan, hipErrorInvalidValue,
                      "%s: %lld is less than the %lld elements of one step", token,
                      (long long)tokenStride, (long long)tokenSpan);
  }
};

} // namespace

int hk_rotary(const hk_launch *launch, int64_t tokens, int64_t heads, int64_t half,
              int32_t interleaved, int32_t type, const void *x, int64_t token_stride,
              int64_t head_stride, hk_vector cosine, hk_vector sine, int64_t angle_pitch, void *y,
              int64_t out_token_stride, int64_t out_head_stride) {
  Arguments arguments(Extent::Elements);
  arguments.launch(launch);
  arguments.require(tokens >= 0, hipErrorInvalidValue, "tokens: %lld is negative",
                    (long long)tokens);
  arguments.require(heads >= 0, hipErrorInvalidValue, "heads: %lld is negative", (long long)heads);
  arguments.require(half >= 0, hipErrorInvalidValue, "half: %lld is negative", (long long)half);
  int64_t all;
  arguments.require(!__builtin_mul_overflow(tokens, heads, &all) &&
                        !__builtin_mul_overflow(all, half, &all) && all <= int64_t(1) << 59 &&
                        half <= int64_t(1) << 58,
                    hipErrorInvalidValue, "tokens: more than 2^60 elements in all");
  arguments.setEmpty(tokens == 0 || heads == 0 || half == 0);
  arguments.oneOf("interleaved", interleaved, 2);
  arguments.type("type", type, FloatTypes);
  if (!arguments)
    return arguments.result();
  arguments.pointer("x", x, sizeOf(Type(type)));
  Strides{"token_stride", "head_stride", token_stride, head_stride}.check(arguments, tokens, heads,
                                                                          2 * half, false);
  arguments.vector("cosine", cosine, sameOrFloat(type));
  arguments.vector("sine", sine, sameOrFloat(type));
  arguments.require(sine.type == cosine.type, hipErrorNotSupported,
                    "sine.type: built for the type of cosine only");
  int64_t last;
  arguments.require(angle_pitch == 0 || angle_pitch >= half || tokens < 2, hipErrorInvalidValue,
                    "angle_pitch: %lld is less than the %lld pairs of a head",
                    (long long)angle_pitch, (long long)half);
  arguments.require(
      angle_pitch >= 0 && !__builtin_mul_overflow(tokens - (tokens > 0), angle_pitch, &last) &&
          last <= int64_t(1) << 60,
      hipErrorInvalidValue, "angle_pitch: %lld is negative or goes beyond 2^60 elements",
      (long long)angle_pitch);
  arguments.pointer("y", y, sizeOf(Type(type)));
  Strides{"out_token_stride", "out_head_stride", out_token_stride, out_head_stride}.check(
      arguments, tokens, heads, 2 * half, true);
  return arguments.run([&] {
    return withFloatType(type, [&](auto as) {
      using X = typename decltype(as)::Type;
      return withTypeOrFloat<X>(cosine.type, [&](auto angles) {
        using C = typename decltype(angles)::Type;
        return rotary(launchOf(*launch), RotaryShape{tokens, heads, half},
                      interleaved ? RotaryLayout::Pairs : RotaryLayout::Halves,
                      static_cast<const X *>(x), token_stride, head_stride,
                      static_cast<const C *>(cosine.data), static_cast<const C *>(sine.data),
                      angle_pitch, static_cast<X *>(y), out_token_stride, out_head_stride);
      });
    });
  });
}
