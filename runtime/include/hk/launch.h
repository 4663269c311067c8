//===- hk/launch.h - The one place that launches kernels ------------------===//
//
// Every operator takes a Launch and returns a hipError_t. Launching allocates nothing, never synchronizes, and may be
// captured in a graph. An error of the launch itself is returned; one that a kernel meets while it runs comes from a later
// call of the runtime, as with every launch.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "hk/platform.h"
#include "hk/target.h"

#include <cstddef>

namespace hk {

/// Memory through which the workgroups that share a row exchange what they have reduced; see hk/split.h. Without one, no
/// row is shared on AMD. NVIDIA's clusters need none.
///
/// It belongs to one launch at a time: use one per stream, and one per graph that may run beside others. Prepare it once
/// with prepareWorkspace(); every launch leaves it ready for the next, so that graphs which are replayed need no reset.
struct Workspace {
  static constexpr size_t Bytes = 81920;
  void *data = nullptr;
};

/// Makes fresh memory of Workspace::Bytes bytes, aligned to 128, ready, in the order of \p stream.
inline hipError_t prepareWorkspace(Workspace workspace, hipStream_t stream) {
  if (!workspace.data)
    return hipErrorInvalidValue;
  return hipMemsetAsync(workspace.data, 0, Workspace::Bytes, stream);
}

struct Launch {
  hipStream_t stream = nullptr;
  Workspace workspace = {};
};

namespace detail {

/// First of all in every kernel, before it touches memory. On NVIDIA (sm_90) the kernel may have been started while the one
/// before it in the stream still runs: this waits until that one has ended and what it wrote can be seen. And it lets the
/// next one start likewise, once all workgroups of this one have begun.
HK_DEVICE void awaitPreviousKernel() {
#if HK_NVIDIA && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;\n\tgriddepcontrol.wait;" ::: "memory");
#endif
}

/// The second half of that alone: the next kernel may start. For kernels that read what no kernel writes before they call
/// awaitPreviousKernel().
HK_DEVICE void startNextKernel() {
#if HK_NVIDIA && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// \p cluster: workgroups that share their LDS, on NVIDIA; 1: none. The kernel has to begin with awaitPreviousKernel().
template <class... Parameters, class... Arguments>
hipError_t launchKernel(const Target &target, void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t lds,
                        int cluster, hipStream_t stream, const Arguments &...arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments));
  void *pointers[] = {const_cast<void *>(static_cast<const void *>(&arguments))...};
  const void *function = reinterpret_cast<const void *>(kernel);
#if HK_NVIDIA
  if (lds > 16 * 1024) // with what kernels declare themselves this may exceed 48 KiB, which has to be asked for
    if (cudaError_t error = cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, int(lds));
        error != cudaSuccess)
      return error;
  if (target.arch >= Arch::Sm90) {
    cudaLaunchAttribute attributes[2] = {};
    attributes[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[0].val.programmaticStreamSerializationAllowed = 1;
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = unsigned(cluster);
    attributes[1].val.clusterDim.y = attributes[1].val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = lds;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = cluster > 1 ? 2 : 1;
    return cudaLaunchKernelExC(&config, function, pointers);
  }
#endif
  (void)target, (void)cluster;
  return hipLaunchKernel(function, grid, block, pointers, lds, stream);
}

} // namespace detail
} // namespace hk
