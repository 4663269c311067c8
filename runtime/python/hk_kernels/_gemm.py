"""Matrix multiplication. Layouts follow from strides: nothing is copied."""

import ctypes

from . import _library
from ._library import COLUMN_MAJOR, ROW_MAJOR, Factor, GemmOptions, Launch, Matrix
from ._operators import (
    _activation,
    _memory_bytes,
    _number,
    _or_float,
    _row_scales,
    _same_shape,
    _static_scale,
    native_fp8,
)
from ._tensors import Call

_FLOATS = ("float32", "float16", "bfloat16")


class GemmWorkspace:
    """Memory in which workgroups that share K leave their sums. Without one, K is not split (on NVIDIA: up to 8 times).

    ``memory``: a tensor of any type with 65536 bytes or more, aligned to 16; it is kept. ``GemmWorkspace.bytes()``
    says how many a product has use for; with fewer, K is split less. One launch at a time may use it: one per
    stream, and one per graph that may run beside others. It is made ready in the order of ``stream``.

    ValueError if it is too small, not contiguous or not aligned.
    """

    def __init__(self, memory, *, stream=None):
        with Call(stream, memory) as call:
            view = call.tensor("memory", memory, _library.TYPES, written=True)
            self.size = _memory_bytes(view, 65536, 16)
            _library.call("hk_prepare_gemm_workspace", view.data, self.size, call.stream)
            self.memory, self.pointer = memory, view.data

    @staticmethod
    def bytes(m, n, k, type_name, batches=1):
        """How many bytes the product of m x k and k x n has use for on the current device; 0: none. type_name: of
        the factors, as PyTorch names it ("float16"); ValueError if there is no such type."""
        if type_name not in _library.TYPES:
            raise ValueError("type_name: {!r} is none of {}".format(type_name, ", ".join(_library.TYPES)))
        needed = ctypes.c_size_t()
        _library.call(
            "hk_gemm_workspace_bytes", m, n, k, batches, _library.TYPES.index(type_name), ctypes.byref(needed)
        )
        return needed.value


def _factor(view, first):
    """The struct of a matrix or batch of matrices. \\p first: the layout that is taken where both are right."""
    rows, columns = view.shape[-2:]
    down, across = view.strides[-2:]
    by_rows = columns <= 1 or across == 1
    by_columns = rows <= 1 or down == 1
    if not by_rows and not by_columns:
        raise ValueError(
            "{}: neither rows nor columns are contiguous, its strides are {}".format(view.name, view.strides)
        )
    stride = view.strides[0] if len(view.shape) == 3 and view.shape[0] > 1 else 0
    if by_rows and (first == ROW_MAJOR or not by_columns):
        return Factor(view.data, view.type, ROW_MAJOR, down if rows > 1 else max(columns, 1), stride)
    return Factor(view.data, view.type, COLUMN_MAJOR, across if columns > 1 else max(rows, 1), stride)


def _result(view, flat):
    """(matrix, stride) of what has y's shape: contiguous rows. \\p flat: dimensions before the last are rows."""
    if flat or len(view.shape) < 3:
        return Matrix(view.data, view.type, view.matrix()[2]), 0
    _, rows, columns = view.shape
    if view.count and columns > 1 and view.strides[2] != 1:
        raise ValueError(
            "{}: the last dimension is not contiguous, its stride is {}".format(view.name, view.strides[2])
        )
    return Matrix(view.data, view.type, view.strides[1] if rows > 1 else max(columns, 1)), view.strides[0]


def _types_of_out(factors):
    if factors.type_name == "int8":
        return _FLOATS + ("int32",)
    if factors.type_name not in _FLOATS:
        return _FLOATS
    return ("float32",) if factors.type_name == "float32" else _or_float(factors) + (native_fp8(), "int8")


def _scales(call, name, tensor, count):
    view = call.tensor(name, tensor, ("float32",))
    view.vector(count)
    return view.data


def _options(
    call, out, factors, flat, *, alpha, beta, c, bias, residual, activation, column_scale, scale, constant, workspace
):  # fmt: skip
    """The library's options; scales of rows are the caller's."""
    o = GemmOptions()
    _library.load().hk_gemm_defaults(ctypes.byref(o))
    o.alpha, o.beta = _number("alpha", alpha), _number("beta", beta)
    o.activation, o.constant_b = _activation(activation), 1 if constant else 0
    extras = _or_float(factors) if factors.type_name in _FLOATS else _FLOATS
    if o.beta:
        if c is None:
            raise ValueError("c: None, but beta is {}".format(o.beta))
        view = call.tensor("c", c, extras)
        _same_shape(view, out)
        o.c, o.c_stride = _result(view, flat)
    if residual is not None:
        view = call.tensor("residual", residual, extras)
        _same_shape(view, out)
        o.residual, o.residual_stride = _result(view, flat)
    n = out.shape[-1]
    if bias is not None:
        o.bias = call.tensor("bias", bias, extras).vector(n)
    if column_scale is not None:
        o.column_scale = _scales(call, "column_scale", column_scale, n)
    if scale is not None:
        o.out_scale = _static_scale(call, scale).data
    if workspace is not None:
        if not isinstance(workspace, GemmWorkspace):
            raise TypeError("workspace: {} is no GemmWorkspace".format(type(workspace).__name__))
        o.workspace, o.workspace_bytes = workspace.pointer, workspace.size
    return o


