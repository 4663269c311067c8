//===- Quantize.hip - The interface of quantization; float ----------------===//
#include "Quantize.h"

using namespace hk;
using namespace hk::kernels;

namespace hk::kernels {
extern template hipError_t quantizeOf<f16>(const QuantizeCall &);
extern template hipError_t quantizeOf<bf16>(const QuantizeCall &);
} // namespace hk::kernels

int hk_quantize(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x,
                const hk_output *y) {
  const bool dynamic = y && (y->scaling == HK_SCALE_ROWS || y->scaling == HK_SCALE_GROUPS);
  Arguments arguments(dynamic ? Extent::Rows : Extent::Elements);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.matrix("x", x, FloatTypes);
  arguments.output("y", y, 0, dynamic ? QuantizedTypes : ByteTypes, true);
  return arguments.run([&] {
    const QuantizeCall call{launchOf(*launch), {rows, columns}, x, *y};
    return withFloatType(x.type,
                         [&](auto as) { return quantizeOf<typename decltype(as)::Type>(call); });
  });
}
