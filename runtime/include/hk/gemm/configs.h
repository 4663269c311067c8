//===- hk/gemm/configs.h - The configurations of hk::gemm's kernels -------------===//
//
// One list a kernel and platform. Every entry is a kernel for every program, so that lists are short: those of NVIDIA are what was
// best for some shape in a sweep on an H200, those of AMD follow from instruction counts in the simulator.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/gemm/dot_kernel.h"
#include "hk/gemm/ring_kernel.h"
#include "hk/gemm/stream_kernel.h"
#include "hk/gemm/tile_kernel.h"
#include "hk/gemm/warpgroup_kernel.h"

namespace hk {
namespace detail {

template <class... Cs> struct ConfigList {
  static constexpr int Size = sizeof...(Cs);
};
template <int I, class List> struct ConfigAt;
template <int I, class C, class... Cs> struct ConfigAt<I, ConfigList<C, Cs...>> : ConfigAt<I - 1, ConfigList<Cs...>> {};
template <class C, class... Cs> struct ConfigAt<0, ConfigList<C, Cs...>> {
  using Type = C;
};

//                               tiles  tiles  waves  waves         depth        resident
//                               of W   of X   on N   on K   unroll of W  of X            form
#if HK_AMD
using StreamConfigs = ConfigList<
    StreamConfig<1,   1,     1,     4,     2,     8,    4,    3,       StreamForm::Fold>,
    StreamConfig<2,   1,     1,     8,     2,     4,    2,    2,       StreamForm::Fold>,
    StreamConfig<1,   1,     1,     8,     2,     4,    2,    3,       StreamForm::Sparse>,
    StreamConfig<2,   1,     1,     8,     2,     2,    2,    2,       StreamForm::Sparse>,
    StreamConfig<1,   1,     1,     8,     2,     4,    4,    2>,
    StreamConfig<2,   1,     1,     8,     2,     4,    2,    2>,
    StreamConfig<2,   2,     1,     4,     2,     2,    2,    3>,
    StreamConfig<2,   4,     1,     4,     2,     2,    2,    1>,
    StreamConfig<1,   2,     1,     4,     2,     8,    2,    3>,
    StreamConfig<1,   4,     1,     4,     2,     8,    2,    2>>;
#else
using StreamConfigs = ConfigList<
    StreamConfig<1,   1,     1,     8,     2,     4,    2,    1>,
    StreamConfig<1,   1,     1,     4,     2,     4,    2,    4>,
    StreamConfig<2,   1,     1,     8,     2,     2,    2,    2>,
    StreamConfig<2,   1,     1,     4,     2,     2,    2,    3>>;
#endif

//                             rows    rows    waves  waves        depth        resident
//                             of X    of W    on N   on K   of W  of X
#if HK_AMD
using DotConfigs = ConfigList<
    DotConfig<1,       4,      1,     4,     4,    4,    3>,
    DotConfig<1,       4,      4,     1,     4,    4,    3>,
    DotConfig<2,       4,      2,     2,     4,    2,    2>,
    DotConfig<4,       4,      2,     2,     2,    2,    2>>;
#else
using DotConfigs = ConfigList<
    DotConfig<1,       4,      1,     8,     2,    2,    3>,
    DotConfig<1,       8,      1,     8,     2,    2,    2>,
    DotConfig<2,       4,      1,     8,     4,    2,    1>>;
#endif

//                             tile      bytes  waves          resident
//                             N    M    of K   on N, M stages          ahead  general ping-pong
#if HK_AMD
using TileConfigs = ConfigList<
    TileConfig<64,  64,  128,   2, 2,   2,     2,       false, true>,
    TileConfig<128, 128, 64,    2, 2,   2,     2,       false, true>,
    TileConfig<256, 256, 64,    4, 2,   2,     1,       false, false,  true>>;
#elif HK_WARPGROUPS
using TileConfigs = ConfigList<
    TileConfig<64,  64,  128,   2, 2,   4,     3,       true,  true>,
    TileConfig<128, 128, 128,   2, 2,   3,     2,       false, true>,
    TileConfig<64,  8,   256,   4, 1,   6,     2>,
    TileConfig<64,  16,  256,   4, 1,   5,     2,       true>,
    TileConfig<32,  64,  256,   2, 2,   4,     2,       true>>;
#else
using TileConfigs = ConfigList<
    TileConfig<64,  64,  128,   2, 2,   4,     3,       true,  true>,
    TileConfig<128, 128, 128,   2, 2,   3,     2,       false, true>,
    TileConfig<64,  8,   256,   4, 1,   6,     2>,
    TileConfig<64,  16,  128,   4, 1,   8,     2,       true>,
    TileConfig<64,  16,  256,   4, 1,   5,     2,       true>,
    TileConfig<64,  32,  128,   4, 1,   6,     3,       true>,
    TileConfig<64,  32,  256,   4, 1,   4,     2,       true>,
    TileConfig<64,  64,  256,   2, 2,   3,     2,       true>,
    TileConfig<32,  64,  256,   2, 2,   4,     2,       true>,
    TileConfig<128, 64,  128,   2, 2,   4,     2,       true>>;
#endif

//                                tiles  warp-  rows  panels        resident
//                                of W   groups of X  of K   stages       deep
#if HK_WARPGROUPS
using WarpgroupConfigs = ConfigList<
    WarpgroupConfig<1,     2,     64,   2,     4,     1,   true>,
    WarpgroupConfig<1,     1,     64,   1,     4,     3,   true>,
    WarpgroupConfig<1,     1,     64,   1,     6,     2,   true>,
    WarpgroupConfig<1,     2,     32,   2,     5,     1>,
    WarpgroupConfig<1,     1,     32,   2,     4,     2,   true>,
    WarpgroupConfig<1,     1,     32,   1,     6,     3,   true>,
    WarpgroupConfig<1,     1,     16,   2,     5,     2>,
    WarpgroupConfig<1,     1,     16,   1,     7,     3>,
    WarpgroupConfig<1,     2,     256,  1,     4,     1>,
    WarpgroupConfig<1,     2,     128,  1,     3,     2>>;
#else
using WarpgroupConfigs = ConfigList<>;
#endif

//                             tiles  tiles                           bytes
//                             of W   of X   consumers  producers     of K   slots  resident
#if HK_AMD
using RingConfigs = ConfigList<
    RingConfig<1,     2,     4,         4,            128,   5,     1>,
    RingConfig<1,     4,     4,         4,            128,   3,     1>>;
#else
using RingConfigs = ConfigList<>;
#endif

} // namespace detail
} // namespace hk
