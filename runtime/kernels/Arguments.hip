//===- Arguments.hip - What is looked at before a kernel starts -----------===//
#include "Arguments.h"

#include <cmath>
#include <cstdarg>
#include <cstdio>

using namespace hk;
using namespace hk::kernels;

static thread_local char Message[256] = "";

const char *hk_last_message(void) { return Message; }

const char *hk_built_for(void) { return HK_KERNELS_ARCH; }

hk_type hk_native_fp8(void) { return NativeE4M3Type; }

size_t hk_workspace_bytes(void) { return Workspace::Bytes; }

static const char *nameOf(int type) {
  static const char *const Names[] = {"F32", "F16",  "BF16", "I8",       "U8",
                                      "I32", "E4M3", "E5M2", "E4M3FNUZ", "E5M2FNUZ"};
  return type >= 0 && type < 10 ? Names[type] : "no type";
}

static bool isMultiple(const void *data, int bytes) {
  return reinterpret_cast<uintptr_t>(data) % unsigned(bytes) == 0;
}

void Arguments::require(bool holds, hipError_t otherwise, const char *format, ...) {
  if (holds || error != hipSuccess)
    return;
  error = otherwise;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(Message, sizeof Message, format, arguments);
  va_end(arguments);
}

void Arguments::launch(const hk_launch *launch) {
  require(launch, hipErrorInvalidValue, "launch: null");
  if (!launch)
    return;
  require(isMultiple(launch->workspace, 128), hipErrorInvalidValue,
          "launch.workspace: not aligned to 128 bytes");
  oneOf("launch.policy", launch->policy, 2);
}

void Arguments::shape(int64_t r, int64_t c, const char *rowsName, const char *columnsName) {
  rows = r, columns = c;
  require(rows >= 0, hipErrorInvalidValue, "%s: %lld is negative", rowsName, (long long)rows);
  require(columns >= 0, hipErrorInvalidValue, "%s: %lld is negative", columnsName,
          (long long)columns);
  if (extent == Extent::Rows) {
    require(rows <= 0x7fffffff, hipErrorNotSupported, "%s: %lld is more than 2^31 - 1", rowsName,
            (long long)rows);
    require(columns < 1 << 29, hipErrorNotSupported, "%s: %lld is more than 2^29 - 1", columnsName,
            (long long)columns);
  } else if (extent == Extent::Products) {
    require(rows <= 0x7fffff00, hipErrorNotSupported, "%s: %lld is more than 2^31 - 256", rowsName,
            (long long)rows);
    require(columns <= 0x7fffff00, hipErrorNotSupported, "%s: %lld is more than 2^31 - 256",
            columnsName, (long long)columns);
  }
  int64_t all;
  require(!__builtin_mul_overflow(rows, columns, &all) && all <= int64_t(1) << 60,
          hipErrorInvalidValue, "%s: %lld of %lld %s are more than 2^60 elements", rowsName,
          (long long)rows, (long long)columns, columnsName);
  empty = rows == 0 || columns == 0;
}

void Arguments::type(const char *name, int type, TypeSet types) {
  require(type >= HK_F32 && type <= HK_E5M2FNUZ, hipErrorInvalidValue, "%s: %d is no hk_type", name,
          type);
  if (type >= HK_F32 && type <= HK_E5M2FNUZ)
    require(types >> type & 1, hipErrorNotSupported, "%s: not built for %s here", name,
            nameOf(type));
}

void Arguments::pointer(const char *name, const void *data, int elementBytes, bool optional) {
  require(data || empty || optional, hipErrorInvalidValue, "%s: null", name);
  require(isMultiple(data, elementBytes), hipErrorInvalidValue,
          "%s: not aligned to its elements of %d bytes", name, elementBytes);
}

