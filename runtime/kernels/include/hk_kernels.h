/*===- hk_kernels.h - The core kernels behind a C interface ---------------------===*\
|*
|* libhk_kernels holds the operators of runtime/include/hk/ops, compiled for the types
|* below. All pointers but those of structs and messages are device pointers. Matrices
|* are rows x columns, a row's columns contiguous; sizes, pitches and strides count elements.
|*
|* Every function starts kernels in the order of `launch->stream` and returns without
|* waiting; none allocates or synchronizes, so that all may be captured in a graph. It
|* returns 0, or an error number of the HIP runtime (of CUDA's on the NVIDIA platform);
|* hk_last_message() then says what was wrong, naming the argument. If an argument was
|* refused, nothing was started. hipErrorNotSupported: what is asked for is not built.
|*
|* Accuracy: as stated in runtime/include/hk/ops.
|*
\*===----------------------------------------------------------------------------===*/
#ifndef HK_KERNELS_H
#define HK_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HK_API __attribute__((visibility("default")))
#else
#define HK_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of hk::Type. */
typedef enum hk_type {
  HK_F32 = 0,
  HK_F16 = 1,
  HK_BF16 = 2,
  HK_I8 = 3,
  HK_U8 = 4,
  HK_I32 = 5,
  HK_E4M3 = 6,
  HK_E5M2 = 7,
  HK_E4M3FNUZ = 8,
  HK_E5M2FNUZ = 9
} hk_type;

typedef enum hk_policy {
  HK_EXACT = 0, /* the platform's f32 functions */
  HK_FAST = 1   /* the hardware's approximations; hk/math.h has their errors */
} hk_policy;

typedef enum hk_activation {
  HK_IDENTITY = 0,
  HK_RELU = 1,
  HK_GELU_EXACT = 2,
  HK_GELU_TANH = 3,
  HK_SILU = 4
} hk_activation;

typedef enum hk_scaling {
  HK_SCALE_NONE = 0,   /* values as they are; `scale` is not read */
  HK_SCALE_TENSOR = 1, /* divided by scale[0], which the caller gives */
  HK_SCALE_ROWS = 2,   /* scale[row] = largest magnitude of the row / largest value of the type; written */
  HK_SCALE_GROUPS = 3  /* the same for each `group` columns: scale[row * scale_pitch + column / group]; written */
} hk_scaling;

typedef struct hk_launch {
  void *stream;    /* hipStream_t or cudaStream_t; null: the default stream */
  void *workspace; /* null, or hk_workspace_bytes() prepared by hk_prepare_workspace(): lets several workgroups share a
                      row when rows are few; one launch at a time may use it. Not needed on NVIDIA. */
  int32_t policy;  /* hk_policy */
} hk_launch;

typedef struct hk_matrix {
  void *data;
  int32_t type;  /* hk_type */
  int64_t pitch; /* from one row to the next */
} hk_matrix;

typedef struct hk_vector {
  const void *data; /* null where the operator says that it may be left out */
  int32_t type;
} hk_vector;

typedef enum hk_layout {
  HK_ROW_MAJOR = 0,   /* element (i, j) is data[i * ld + j] */
  HK_COLUMN_MAJOR = 1 /* element (i, j) is data[j * ld + i] */
} hk_layout;

/* A matrix that is multiplied. Weights n x k, as PyTorch stores them, are column-major as a k x n factor. */
typedef struct hk_factor {
  const void *data;
  int32_t type;   /* hk_type */
  int32_t layout; /* hk_layout */
  int64_t ld;     /* from one row (column) to the next; 256 of them are less than 4 GiB */
  int64_t stride; /* from one batch to the next; 0: the same for all */
} hk_factor;

typedef struct hk_output {
  hk_matrix values;
  int32_t scaling; /* hk_scaling */
  int32_t group;   /* HK_SCALE_GROUPS: 32, 64 or 128 */
  float *scale;
  int64_t scale_pitch; /* HK_SCALE_GROUPS */
} hk_output;

/* The target that the library is built for ("gfx942", "sm_90"), and its own fp8 type. */
HK_API const char *hk_built_for(void);
HK_API hk_type hk_native_fp8(void);

/* What was wrong with the last call of this thread that returned an error. */
HK_API const char *hk_last_message(void);

/* The device that the calling thread's launches go to; and the one that holds `memory`, or -1 for memory of the host's. */
HK_API int hk_current_device(int32_t *device);
HK_API int hk_device_of(const void *memory, int32_t *device);

HK_API size_t hk_workspace_bytes(void);
/* Makes fresh memory ready; once, in the order of the stream. */
HK_API int hk_prepare_workspace(void *workspace, void *stream);

/* Types. X: F32, F16 or BF16. weight, bias: X's type or F32. Outputs: X's type (HK_SCALE_NONE), or the library's own E4M3 type or
   I8 with any scaling; HK_SCALE_GROUPS with group 128 where not said otherwise. */

/* y = x / sqrt(mean(x^2) + epsilon) * weight */
HK_API int hk_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_vector weight,
                       float epsilon, const hk_output *y);

/* residual = x + residual, rounded to its type, which is X's; y = RMSNorm of that */
HK_API int hk_residual_rms_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x,
                                hk_matrix residual, hk_vector weight, float epsilon, const hk_output *y);

