//===- kernels.hip - What the resource report is made of ------------------===//
//
// Every configuration of hk/gemm/configs.h for f16 factors along K; for other types and layouts the first without a
// form of its own, and the first and the last tile. Only compiled. HK_FP8: the target's own e4m3. The epilogue's type
// says in a kernel's name which it is: see Case.
//
//===----------------------------------------------------------------------===//

#include "hk/gemm.h"

using namespace hk;
using namespace hk::detail;

/// Kind: index in KINDS of registers.py. Mode: 0 stream, 1 tile, 2 ring, 3 dot, 4 streamed. Lds: dynamic bytes of a workgroup.
template <int Kind, int Mode, int Config, int Lds, int Threads> struct Case {
  template <class V> HK_DEVICE V operator()(V sum) const { return sum; }
};

/// On AMD launches use the kernels for factors of any alignment.
template <int Kind, class T, bool ContiguousW, bool ContiguousX, class Y> struct Kernels {
  using W = Rows<T, ContiguousW, AsStored>;
  using X = Rows<T, ContiguousX, AsStored>;
  using Sum = typename SumOf<T>::Type;
  template <int Mode, int I, class C>
  using Program = GemmProgram<Case<Kind, Mode, I, C::template ldsBytes<Sum>(), C::Threads>, Tuple<>, Tuple<Matrix<Y>>>;

  template <int I> static const void *stream() {
    using C = typename ConfigAt<I, StreamConfigs>::Type;
    return reinterpret_cast<const void *>(&streamKernel<C, W, X, Program<0, I, C>, false, GemmExtent>);
  }
  template <int I> static const void *streamed() {
    using C = typename ConfigAt<I, StreamConfigs>::Type;
    if constexpr (C::Streams)
      return reinterpret_cast<const void *>(&streamKernel<C, W, X, Program<4, I, C>, false, StreamedExtent>);
    else
      return nullptr; // there is no such kernel
  }
  template <int I> static const void *dot() {
    using C = typename ConfigAt<I, DotConfigs>::Type;
    return reinterpret_cast<const void *>(&dotKernel<C, W, X, Program<3, I, C>, false>);
  }
  template <int I> static const void *ring() {
    using C = typename ConfigAt<I, RingConfigs>::Type;
    return reinterpret_cast<const void *>(&ringKernel<C, W, X, Program<2, I, C>, false>);
  }
  template <int I> static const void *tile() {
    using C = typename ConfigAt<I, TileConfigs>::Type;
    if constexpr (C::template Holds<Sum> && (C::General || (ContiguousW && ContiguousX)))
      return reinterpret_cast<const void *>(&tileKernel<C, W, X, Program<1, I, C>, false, GemmExtent>);
    else
      return nullptr; // there is no such kernel
  }
};

/// The first configuration of the list without a form of its own; all types have it.
template <int I = 0> constexpr int firstPlain() {
  using C = typename ConfigAt<I, StreamConfigs>::Type;
  if constexpr (C::Fold || C::Sparse)
    return firstPlain<I + 1>();
  else
    return I;
}

const void *volatile kernel;

void instantiate() {
  using F16 = Kernels<0, f16, true, true, f16>;
  forEachIndex<StreamConfigs::Size>([](auto i) {
    using C = typename ConfigAt<decltype(i)::value, StreamConfigs>::Type;
#if defined(__gfx90a__)
    if constexpr (!C::Sparse) // no such instructions
#endif
      kernel = F16::stream<decltype(i)::value>();
    kernel = F16::streamed<decltype(i)::value>();
  });
  forEachIndex<DotConfigs::Size>([](auto i) { kernel = F16::dot<decltype(i)::value>(); });
  forEachIndex<TileConfigs::Size>([](auto i) { kernel = F16::tile<decltype(i)::value>(); });
  forEachIndex<RingConfigs::Size>([](auto i) { kernel = F16::ring<decltype(i)::value>(); });

  constexpr int Plain = firstPlain(), Last = TileConfigs::Size - 1;
  auto along = [](auto kernels) {
    using K = decltype(kernels);
    kernel = K::template stream<Plain>();
    kernel = K::template ring<RingConfigs::Size - 1>();
    kernel = K::template dot<DotConfigs::Size - 1>();
    kernel = K::template tile<0>();
#if defined(__gfx90a__)
    if constexpr (sizeof(typename K::W::Type) > 1) // not chosen there
#endif
      kernel = K::template tile<Last>();
  };
  along(Kernels<1, bf16, true, true, bf16>{});
  along(Kernels<2, HK_FP8, true, true, f16>{});
  along(Kernels<3, int8_t, true, true, int32_t>{});
  along(Kernels<4, float, true, true, float>{});
  along(Kernels<5, double, true, true, double>{});
  // W is B's columns, X A's rows.
  kernel = Kernels<6, f16, false, true, f16>::tile<0>();
  kernel = Kernels<6, f16, false, true, f16>::tile<Last>();
  kernel = Kernels<7, f16, true, false, f16>::tile<0>();
  kernel = Kernels<8, f16, false, false, f16>::tile<0>();
}