void Arguments::matrix(const char *name, const hk_matrix &m, TypeSet types, bool optional,
                       bool broadcast) {
  if (optional && !m.data)
    return;
  char part[64];
  std::snprintf(part, sizeof part, "%s.type", name);
  type(part, m.type, types);
  if (error != hipSuccess)
    return;
  std::snprintf(part, sizeof part, "%s.data", name);
  pointer(part, m.data, sizeOf(Type(m.type)));
  require(rows < 2 || m.pitch >= columns || (broadcast && m.pitch == 0), hipErrorInvalidValue,
          "%s.pitch: %lld is less than the %lld columns", name, (long long)m.pitch,
          (long long)columns);
  require(m.pitch >= 0, hipErrorInvalidValue, "%s.pitch: %lld is negative", name,
          (long long)m.pitch);
  if (extent != Extent::Elements)
    require(m.pitch <= 0x7fffffff, hipErrorNotSupported, "%s.pitch: %lld is more than 2^31 - 1",
            name, (long long)m.pitch);
  int64_t last;
  require(rows == 0 || (!__builtin_mul_overflow(rows - 1, m.pitch, &last) &&
                        last <= (int64_t(1) << 60) - columns),
          hipErrorInvalidValue, "%s.pitch: %lld goes beyond 2^60 elements", name,
          (long long)m.pitch);
}

void Arguments::factor(const char *name, const hk_factor &f, int64_t r, int64_t c, TypeSet types) {
  char part[64];
  std::snprintf(part, sizeof part, "%s.type", name);
  type(part, f.type, types);
  std::snprintf(part, sizeof part, "%s.layout", name);
  oneOf(part, f.layout, 2);
  if (error != hipSuccess)
    return;
  std::snprintf(part, sizeof part, "%s.data", name);
  const int bytes = sizeOf(Type(f.type));
  pointer(part, f.data, bytes, r == 0 || c == 0);
  const bool byRows = f.layout == HK_ROW_MAJOR;
  const int64_t lines = byRows ? r : c, length = byRows ? c : r;
  require(lines < 2 || f.ld >= length, hipErrorInvalidValue,
          "%s.ld: %lld is less than the %lld elements of a %s", name, (long long)f.ld,
          (long long)length, byRows ? "row" : "column");
  require(f.ld >= 0, hipErrorInvalidValue, "%s.ld: %lld is negative", name, (long long)f.ld);
  require(f.ld <= 0xffffff / bytes, hipErrorNotSupported,
          "%s.ld: 256 times %lld elements are more than 4 GiB", name, (long long)f.ld);
}

void Arguments::stride(const char *name, int64_t stride, int64_t batches) {
  int64_t last;
  require(stride >= 0, hipErrorInvalidValue, "%s: %lld is negative", name, (long long)stride);
  require(batches < 2 ||
              (!__builtin_mul_overflow(batches - 1, stride, &last) && last <= int64_t(1) << 59),
          hipErrorInvalidValue, "%s: %lld goes beyond 2^59 elements", name, (long long)stride);
}

void Arguments::vector(const char *name, const hk_vector &v, TypeSet types, bool optional) {
  if (optional && !v.data)
    return;
  char part[64];
  std::snprintf(part, sizeof part, "%s.type", name);
  type(part, v.type, types);
  if (error != hipSuccess)
    return;
  std::snprintf(part, sizeof part, "%s.data", name);
  pointer(part, v.data, sizeOf(Type(v.type)));
}

void Arguments::scales(const char *name, const float *scale, int64_t pitch, int64_t groups,
                       bool broadcast) {
  pointer(name, scale, 4);
  require(rows < 2 || pitch >= groups || (broadcast && pitch == 0), hipErrorInvalidValue,
          "%s_pitch: %lld is less than the %lld groups of a row", name, (long long)pitch,
          (long long)groups);
  require(pitch >= 0, hipErrorInvalidValue, "%s_pitch: %lld is negative", name, (long long)pitch);
  if (extent == Extent::Rows)
    require(pitch <= 0x7fffffff, hipErrorNotSupported, "%s_pitch: %lld is more than 2^31 - 1", name,
            (long long)pitch);
  int64_t last;
  require(rows == 0 || (!__builtin_mul_overflow(rows - 1, pitch, &last) &&
                        last <= (int64_t(1) << 60) - groups),
          hipErrorInvalidValue, "%s_pitch: %lld goes beyond 2^60 elements", name, (long long)pitch);
}

