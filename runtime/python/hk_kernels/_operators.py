"""The functions. Shapes: ``...`` stands for any leading dimensions, which are the rows."""

import ctypes
import math

from . import _library
from ._library import SCALE_GROUPS, SCALE_NONE, SCALE_ROWS, SCALE_TENSOR, Launch, Matrix, Output, Vector
from ._tensors import Call

_FLOATS = ("float32", "float16", "bfloat16")
_BYTES = ("int8", "uint8", "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
_GROUPS = (32, 64, 128)


def native_fp8():
    """The name of the 8-bit type that the library's quantized outputs may have beside int8, as PyTorch names it:
    "float8_e4m3fnuz" if it is built for gfx942, else "float8_e4m3fn"."""
    return _library.TYPES[_library.load().hk_native_fp8()]


def _memory_bytes(view, least, alignment):
    """How many bytes contiguous memory has; \\p least or more."""
    rows, columns, pitch = view.matrix()
    if rows > 1 and pitch != columns:
        raise ValueError("{}: not contiguous".format(view.name))
    size = rows * columns * _library.ITEM_BYTES[view.type]
    if size < least:
        raise ValueError("{}: {} bytes, {} are needed".format(view.name, size, least))
    if view.data % alignment:
        raise ValueError("{}: not aligned to {} bytes".format(view.name, alignment))
    return size


class Workspace:
    """Memory through which workgroups that share a row exchange what they have reduced.

    ``memory``: a tensor of any type with ``Workspace.bytes()`` bytes or more, aligned to 128; it is kept. One launch at a time may
    use it: one per stream, and one per graph that may run beside others. It is made ready in the order of ``stream``.

    ValueError if it is too small, not contiguous or not aligned.
    """

    def __init__(self, memory, *, stream=None):
        with Call(stream, memory) as call:
            view = call.tensor("memory", memory, _library.TYPES, written=True)
            _memory_bytes(view, self.bytes(), 128)
            _library.call("hk_prepare_workspace", view.data, call.stream)
            self.memory, self.pointer = memory, view.data

    @staticmethod
    def bytes():
        """How many bytes a workspace has."""
        return _library.load().hk_workspace_bytes()


def _launch(call, workspace, fast):
    if workspace is not None and not isinstance(workspace, Workspace):
        raise TypeError("workspace: {} is no Workspace".format(type(workspace).__name__))
    return ctypes.byref(Launch(call.stream, workspace.pointer if workspace else None, 1 if fast else 0))


def _number(name, value, positive=False):
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise TypeError("{}: {} is no number".format(name, type(value).__name__)) from None
    if not math.isfinite(value) or (positive and value < 0):
        raise ValueError("{}: {} is not a finite number{}".format(name, value, " from 0 on" if positive else ""))
    return value


def _same_shape(view, other):
    if view.shape != other.shape:
        raise ValueError("{}: shape {}, but {} has {}".format(view.name, view.shape, other.name, other.shape))


def _matrix(view):
    return Matrix(view.data, view.type, view.matrix()[2])


def _activation(name):
    if name not in _library.ACTIVATIONS:
        raise ValueError("activation: {!r} is none of {}".format(name, ", ".join(_library.ACTIVATIONS)))
    return _library.ACTIVATIONS.index(name)


def _group_of(group, groups=None):
    if isinstance(group, bool) or not isinstance(group, int):
        raise TypeError("group: {} is no int".format(type(group).__name__))
    if (groups and group not in groups) or group < 1:
        raise ValueError("group: {} is not {}".format(group, " or ".join(map(str, groups)) if groups else "positive"))
    return group


def _static_scale(call, scale):
    view = call.tensor("scale", scale, ("float32",))
    if view.count != 1:
        raise ValueError("scale: shape {}, not one element".format(view.shape))
    return view


def _row_scales(view, values):
    """Checks scales of rows: shape (...) or (..., 1), contiguous."""
    if view.shape not in (values.shape[:-1], values.shape[:-1] + (1,)):
        raise ValueError("{}: shape {}, not {}".format(view.name, view.shape, values.shape[:-1]))
    step = 1
    for size, stride in reversed(list(zip(view.shape, view.strides))):
        if size > 1 and stride != step:
            raise ValueError("{}: not contiguous, its strides are {}".format(view.name, view.strides))
        step *= size


def _group_scales(view, values, group):
    """Checks scales of groups, shape (..., groups), and returns their pitch."""
    groups = -(-values.shape[-1] // group)
    if view.shape != values.shape[:-1] + (groups,):
        raise ValueError("{}: shape {}, not {}".format(view.name, view.shape, values.shape[:-1] + (groups,)))
    return view.matrix()[2]


def _output(call, out, x, scale, out_scale, group, byte_types=None):
    """Views `out` and its scales; the struct for the library."""
    plain = scale is None and out_scale is None
    if scale is not None and out_scale is not None:
        raise ValueError("out_scale: scale is given, too")
    if group is not None and out_scale is None:
        raise ValueError("group: there is no out_scale")
    quantized = byte_types or ("int8", native_fp8())
    types = quantized if byte_types or not plain else (x.type_name,) + quantized
    view = call.tensor("out", out, types, written=True)
    result = Output(Matrix(view.data, view.type, view.matrix()[2]), SCALE_NONE, 0, None, 0)
    if scale is not None:
        result.scaling, result.scale = SCALE_TENSOR, _static_scale(call, scale).data
    elif out_scale is not None:
        scales = call.tensor("out_scale", out_scale, ("float32",), written=True)
        result.scale = scales.data
        if group is None:
            result.scaling = SCALE_ROWS
            _row_scales(scales, view)
        else:
            result.scaling, result.group = SCALE_GROUPS, _group_of(group, _GROUPS)
            result.scale_pitch = _group_scales(scales, view, group)
    return view, result


def rms_norm(out, x, weight, epsilon, *, scale=None, out_scale=None, group=None, fast=False, stream=None, workspace=None):
    """out = x / sqrt(mean(x ** 2) + epsilon) * weight, for each row.

    out, x: (..., columns). x: float32, float16, bfloat16. weight: (columns,), x's type or float32. out: x's type; or int8 or
    native_fp8(), divided by ``scale`` (one float32 in device memory) if it is given, or by scales that are written to
    ``out_scale``: (...) for each row, or (..., ceil(columns / group)) with ``group`` = 128.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        rows, columns, _ = source.matrix()
        weights = call.tensor("weight", weight, _or_float(source)).vector(columns)
        view, output = _output(call, out, source, scale, out_scale, group)
        _same_shape(view, source)
        _library.call(
            "hk_rms_norm", _launch(call, workspace, fast), rows, columns, _matrix(source), weights,
            _number("epsilon", epsilon, True), ctypes.byref(output),
        )  # fmt: skip


def residual_rms_norm(
    out, residual, x, weight, epsilon, *, scale=None, out_scale=None, group=None, fast=False, stream=None, workspace=None
):
    """residual = x + residual, rounded to its type; out = rms_norm of that.

    residual: as x, overwritten. All else: see rms_norm.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        rows, columns, _ = source.matrix()
        sums = call.tensor("residual", residual, (source.type_name,), written=True)
        _same_shape(sums, source)
        weights = call.tensor("weight", weight, _or_float(source)).vector(columns)
        view, output = _output(call, out, source, scale, out_scale, group)
        _same_shape(view, source)
        _library.call(
            "hk_residual_rms_norm", _launch(call, workspace, fast), rows, columns, _matrix(source), _matrix(sums),
            weights, _number("epsilon", epsilon, True), ctypes.byref(output),
        )  # fmt: skip


def layer_norm(
    out, x, weight, bias, epsilon, *, scale=None, out_scale=None, group=None, fast=False, stream=None, workspace=None
):
    """out = (x - mean) / sqrt(variance + epsilon) * weight + bias, for each row; the variance is divided by the columns.

    weight, bias: (columns,), both of x's type or both float32; or both None. All else: see rms_norm.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        rows, columns, _ = source.matrix()
        if (weight is None) != (bias is None):
            raise ValueError("bias: weight and bias are given both or none")
        vectors = [Vector(None, source.type), Vector(None, source.type)]
        if weight is not None:
            weights = call.tensor("weight", weight, _or_float(source))
            biases = call.tensor("bias", bias, (weights.type_name,))
            vectors = [weights.vector(columns), biases.vector(columns)]
        view, output = _output(call, out, source, scale, out_scale, group)
        _same_shape(view, source)
        _library.call(
            "hk_layer_norm", _launch(call, workspace, fast), rows, columns, _matrix(source), *vectors,
            _number("epsilon", epsilon, True), ctypes.byref(output),
        )  # fmt: skip


def softmax(out, x, *, scale=1.0, mask=None, fast=False, stream=None, workspace=None):
    """out = softmax(x * scale + mask), for each row.

    out, x: (..., columns). x: float32, float16, bfloat16; out: x's type or float32. scale: a number. mask: None, or x's
    shape or (columns,), of x's type or float32; minus infinity masks an element out.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        rows, columns, _ = source.matrix()
        masks = Matrix(None, source.type, 0)
        if mask is not None:
            view = call.tensor("mask", mask, _or_float(source))
            if view.shape == (columns,):
                view.vector(columns)
                masks = Matrix(view.data, view.type, 0)
            else:
                _same_shape(view, source)
                masks = _matrix(view)
        view = call.tensor("out", out, _or_float(source), written=True)
        _same_shape(view, source)
        _library.call(
            "hk_softmax", _launch(call, workspace, fast), rows, columns, _matrix(source), _number("scale", scale),
            masks, _matrix(view),
        )  # fmt: skip


def gated(
    out, gate, up=None, activation="silu", *, scale=None, out_scale=None, group=None, fast=False, stream=None, workspace=None
):
    """out = activation(gate) * up.

    out: (..., columns). gate, up: the same, float32, float16 or bfloat16, both of one type; or up is None, and gate,
    (..., 2 * columns), holds the gate's half and then the other. activation: "silu", "gelu" (exact), "gelu_tanh", "relu" or
    "identity". Types of out, scale, out_scale, group: see rms_norm.
    """
    number = _activation(activation)
    with Call(stream, out) as call:
        first = call.tensor("gate", gate, _FLOATS)
        rows, columns, pitch = first.matrix()
        view, output = _output(call, out, first, scale, out_scale, group)
        if up is None:
            if columns % 2 or view.shape != first.shape[:-1] + (columns // 2,):
                raise ValueError(
                    "out: shape {} is not half of gate's {}; up is None".format(view.shape, first.shape)
                )
            columns //= 2
            bytes_each = _library.ITEM_BYTES[first.type]
            left = Matrix(first.data, first.type, pitch)
            right = Matrix((first.data or 0) + columns * bytes_each, first.type, pitch)
        else:
            second = call.tensor("up", up, (first.type_name,))
            _same_shape(second, first)
            _same_shape(view, first)
            left, right = _matrix(first), _matrix(second)
        _library.call(
            "hk_gated", _launch(call, workspace, fast), rows, columns, number, left, right, ctypes.byref(output)
        )


def swiglu(out, gate, up=None, **options):
    """silu(gate) * up; see gated."""
    gated(out, gate, up, "silu", **options)


def geglu(out, gate, up=None, *, tanh=True, **options):
    """gelu(gate) * up, with the tanh formula or (tanh=False) exactly; see gated."""
    gated(out, gate, up, "gelu_tanh" if tanh else "gelu", **options)


def reglu(out, gate, up=None, **options):
    """relu(gate) * up; see gated."""
    gated(out, gate, up, "relu", **options)


def bias_activation(out, x, bias=None, activation="gelu_tanh", *, fast=False, stream=None):
    """out = activation(x + bias).

    out, x: (..., columns), both float32, float16 or bfloat16. bias: None, or (columns,) of x's type or float32. activation:
    as in gated. out may be x.
    """
    number = _activation(activation)
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        rows, columns, _ = source.matrix()
        vector = Vector(None, source.type)
        if bias is not None:
            vector = call.tensor("bias", bias, _or_float(source)).vector(columns)
        view = call.tensor("out", out, (source.type_name,), written=True)
        _same_shape(view, source)
        _library.call(
            "hk_bias_activation", _launch(call, None, fast), rows, columns, number, _matrix(source), vector,
            _matrix(view),
        )  # fmt: skip


def quantize(out, x, *, scale=None, out_scale=None, group=None, stream=None, workspace=None):
    """out = x / scale, rounded to nearest even, saturating.

    out, x: (..., columns). x: float32, float16, bfloat16. With ``scale`` (one float32 in device memory) or without any, out is of
    any 8-bit type. With ``out_scale``, which is written, it is int8 or native_fp8(); ``group``: 32, 64 or 128 columns.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        rows, columns, _ = source.matrix()
        types = _BYTES if out_scale is None else ("int8", native_fp8())
        view, output = _output(call, out, source, scale, out_scale, group, types)
        _same_shape(view, source)
        _library.call(
            "hk_quantize", _launch(call, workspace, False), rows, columns, _matrix(source), ctypes.byref(output)
        )


def dequantize(out, q, scale, *, group=None, stream=None):
    """out = q * scale.

    out, q: (..., columns). q: any 8-bit type; out: float32, float16, bfloat16. scale: float32, one element for all, or (...) or
    (..., 1) for each row, or with ``group`` (any number of columns) (..., ceil(columns / group)).
    """
    with Call(stream, out) as call:
        source = call.tensor("q", q, _BYTES)
        rows, columns, _ = source.matrix()
        scales = call.tensor("scale", scale, ("float32",))
        pitch = 1
        if group is not None:
            pitch = _group_scales(scales, source, _group_of(group))
        elif scales.count == 1:
            pitch = 0
        else:
            _row_scales(scales, source)
        view = call.tensor("out", out, _FLOATS, written=True)
        _same_shape(view, source)
        _library.call(
            "hk_dequantize", _launch(call, None, False), rows, columns, _matrix(source), scales.data, pitch,
            group or max(columns, 1), _matrix(view),
        )  # fmt: skip


def rotary(out, x, cosine, sine, *, interleaved=False, stream=None):
    """Rotates pairs of each head's elements by the angle of their token.

    out, x: (tokens, heads, 2 * half), float32, float16 or bfloat16; any strides but for the last dimension, which is contiguous.
    cosine, sine: (tokens, half), both of x's type or both float32, with the same strides. Pairs are ``half`` apart, or
    neighbours if ``interleaved``. out may be x.
    """
    with Call(stream, out) as call:
        source = call.tensor("x", x, _FLOATS)
        view = call.tensor("out", out, (source.type_name,), written=True)
        _same_shape(view, source)
        if len(source.shape) != 3 or source.shape[2] % 2:
            raise ValueError("x: shape {}, not (tokens, heads, 2 * half)".format(source.shape))
        tokens, heads, width = source.shape
        for tensor in (source, view):
            if width > 1 and tensor.strides[2] != 1:
                raise ValueError("{}: the last dimension is not contiguous".format(tensor.name))
        cosines = call.tensor("cosine", cosine, _or_float(source))
        sines = call.tensor("sine", sine, (cosines.type_name,))
        for tensor in (cosines, sines):
            if tensor.shape != (tokens, width // 2):
                raise ValueError("{}: shape {}, not {}".format(tensor.name, tensor.shape, (tokens, width // 2)))
        pitch = cosines.matrix()[2]
        if sines.matrix()[2] != pitch:
            raise ValueError("sine: strides {}, but cosine has {}".format(sines.strides, cosines.strides))
        _library.call(
            "hk_rotary", _launch(call, None, False), tokens, heads, width // 2, 1 if interleaved else 0, source.type,
            source.data, source.strides[0], source.strides[1], Vector(cosines.data, cosines.type),
            Vector(sines.data, sines.type), pitch, view.data, view.strides[0], view.strides[1],
        )  # fmt: skip


def _or_float(view):
    return (view.type_name,) if view.type_name == "float32" else (view.type_name, "float32")
