"""The shared library, its structs and the signatures of its functions (hk_kernels.h)."""

import ctypes
import os

TYPES = (
    "float32", "float16", "bfloat16", "int8", "uint8", "int32",
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz",
)  # fmt: skip
"""Names of the element types; a type's number in the library is its place here."""

ITEM_BYTES = (4, 2, 2, 1, 1, 4, 1, 1, 1, 1)
ACTIVATIONS = ("identity", "relu", "gelu", "gelu_tanh", "silu")
ROW_MAJOR, COLUMN_MAJOR = range(2)
SCALE_NONE, SCALE_TENSOR, SCALE_ROWS, SCALE_GROUPS = range(4)


class KernelError(RuntimeError):
    """The library refused a call. ``code`` is the HIP or CUDA error number."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class Launch(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("workspace", ctypes.c_void_p), ("policy", ctypes.c_int32)]


class Matrix(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32), ("pitch", ctypes.c_int64)]


class Vector(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("type", ctypes.c_int32)]


class Output(ctypes.Structure):
    _fields_ = [
        ("values", Matrix),
        ("scaling", ctypes.c_int32),
        ("group", ctypes.c_int32),
        ("scale", ctypes.c_void_p),
        ("scale_pitch", ctypes.c_int64),
    ]


class Factor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("type", ctypes.c_int32),
        ("layout", ctypes.c_int32),
        ("ld", ctypes.c_int64),
        ("stride", ctypes.c_int64),
    ]


class GemmOptions(ctypes.Structure):
    _fields_ = [
        ("alpha", ctypes.c_float),
        ("beta", ctypes.c_float),
        ("c", Matrix),
        ("c_stride", ctypes.c_int64),
        ("bias", Vector),
        ("activation", ctypes.c_int32),
        ("residual", Matrix),
        ("residual_stride", ctypes.c_int64),
        ("row_scale", ctypes.c_void_p),
        ("column_scale", ctypes.c_void_p),
        ("out_scale", ctypes.c_void_p),
        ("out_row_scale", ctypes.c_void_p),
        ("y_stride", ctypes.c_int64),
        ("batches", ctypes.c_int64),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
        ("constant_b", ctypes.c_int32),
        ("splits", ctypes.c_int32),
        ("mode", ctypes.c_int32),
        ("config", ctypes.c_int32),
    ]


_int, _long, _float, _pointer = ctypes.c_int32, ctypes.c_int64, ctypes.c_float, ctypes.c_void_p
_launch, _output = ctypes.POINTER(Launch), ctypes.POINTER(Output)
_rows = [_launch, _long, _long]
_SIGNATURES = {
    "hk_built_for": (ctypes.c_char_p, []),
    "hk_native_fp8": (ctypes.c_int, []),
    "hk_last_message": (ctypes.c_char_p, []),
    "hk_current_device": (ctypes.c_int, [ctypes.POINTER(_int)]),
    "hk_device_of": (ctypes.c_int, [_pointer, ctypes.POINTER(_int)]),
    "hk_workspace_bytes": (ctypes.c_size_t, []),
    "hk_prepare_workspace": (ctypes.c_int, [_pointer, _pointer]),
    "hk_rms_norm": (ctypes.c_int, _rows + [Matrix, Vector, _float, _output]),
    "hk_residual_rms_norm": (ctypes.c_int, _rows + [Matrix, Matrix, Vector, _float, _output]),
    "hk_layer_norm": (ctypes.c_int, _rows + [Matrix, Vector, Vector, _float, _output]),
    "hk_softmax": (ctypes.c_int, _rows + [Matrix, _float, Matrix, Matrix]),
    "hk_gated": (ctypes.c_int, _rows + [ctypes.c_int, Matrix, Matrix, _output]),
    "hk_bias_activation": (ctypes.c_int, _rows + [ctypes.c_int, Matrix, Vector, Matrix]),
    "hk_quantize": (ctypes.c_int, _rows + [Matrix, _output]),
    "hk_dequantize": (ctypes.c_int, _rows + [Matrix, _pointer, _long, _long, Matrix]),
    "hk_gemm_defaults": (None, [ctypes.POINTER(GemmOptions)]),
    "hk_gemm": (
        ctypes.c_int, [_launch, _long, _long, _long, Factor, Factor, Matrix, ctypes.POINTER(GemmOptions)],
    ),
    "hk_gemm_workspace_bytes": (
        ctypes.c_int, [_long, _long, _long, _long, _int, ctypes.POINTER(ctypes.c_size_t)],
    ),
    "hk_prepare_gemm_workspace": (ctypes.c_int, [_pointer, ctypes.c_size_t, _pointer]),
    "hk_rotary": (
        ctypes.c_int,
        [_launch, _long, _long, _long, _int, _int, _pointer, _long, _long, Vector, Vector, _long, _pointer, _long, _long],
    ),
}

_loaded = None


def _candidates():
    named = os.environ.get("HK_KERNELS_LIBRARY")
    if named:
        return [named]
    # As installed, the package is LIB/hk-python/hk_kernels and the library is in LIB.
    beside = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "libhk_kernels.so")
    return [os.path.normpath(beside), "libhk_kernels.so"]


def load(path=None):
    """The library, loaded once: ``path``, or the environment's HK_KERNELS_LIBRARY, or the one installed with this package,
    or what the system's loader finds. OSError if there is none, or if its HIP or CUDA library is not there."""
    global _loaded
    if _loaded is not None and path is None:
        return _loaded
    errors = []
    for name in [path] if path else _candidates():
        if os.path.isabs(name) and not os.path.exists(name):
            errors.append("{}: no such file".format(name))
            continue
        try:
            library = ctypes.CDLL(name)
            break
        except OSError as error:
            errors.append(str(error))
    else:
        raise OSError("libhk_kernels cannot be loaded: {}".format("; ".join(errors)))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    _loaded = library
    return library


def call(name, *arguments):
    """Calls a function that returns an error number."""
    library = load()
    code = getattr(library, name)(*arguments)
    if code:
        raise KernelError("{}: {}".format(name, library.hk_last_message().decode()), code)