void Arguments::output(const char *name, const hk_output *y, TypeSet plain, TypeSet quantized,
                       bool anyGroup) {
  require(y, hipErrorInvalidValue, "%s: null", name);
  if (!y)
    return;
  char part[64];
  std::snprintf(part, sizeof part, "%s.scaling", name);
  oneOf(part, y->scaling, 4);
  std::snprintf(part, sizeof part, "%s.values", name);
  const bool scaled = y->scaling != HK_SCALE_NONE;
  if (scaled && error == hipSuccess && y->values.type >= 0 && y->values.type < 32)
    require(!(plain >> y->values.type & 1) || quantized >> y->values.type & 1, hipErrorInvalidValue,
            "%s.scaling: values of type %s take no scale", name, nameOf(y->values.type));
  matrix(part, y->values, scaled ? quantized : plain | quantized);
  if (error != hipSuccess || !scaled)
    return;
  std::snprintf(part, sizeof part, "%s.scale", name);
  if (y->scaling != HK_SCALE_GROUPS)
    return pointer(part, y->scale, 4);
  require(y->group == 32 || y->group == 64 || y->group == 128, hipErrorInvalidValue,
          "%s.group: %d is none of 32, 64 and 128", name, y->group);
  require(anyGroup || y->group == 128, hipErrorNotSupported, "%s.group: built for 128 only here",
          name);
  if (error == hipSuccess)
    scales(part, y->scale, y->scale_pitch, (columns + y->group - 1) / y->group, false);
}

void Arguments::oneOf(const char *name, int value, int count) {
  require(value >= 0 && value < count, hipErrorInvalidValue, "%s: %d is none of 0 to %d", name,
          value, count - 1);
}

void Arguments::finite(const char *name, float value, bool positive) {
  require(std::isfinite(value), hipErrorInvalidValue, "%s: not a finite number", name);
  require(!positive || value >= 0.0f, hipErrorInvalidValue, "%s: %g is negative", name,
          double(value));
}

void Arguments::device() {
  Target target;
  const hipError_t result = currentTarget(target);
  if (result != hipSuccess)
    return require(false, result, "the device: no schedule is known for it");
  static const char *const Names[] = {"gfx90a", "gfx942", "gfx950", "sm_80", "sm_90"};
  const char *name = Names[int(target.arch)];
  require(sameText(name, HK_KERNELS_ARCH), hipErrorNotSupported,
          "the device: it is a %s, and the library is built for %s", name, HK_KERNELS_ARCH);
}

void Arguments::started(hipError_t result) {
  if (result == hipSuccess)
    return;
#if HK_NVIDIA
  const char *text = cudaGetErrorString(result);
#else
  const char *text = hipGetErrorString(result);
#endif
  require(false, result, "the launch: %s", text);
}

int hk_current_device(int32_t *device) {
  Arguments arguments(Extent::Elements);
  arguments.pointer("device", device, 4);
  return arguments.run([&] { return hipGetDevice(device); });
}

int hk_device_of(const void *memory, int32_t *device) {
  Arguments arguments(Extent::Elements);
  arguments.pointer("memory", memory, 1);
  arguments.pointer("device", device, 4);
  return arguments.run([&] {
#if HK_NVIDIA
    cudaPointerAttributes is;
    const bool known = cudaPointerGetAttributes(&is, memory) == cudaSuccess;
    const bool onDevice =
        known && (is.type == cudaMemoryTypeDevice || is.type == cudaMemoryTypeManaged);
    if (!known)
      (void)cudaGetLastError();
#else
    hipPointerAttribute_t is;
    const bool known = hipPointerGetAttributes(&is, memory) == hipSuccess;
    const bool onDevice =
        known && (is.type == hipMemoryTypeDevice || is.type == hipMemoryTypeManaged);
    if (!known) // not an error of the caller's: memory of the host's that the runtime does not know
      (void)hipGetLastError();
#endif
    *device = onDevice ? is.device : -1;
    return hipSuccess;
  });
}

int hk_prepare_workspace(void *workspace, void *stream) {
  Arguments arguments(Extent::Elements);
  arguments.pointer("workspace", workspace, 128);
  return arguments.run(
      [&] { return prepareWorkspace({workspace}, static_cast<hipStream_t>(stream)); });
}
