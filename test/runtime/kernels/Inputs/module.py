"""The Python module in the simulator: every function's numbers, all kinds of tensors, and the errors."""

import ctypes
import gc
import math
import sys
import types

import hk_kernels as hk
from check import ACTIVATIONS, check, failures, near, numbers, refused
from fakes import DLPack, HostMemory, Interface, Memory, Torchlike, hip

KINDS = (Torchlike, Interface, DLPack)
ROWS, COLUMNS = 4, 64
EPSILON = 1e-5


def rows_of(values, columns=COLUMNS):
    return [values[n : n + columns] for n in range(0, len(values), columns)]


def e4m3fnuz(byte):
    if byte == 0x80:
        return math.nan
    exponent, mantissa = byte >> 3 & 15, byte & 7
    size = (1 + mantissa / 8) * 2.0 ** (exponent - 8) if exponent else mantissa / 8 * 2.0**-7
    return -size if byte & 0x80 else size


def rms(row, weight):
    inverse = 1 / math.sqrt(sum(x * x for x in row) / len(row) + EPSILON)
    return [x * inverse * w for x, w in zip(row, weight)]


def norms():
    x, r, w, b = (numbers(ROWS * COLUMNS, 1), numbers(ROWS * COLUMNS, 2), numbers(COLUMNS, 3), numbers(COLUMNS, 4))
    expected = [y for row in rows_of(x) for y in rms(row, w)]
    for kind in KINDS:
        out = kind((ROWS, COLUMNS))
        hk.rms_norm(out, kind((ROWS, COLUMNS), values=x), kind((COLUMNS,), values=w), EPSILON)
        near(out.values(), expected, "rms_norm of " + kind.__name__)
    # Three dimensions, the rows of x a pitch apart; a type with its own weights in f32.
    x_pitched = Torchlike((2, 2, COLUMNS), strides=(160, 80, 1), size=400)
    padded = [v for row in rows_of(x) for v in row + [0.0] * 16]
    x_pitched = Torchlike((2, 2, COLUMNS), values=padded, strides=(160, 80, 1), size=320)
    out = Torchlike((2, 2, COLUMNS))
    hk.rms_norm(out, x_pitched, Torchlike((COLUMNS,), values=w), EPSILON)
    near(out.values(), expected, "rms_norm of a pitched tensor")

    # The sum in bf16, and a scale for each row; `out` in a type that only DLPack and PyTorch have.
    for kind in (Torchlike, DLPack):
        residual = kind((ROWS, COLUMNS), "bfloat16", r)
        out, scales = kind((ROWS, COLUMNS), hk.native_fp8()), kind((ROWS, 1))
        hk.residual_rms_norm(
            out, residual, kind((ROWS, COLUMNS), "bfloat16", x), kind((COLUMNS,), "bfloat16", w), EPSILON, out_scale=scales
        )
        sums = residual.values()
        near(sums, [a + c for a, c in zip(x, r)], "residual", 2.0**-8)
        for row, codes, scale in zip(rows_of(sums), rows_of(out.values()), scales.values()):
            y = rms(row, w)
            near([scale], [max(map(abs, y)) / 240], "out_scale of rows")
            check(
                all(abs(e4m3fnuz(q) * scale - v) <= abs(v) / 15.9 + scale / 1000 for q, v in zip(codes, y)),
                "residual_rms_norm",
            )
    half, scale = Torchlike((ROWS, COLUMNS), "int8"), Torchlike((1,), values=[0.125])
    hk.rms_norm(half, Torchlike((ROWS, COLUMNS), values=x), Torchlike((COLUMNS,), values=w), EPSILON, scale=scale)
    check(all(abs(q - min(127, max(-128, y * 8))) <= 0.501 for q, y in zip(half.values(), expected)), "a static scale")

    for affine in (False, True):
        out = Interface((ROWS, COLUMNS))
        vectors = [Interface((COLUMNS,), values=w), Interface((COLUMNS,), values=b)] if affine else [None, None]
        hk.layer_norm(out, Interface((ROWS, COLUMNS), values=x), *vectors, EPSILON)
        expected = []
        for row in rows_of(x):
            mean = sum(row) / COLUMNS
            inverse = 1 / math.sqrt(sum((v - mean) ** 2 for v in row) / COLUMNS + EPSILON)
            for v, weight, bias in zip(row, w, b):
                expected.append((v - mean) * inverse * weight + bias if affine else (v - mean) * inverse)
        near(out.values(), expected, "layer_norm", 1e-4)


