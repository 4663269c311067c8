//===- Dequantize.hip - The interface of dequantization -------------------===//
#include "Arguments.h"
#include "hk/ops/quantize.h"

using namespace hk;
using namespace hk::kernels;

int hk_dequantize(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix q,
                  const float *scale, int64_t scale_pitch, int64_t group, hk_matrix y) {
  Arguments arguments(Extent::Elements);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.matrix("q", q, ByteTypes);
  arguments.require(group >= 1, hipErrorInvalidValue, "group: %lld is less than 1",
                    (long long)group);
  if (arguments)
    arguments.scales("scale", scale, scale_pitch, columns / group + (columns % group != 0), true);
  arguments.matrix("y", y, FloatTypes);
  return arguments.run([&] {
    return withByteType(q.type, [&](auto from) {
      using Q = typename decltype(from)::Type;
      return withFloatType(y.type, [&](auto to) {
        return dequantize(launchOf(*launch), {rows, columns}, matrixOf<const Q>(q), scale,
                          scale_pitch, group, matrixOf<typename decltype(to)::Type>(y));
      });
    });
  });
}