/* y = (x - mean) / sqrt(variance + epsilon) * weight + bias; weight and bias are given both or none */
HK_API int hk_layer_norm(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, hk_vector weight,
                         hk_vector bias, float epsilon, const hk_output *y);

/* y = softmax(x * scale + mask); mask: null data, or X's type or F32, pitch 0 for one row for all; y: X's type or F32 */
HK_API int hk_softmax(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, float scale,
                      hk_matrix mask, hk_matrix y);

/* y = activation(gate) * up. Halves of one tensor: two matrices with its pitch. */
HK_API int hk_gated(const hk_launch *launch, int64_t rows, int64_t columns, hk_activation activation, hk_matrix gate,
                    hk_matrix up, const hk_output *y);

/* y = activation(x + bias); bias may be null; y: X's type */
HK_API int hk_bias_activation(const hk_launch *launch, int64_t rows, int64_t columns, hk_activation activation,
                              hk_matrix x, hk_vector bias, hk_matrix y);

/* y = x / scale; y: any 8-bit type; groups of 32, 64 or 128 */
HK_API int hk_quantize(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix x, const hk_output *y);

/* y = q * scale[row * scale_pitch + column / group]; group = columns: a scale per row; scale_pitch 0: the same for all rows */
HK_API int hk_dequantize(const hk_launch *launch, int64_t rows, int64_t columns, hk_matrix q, const float *scale,
                         int64_t scale_pitch, int64_t group, hk_matrix y);

/* hk_gemm's options; hk_gemm_defaults() sets all. Null pointers: left out. Strides are from one batch to the next;
   vectors and scales are the same for all batches. */
typedef struct hk_gemm_options {
  float alpha; /* 1 */
  float beta;  /* 0; then c is not looked at */
  hk_matrix c; /* m x n; may be y, if it has its type, pitch and stride */
  int64_t c_stride;
  hk_vector bias; /* n */
  int32_t activation; /* hk_activation; HK_IDENTITY */
  hk_matrix residual; /* m x n; may be y, as c */
  int64_t residual_stride;
  const float *row_scale;     /* m elements: of A's rows */
  const float *column_scale;  /* n elements: of B's columns */
  const float *out_scale;     /* one element: y is divided by it, as with HK_SCALE_TENSOR */
  const float *out_row_scale; /* m elements: y's rows are divided by them */
  int64_t y_stride;
  int64_t batches; /* 1; less than 2^16 */
  void *workspace; /* null, or memory prepared by hk_prepare_gemm_workspace: lets several workgroups share K. One
                      launch at a time may use it. */
  size_t workspace_bytes;
  int32_t constant_b; /* 0; 1: no kernel that was started just before writes b (NVIDIA: read while that one ends) */
  int32_t splits;     /* 0: mode, config and splits are chosen. Else: workgroups that share K */
  int32_t mode;       /* hk::GemmMode: 0 streams b, 1 goes through LDS, 2 is for warpgroups, 3 has a ring in LDS, 4 needs no
                         matrix cores */
  int32_t config;     /* of that mode: an index in hk/gemm/plan.h, where it is built */
} hk_gemm_options;

HK_API void hk_gemm_defaults(hk_gemm_options *options);

/* y = (activation(alpha * row_scale * column_scale * (A * B) + beta * c + bias) + residual) / out_scale / out_row_scale,
   A m x k, B k x n, y m x n; each m, n and k up to 2^31 - 256. Sums are f32, i32 for I8 factors; their order depends on
   the device, the sizes and the bytes of the workspace, and not on chance. options: null for the defaults.

     a and b         layouts                         c, bias, residual    y
     F16, BF16       any                             the factors', F32    the factors', F32, the library's own E4M3, I8
     F32             any                             F32                  F32
     the own E4M3    a row-major, b column-major     F16, BF16, F32       F16, BF16, F32
     I8              a row-major, b column-major     F16, BF16, F32       F16, BF16, F32; I32 with no other option than a plan

   y of 8 bits saturates. launch->policy: of the activation. launch->workspace is not used. Without options->workspace,
   most of an AMD device is idle where m and n are small. */
HK_API int hk_gemm(const hk_launch *launch, int64_t m, int64_t n, int64_t k, hk_factor a, hk_factor b, hk_matrix y,
                   const hk_gemm_options *options);

/* The workspace that hk_gemm makes best use of on the current device; 0: none. type: of the factors. The most of
   several problems' does for all. */
HK_API int hk_gemm_workspace_bytes(int64_t m, int64_t n, int64_t k, int64_t batches, int32_t type, size_t *bytes);
/* Makes fresh memory, aligned to 16 bytes, ready; once, in the order of the stream. bytes: 65536 or more. */
HK_API int hk_prepare_gemm_workspace(void *workspace, size_t bytes, void *stream);

/* Rotates pairs of elements by the angle of their token. x, y: tokens x heads x (2 * half), X's type; cosine, sine: tokens x
   half with pitch angle_pitch, X's type or F32. interleaved: pairs are neighbours, else `half` apart. y may be x. */
HK_API int hk_rotary(const hk_launch *launch, int64_t tokens, int64_t heads, int64_t half, int32_t interleaved,
                     int32_t type, const void *x, int64_t token_stride, int64_t head_stride, hk_vector cosine,
                     hk_vector sine, int64_t angle_pitch, void *y, int64_t out_token_stride, int64_t out_head_stride);

#ifdef __cplusplus
}
#endif

#endif