def _start(call, fast, m, n, k, a, b, y, options):
    launch = Launch(call.stream, None, 1 if fast else 0)
    _library.call("hk_gemm", ctypes.byref(launch), m, n, k, a, b, y, ctypes.byref(options))


def gemm(
    out, a, b, *, alpha=1.0, beta=0.0, c=None, bias=None, residual=None, activation="identity", row_scale=None,
    column_scale=None, scale=None, out_row_scale=None, constant_b=False, fast=False, stream=None, workspace=None
):  # fmt: skip
    """out = (activation(alpha * row_scale * column_scale * (a @ b) + beta * c + bias) + residual) / scale /
    out_row_scale.

    out: (m, n); a: (m, k); b: (k, n). Or, with batches, out: (batches, m, n), and a and b that or as before, the
    same for all. a and b are contiguous along rows or columns (transposed), any distance apart: float32, float16 or
    bfloat16, both of one type; or int8 or native_fp8(), both of one type, a's rows and b's columns contiguous. out's
    rows are contiguous; its type is

        a float16, bfloat16    a's, float32, native_fp8(), int8
        a float32              float32
        a native_fp8(), int8   float32, float16, bfloat16; int32 for int8 and without other options

    c, residual: out's shape; bias: (n,). Each of a's type or float32; with 8-bit factors, of any float type. c is
    read if beta is not 0. c and residual may be out. row_scale, out_row_scale: float32 (m,); column_scale: float32
    (n,); scale: one float32 in device memory. 8-bit outputs saturate. activation: as in gated. workspace: None or a
    GemmWorkspace. constant_b: no kernel that was started just before writes b, so that NVIDIA may read it while that
    one ends.
    """
    with Call(stream, out) as call:
        left = call.tensor("a", a, _FLOATS + ("int8", native_fp8()))
        right = call.tensor("b", b, (left.type_name,))
        view = call.tensor("out", out, _types_of_out(left), written=True)
        if len(view.shape) not in (2, 3):
            raise ValueError("out: shape {}, not (m, n) or (batches, m, n)".format(view.shape))
        (m, n), batches = view.shape[-2:], view.shape[:-2]
        if len(left.shape) < 2 or left.shape not in ((m, left.shape[-1]), batches + (m, left.shape[-1])):
            raise ValueError("a: shape {} does not fit out's {}".format(left.shape, view.shape))
        k = left.shape[-1]
        if right.shape not in ((k, n), batches + (k, n)):
            raise ValueError("b: shape {}, not {}".format(right.shape, (k, n)))
        o = _options(
            call, view, left, False, alpha=alpha, beta=beta, c=c, bias=bias, residual=residual, activation=activation,
            column_scale=column_scale, scale=scale, constant=constant_b, workspace=workspace,
        )  # fmt: skip
        for name, tensor in (("row_scale", row_scale), ("out_row_scale", out_row_scale)):
            if tensor is not None:
                setattr(o, name, _scales(call, name, tensor, m))
        matrix, o.y_stride = _result(view, False)
        o.batches = (batches or (1,))[0]
        _start(call, fast, m, n, k, _factor(left, ROW_MAJOR), _factor(right, COLUMN_MAJOR), matrix, o)


def linear(
    out, x, weight, bias=None, *, alpha=1.0, beta=0.0, c=None, residual=None, activation="identity", row_scale=None,
    column_scale=None, scale=None, out_row_scale=None, constant_weight=False, fast=False, stream=None, workspace=None
):  # fmt: skip
    """out = (activation(alpha * row_scale * column_scale * (x @ weight.T) + beta * c + bias) + residual) / scale /
    out_row_scale.

    out, c, residual: (..., n); x: (..., k), rows contiguous; weight: (n, k), as torch.nn.Linear has it. row_scale,
    out_row_scale: float32 (...) or (..., 1). constant_weight: gemm's constant_b. All else: see gemm.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS + ("int8", native_fp8()))
        weights = call.tensor("weight", weight, (source.type_name,))
        view = call.tensor("out", out, _types_of_out(source), written=True)
        m, k, pitch = source.matrix()
        if len(weights.shape) != 2 or weights.shape[1] != k:
            raise ValueError("weight: shape {}, not (n, {})".format(weights.shape, k))
        n = weights.shape[0]
        if view.shape != source.shape[:-1] + (n,):
            raise ValueError("out: shape {}, not {}".format(view.shape, source.shape[:-1] + (n,)))
        o = _options(
            call, view, source, True, alpha=alpha, beta=beta, c=c, bias=bias, residual=residual, activation=activation,
            column_scale=column_scale, scale=scale, constant=constant_weight, workspace=workspace,
        )  # fmt: skip
        for name, tensor in (("row_scale", row_scale), ("out_row_scale", out_row_scale)):
            if tensor is not None:
                scales = call.tensor(name, tensor, ("float32",))
                _row_scales(scales, view)
                setattr(o, name, scales.data)
        a = Factor(source.data, source.type, ROW_MAJOR, max(pitch, 1), 0)
        # Weights n x k are the transpose of what is multiplied.
        weights.shape, weights.strides = weights.shape[::-1], weights.strides[::-1]
        _start(call, fast, m, n, k, a, _factor(weights, COLUMN_MAJOR), _result(view, True)[0], o)