def softmax():
    x, mask = numbers(ROWS * COLUMNS, 5), numbers(COLUMNS, 6)
    mask[3] = -math.inf
    for fast in (False, True):
        for shared in (False, True):
            out = DLPack((ROWS, COLUMNS))
            masks = DLPack((COLUMNS,), values=mask) if shared else DLPack((ROWS, COLUMNS), values=mask * ROWS)
            hk.softmax(out, DLPack((ROWS, COLUMNS), values=x), scale=0.5, mask=masks, fast=fast)
            expected = []
            for row in rows_of(x):
                powers = [math.exp(0.5 * v + m) for v, m in zip(row, mask)]
                expected += [power / sum(powers) for power in powers]
            near(out.values(), expected, "softmax")
    out = Torchlike((ROWS, COLUMNS))
    hk.softmax(out, Torchlike((ROWS, COLUMNS), values=x))
    near([sum(row) for row in rows_of(out.values())], [1.0] * ROWS, "softmax without a mask")


def activations():
    halves, b = numbers(ROWS * 2 * COLUMNS, 7), numbers(COLUMNS, 8)
    gate = [v for row in rows_of(halves, 2 * COLUMNS) for v in row[:COLUMNS]]
    up = [v for row in rows_of(halves, 2 * COLUMNS) for v in row[COLUMNS:]]
    for name, f in ACTIVATIONS.items():
        expected = [f(g) * u for g, u in zip(gate, up)]
        for arguments in (
            [Torchlike((ROWS, 2 * COLUMNS), values=halves)],
            [Torchlike((ROWS, COLUMNS), values=gate), Torchlike((ROWS, COLUMNS), values=up)],
        ):
            out = Torchlike((ROWS, COLUMNS))
            hk.gated(out, *arguments, activation=name)
            near(out.values(), expected, "gated, " + name, 1e-4)
        out = Interface((ROWS, COLUMNS))
        hk.bias_activation(out, Interface((ROWS, COLUMNS), values=gate), Interface((COLUMNS,), values=b), name)
        near(out.values(), [f(v + c) for v, c in zip(gate, b * ROWS)], "bias_activation, " + name, 1e-4)
    for function, name in (
        (hk.swiglu, "silu"), (hk.geglu, "gelu_tanh"), (lambda *a: hk.geglu(*a, tanh=False), "gelu"), (hk.reglu, "relu"),
    ):  # fmt: skip
        out = Torchlike((ROWS, COLUMNS))
        function(out, Torchlike((ROWS, 2 * COLUMNS), values=halves))
        near(out.values(), [ACTIVATIONS[name](g) * u for g, u in zip(gate, up)], "shorthand, " + name, 1e-4)


