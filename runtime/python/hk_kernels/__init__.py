"""The core kernels of libhk_kernels on tensors in device memory.

Tensors are any objects with ``data_ptr()``, ``dtype``, ``shape`` and ``stride()`` (PyTorch's), with
``__cuda_array_interface__``, or with DLPack's methods. Outputs are given by the caller; nothing is allocated.
All functions start work in the order of a stream and return without waiting:

``stream``
    None: PyTorch's current stream if the output is PyTorch's, else the default stream. Or a handle as an int, or an
    object with ``cuda_stream`` or ``ptr``.
``workspace``
    None, or a ``Workspace``, which lets several workgroups share a row when rows are few (not needed on NVIDIA). For ``gemm`` and
    ``linear`` a ``GemmWorkspace``.
``fast``
    Approximations of the hardware's instead of exact functions; see hk/math.h for their errors.

A tensor's last dimension is a row's columns and has to be contiguous; the dimensions before it have to be
strided such that they are one (rows).

Quantized outputs are int8 or the library's own 8-bit type (``native_fp8()``). ``scale`` is one float32 in device memory by
which values are divided; ``out_scale`` receives the scales instead: largest magnitude / largest value of the type, for
each row, or for each ``group`` of columns of a row.

Errors: TypeError for objects and types, ValueError for shapes, strides, devices and values, both naming the argument;
RuntimeError with the library's message for all else.
"""

from ._gemm import GemmWorkspace, gemm, linear
from ._library import KernelError, load
from ._operators import (
    Workspace,
    bias_activation,
    dequantize,
    gated,
    geglu,
    layer_norm,
    native_fp8,
    quantize,
    reglu,
    residual_rms_norm,
    rms_norm,
    rotary,
    softmax,
    swiglu,
)

__all__ = [
    "GemmWorkspace",
    "KernelError",
    "Workspace",
    "bias_activation",
    "dequantize",
    "gated",
    "geglu",
    "gemm",
    "layer_norm",
    "linear",
    "load",
    "native_fp8",
    "quantize",
    "reglu",
    "residual_rms_norm",
    "rms_norm",
    "rotary",
    "softmax",
    "swiglu",
]
