//===- Softmax.hip - The interface of softmax; rows of float --------------===//
#include "Softmax.h"

using namespace hk;
using namespace hk::kernels;

namespace hk::kernels {
extern template hipError_t softmaxOf<f16>(const SoftmaxCall &);
extern template hipError_t softmaxOf<bf16>(const SoftmaxCall &);
} // namespace hk::kernels

int hk_softmax(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, float scale,
               hk_matrix mask, hk_matrix y) {
  Arguments arguments(Extent::Rows);
  arguments.launch(launch);
  arguments.shape(rows, columns);
  arguments.matrix("x", x, FloatTypes);
  arguments.finite("scale", scale, false);
  arguments.matrix("mask", mask, sameOrFloat(x.type), true, true);
  arguments.matrix("y", y, sameOrFloat(x.type));
  return arguments.run([&] {
    const SoftmaxCall call{
        launchOf(*launch), launch->policy == HK_FAST, {rows, columns}, x, scale, mask, y};
    return withFloatType(x.type,
                         [&](auto as) { return softmaxOf<typename decltype(as)::Type>(call); });
  });
}