def quantization():
    x = numbers(ROWS * COLUMNS, 9)
    for group in (None, 32, 64, 128):
        q = DLPack((ROWS, COLUMNS), hk.native_fp8())
        scales = DLPack((ROWS,) if group is None else (ROWS, -(-COLUMNS // group)))
        hk.quantize(q, DLPack((ROWS, COLUMNS), values=x), out_scale=scales, group=group)
        back = DLPack((ROWS, COLUMNS))
        hk.dequantize(back, q, scales, group=group)
        check(all(abs(y - v) <= abs(v) / 15.9 + 1e-4 for y, v in zip(back.values(), x)), "quantize, {}".format(group))
    q, scale = Torchlike((ROWS, COLUMNS), "int8"), Torchlike((), values=[0.0625])
    hk.quantize(q, Torchlike((ROWS, COLUMNS), values=x), scale=scale)
    check(all(abs(y - v * 16) <= 0.501 for y, v in zip(q.values(), x)), "quantize with a static scale")
    back = Torchlike((ROWS, COLUMNS))
    hk.dequantize(back, q, scale)
    near(back.values(), [y / 16 for y in q.values()], "dequantize with one scale", 0)


def rotary():
    tokens, heads, half = 3, 2, 16
    x = numbers(tokens * heads * 2 * half, 10)
    cosine = [math.cos(0.1 * n) for n in range(tokens * half)]
    sine = [math.sin(0.1 * n) for n in range(tokens * half)]
    for interleaved in (False, True):
        tensor = Torchlike((tokens, heads, 2 * half), values=x)
        angles = [Torchlike((tokens, half), values=values) for values in (cosine, sine)]
        hk.rotary(tensor, tensor, *angles, interleaved=interleaved)
        expected = list(x)
        for start in range(0, len(x), 2 * half):
            for n in range(half):
                a, b = (start + 2 * n, start + 2 * n + 1) if interleaved else (start + n, start + n + half)
                at = start // (2 * half * heads) * half + n
                expected[a] = x[a] * cosine[at] - x[b] * sine[at]
                expected[b] = x[b] * cosine[at] + x[a] * sine[at]
        near(tensor.values(), expected, "rotary", 1e-4)


def capsules():
    for version in (None, 1):
        for offset in (0, 256):
            DLPack.version, DLPack.offset = version, offset
            x, w, out = DLPack((ROWS, COLUMNS), values=numbers(ROWS * COLUMNS, 1)), DLPack((COLUMNS,)), DLPack((ROWS, COLUMNS))
            w = DLPack((COLUMNS,), values=[1.0] * COLUMNS)
            hk.rms_norm(out, x, w, EPSILON)
            gc.collect()
            check((x.out, x.back, out.out, out.back, w.back) == (1, 1, 1, 1, 1), "each capsule is given back once")
            near(out.values(), [y for row in rows_of(x.values()) for y in rms(row, [1.0] * COLUMNS)], "capsules")
            check(x.streams == [0], "ROCm's default stream is 0")
            # Given back after an error, too.
            refused(ValueError, "weight: shape (64,), not (63,)", hk.rms_norm, out, DLPack((ROWS, 63)), w, EPSILON)
            check((out.back, w.back) == (out.out, w.out), "capsules are given back after an error")
    DLPack.version, DLPack.offset = 2, 0
    x = DLPack((ROWS, COLUMNS))
    refused(TypeError, "x: DLPack 2.1 is not known", hk.rms_norm, x, x, x, EPSILON)
    check((x.out, x.back) == (1, 1), "an unknown version is given back")
    DLPack.version = 1
    x = DLPack((ROWS, COLUMNS))
    x.read_only = True
    refused(ValueError, "out: is read-only", hk.softmax, x, x)
    DLPack.version = None
    x.name = b"used_dltensor"
    refused(TypeError, "x: the capsule is named b'used_dltensor'", hk.softmax, x, x)
    x = DLPack((ROWS, COLUMNS), "float8_e4m3")
    refused(TypeError, "x: type is not supported (DLPack code 8, 8 bits, 1 lanes)", hk.softmax, x, x)
    check((x.out, x.back) == (1, 1), "an unknown type is given back")
    x.device_type = 1
    refused(ValueError, "x: not in device memory (DLPack device type 1)", hk.softmax, x, x)


class Handle:
    def __init__(self, **fields):
        self.__dict__.update(fields)


def streams():
    stream = ctypes.c_void_p()
    assert hip.hipStreamCreate(ctypes.byref(stream)) == 0
    for value in (stream.value, Handle(cuda_stream=stream.value), Handle(ptr=stream.value), 0, None):
        x, out = DLPack((ROWS, COLUMNS), values=numbers(ROWS * COLUMNS, 1)), DLPack((ROWS, COLUMNS))
        hk.softmax(out, x, stream=value)
        near([sum(row) for row in rows_of(out.values())], [1.0] * ROWS, "a stream")
        check(x.streams == [stream.value if value else 0], "the producer hears of the stream")
    # The current stream of PyTorch, if the output is PyTorch's.
    asked = []

    def current_stream(device):
        asked.append(device)
        return Handle(cuda_stream=stream.value)

    sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(current_stream=current_stream))
    out = type("Tensor", (Torchlike,), {"__module__": "torch", "device": "cuda:0"})((ROWS, COLUMNS))
    hk.softmax(out, Torchlike((ROWS, COLUMNS), values=numbers(ROWS * COLUMNS, 1)))
    near([sum(row) for row in rows_of(out.values())], [1.0] * ROWS, "PyTorch's stream")
    check(asked == ["cuda:0"], "PyTorch's current stream is asked for")
    del sys.modules["torch"]


def workspace():
    memory = Torchlike((hk.Workspace.bytes(),), "uint8")
    space = hk.Workspace(memory)
    columns = 8192
    x, w = numbers(columns, 11), [1.0] * columns
    for _ in range(2):  # it is ready for the next
        residual = Torchlike((1, columns), "bfloat16", [0.0] * columns)
        out = Torchlike((1, columns), "bfloat16")
        hk.residual_rms_norm(
            out, residual, Torchlike((1, columns), "bfloat16", x), Torchlike((columns,), "bfloat16", w), EPSILON, workspace=space
        )
        near(out.values(), rms(x, w), "with a workspace", 2.0**-8)
    refused(ValueError, "memory: 64 bytes, {} are needed".format(hk.Workspace.bytes()), hk.Workspace, Torchlike((64,), "int8"))
    refused(TypeError, "workspace: Torchlike is no Workspace", hk.softmax, residual, residual, workspace=memory)


def errors():
    x, w, out = Torchlike((ROWS, COLUMNS)), Torchlike((COLUMNS,)), Torchlike((ROWS, COLUMNS))
    q, one = Torchlike((ROWS, COLUMNS), "int8"), Torchlike((1,))
    plain = Memory((ROWS, COLUMNS))
    text = "{}: Memory has neither data_ptr() and stride() nor __cuda_array_interface__ nor __dlpack__"
    refused(TypeError, text.format("x"), hk.rms_norm, out, plain, w, EPSILON)
    refused(TypeError, text.format("weight"), hk.rms_norm, out, x, plain, EPSILON)
    refused(TypeError, text.format("out"), hk.rms_norm, plain, x, w, EPSILON)
    refused(TypeError, "x: type int64 is not supported", hk.softmax, out, Torchlike((ROWS, COLUMNS), "int64"))
    refused(TypeError, "x: type int32, not float32 or float16 or bfloat16", hk.softmax, out, Torchlike((4,), "int32"))
    refused(
        TypeError, "x: type <V2 of __cuda_array_interface__ is not supported", hk.softmax, out, Interface((4,), "bfloat16")
    )
    refused(TypeError, "weight: type float16, not float32", hk.rms_norm, out, x, Torchlike((64,), "float16"), EPSILON)
    refused(
        TypeError, "out: type float16, not float32 or int8 or float8_e4m3fnuz",
        hk.rms_norm, Torchlike((ROWS, COLUMNS), "float16"), x, w, EPSILON,
    )  # fmt: skip
    refused(TypeError, "out: type float32, not int8 or float8_e4m3fnuz", hk.rms_norm, out, x, w, EPSILON, scale=one)
    refused(TypeError, "scale: type int8, not float32", hk.rms_norm, q, x, w, EPSILON, scale=Torchlike((1,), "int8"))
    refused(TypeError, "epsilon: str is no number", hk.rms_norm, out, x, w, "small")
    refused(ValueError, "epsilon: -1.0 is not a finite number from 0 on", hk.rms_norm, out, x, w, -1)
    refused(ValueError, "scale: nan is not a finite number", hk.softmax, out, x, scale=math.nan)
    refused(ValueError, "weight: shape (63,), not (64,)", hk.rms_norm, out, x, Torchlike((63,)), EPSILON)
    refused(
        ValueError, "weight: not contiguous, its stride is 2",
        hk.rms_norm, out, x, Torchlike((64,), strides=(2,), size=128), EPSILON,
    )  # fmt: skip
    refused(ValueError, "out: shape (3, 64), but x has (4, 64)", hk.rms_norm, Torchlike((3, 64)), x, w, EPSILON)
    refused(
        ValueError, "x: the last dimension is not contiguous, its stride is 4",
        hk.softmax, out, Torchlike((ROWS, COLUMNS), strides=(1, 4)),
    )  # fmt: skip
    refused(
        ValueError, "x: shape (2, 2, 64) with strides (64, 128, 1) is no matrix of rows",
        hk.softmax, out, Torchlike((2, 2, 64), strides=(64, 128, 1)),
    )  # fmt: skip
    refused(ValueError, "x: negative strides (-64, 1)", hk.softmax, out, Torchlike((ROWS, COLUMNS), strides=(-64, 1)))
    refused(ValueError, "x: has no dimensions", hk.softmax, out, Torchlike(()))
    refused(ValueError, "x: not in device memory", hk.softmax, out, HostMemory())
    refused(ValueError, "residual: shape (4,), but x has (4, 64)", hk.residual_rms_norm, out, Torchlike((4,)), x, w, EPSILON)
    refused(ValueError, "bias: weight and bias are given both or none", hk.layer_norm, out, x, w, None, EPSILON)
    refused(ValueError, "scale: shape (64,), not one element", hk.rms_norm, q, x, w, EPSILON, scale=w)
    refused(ValueError, "out_scale: scale is given, too", hk.rms_norm, q, x, w, EPSILON, scale=one, out_scale=one)
    refused(ValueError, "group: there is no out_scale", hk.rms_norm, q, x, w, EPSILON, group=128)
    refused(ValueError, "out_scale: shape (1,), not (4,)", hk.rms_norm, q, x, w, EPSILON, out_scale=one)
    refused(ValueError, "out_scale: shape (1,), not (4, 2)", hk.quantize, q, x, out_scale=one, group=32)
    refused(ValueError, "group: 48 is not 32 or 64 or 128", hk.quantize, q, x, out_scale=one, group=48)
    refused(TypeError, "group: float is no int", hk.quantize, q, x, out_scale=one, group=32.0)
    refused(ValueError, "group: 0 is not positive", hk.dequantize, out, q, one, group=0)
    refused(ValueError, "out: shape (4, 64) is not half of gate's (4, 64); up is None", hk.swiglu, out, x)
    refused(ValueError, "activation: 'tanh' is none of identity, relu, gelu, gelu_tanh, silu", hk.gated, out, x, x, "tanh")
    refused(ValueError, "x: shape (4, 64), not (tokens, heads, 2 * half)", hk.rotary, x, x, w, w)
    refused(TypeError, "stream: str is no handle and has neither cuda_stream nor ptr", hk.softmax, out, x, stream="now")
    read_only = Interface((ROWS, COLUMNS))
    read_only.read_only = True
    refused(ValueError, "out: is read-only", hk.softmax, read_only, x)
    scales = Torchlike((ROWS, 1))
    refused(
        hk.KernelError, "hk_rms_norm: y.group: built for 128 only here",
        hk.rms_norm, q, x, w, EPSILON, out_scale=scales, group=64,
    )  # fmt: skip
    check(issubclass(hk.KernelError, RuntimeError), "KernelError is a RuntimeError")
    refused(OSError, "libhk_kernels cannot be loaded: /none.so: no such file", hk.load, "/none.so")
    # No rows: nothing to do, and no memory is looked at.
    hk.softmax(Torchlike((0, COLUMNS)), Torchlike((0, COLUMNS)))


for test in (norms, softmax, activations, quantization, rotary, capsules, streams, workspace, errors):
    test()
if not failures:
    print("all passed")
sys.exit(bool(failures))
