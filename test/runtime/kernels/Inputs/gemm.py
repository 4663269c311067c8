"""gemm and linear of the Python module in the simulator: layouts from strides, options, batches and errors."""

import sys

import hk_kernels as hk
from check import ACTIVATIONS, check, failures, near, numbers, refused
from fakes import DLPack, Interface, Torchlike

KINDS = (Torchlike, Interface, DLPack)
M, N, K = 5, 36, 64


def product(a, b, m, n, k):
    """Of lists by rows."""
    return [sum(a[i * k + p] * b[p * n + j] for p in range(k)) for i in range(m) for j in range(n)]


def transposed(values, rows, columns):
    return [values[i * columns + j] for j in range(columns) for i in range(rows)]


A, B = numbers(M * K, 1), numbers(K * N, 2)
EXPECTED = product(A, B, M, N, K)


def layouts():
    for kind in KINDS:
        lefts = kind((M, K), values=A), kind((M, K), values=transposed(A, M, K), strides=(1, M))
        rights = kind((K, N), values=B), kind((K, N), values=transposed(B, K, N), strides=(1, K))
        for a in lefts:
            for b in rights:
                out = kind((M, N))
                hk.gemm(out, a, b)
                near(out.values(), EXPECTED, "gemm of {}, strides {} {}".format(kind.__name__, a.steps, b.steps))
    # A row and a column: both orders are right.
    for strides in ((K, 1), (1, 1)):
        out = Torchlike((1, 1))
        hk.gemm(out, Torchlike((1, K), values=A[:K], strides=strides), Torchlike((K, 1), values=B[:K]))
        near(out.values(), [sum(x * y for x, y in zip(A[:K], B[:K]))], "a row and a column")
    # Nothing to add up, and nothing to do.
    out = Torchlike((M, N))
    hk.gemm(out, Torchlike((M, 0)), Torchlike((0, N)), bias=Torchlike((N,), values=B[:N]))
    near(out.values(), B[:N] * M, "k = 0")
    hk.gemm(Torchlike((0, N)), Torchlike((0, K)), Torchlike((K, N)))


def options():
    c, r, bias = numbers(M * N, 3), numbers(M * N, 4), numbers(N, 5)
    rows, columns = [0.5 + i for i in range(M)], [0.25 + j / 8 for j in range(N)]
    for name, f in ACTIVATIONS.items():
        for fast in (False, True):
            out = Torchlike((M, N), "float32", c)
            hk.gemm(
                out, Torchlike((M, K), "bfloat16", A), Torchlike((K, N), "bfloat16", B), alpha=0.5, beta=-2, c=out,
                bias=Torchlike((N,), "bfloat16", bias), residual=Torchlike((M, N), "float32", r), activation=name,
                row_scale=Torchlike((M,), values=rows), column_scale=Torchlike((N,), values=columns),
                scale=Torchlike((1,), values=[4.0]), out_row_scale=Torchlike((M,), values=rows), fast=fast,
            )  # fmt: skip
            expected = []
            for n, value in enumerate(EXPECTED):
                value = 0.5 * value * rows[n // N] * columns[n % N] - 2 * c[n] + bias[n % N]
                expected.append((f(value) + r[n]) / 4 / rows[n // N])
            near(out.values(), expected, "options, " + name, 1e-3)


def batches():
    a, b = numbers(3 * M * K, 6), numbers(3 * K * N, 7)
    expected = []
    for n in range(3):
        expected += product(a[n * M * K :], b[n * K * N :], M, N, K)
    out = DLPack((3, M, N))
    hk.gemm(out, DLPack((3, M, K), values=a), DLPack((3, K, N), values=b))
    near(out.values(), expected, "batches")
    # One weight for all, and a residual that is shared.
    r = numbers(M * N, 8)
    out = Torchlike((3, M, N))
    residual = Torchlike((3, M, N), values=r, strides=(0, N, 1), size=M * N)
    hk.gemm(out, Torchlike((3, M, K), values=a), Torchlike((K, N), values=B), residual=residual)
    expected = [y + z for n in range(3) for y, z in zip(product(a[n * M * K :], B, M, N, K), r)]
    near(out.values(), expected, "batches of one b")


def linear():
    weight, bias = transposed(B, K, N), numbers(N, 9)
    x = Torchlike((1, M, K), values=A)
    for shape in ((1, M, N), (1, M, N)):
        out = Torchlike(shape)
        hk.linear(
            out, x, Torchlike((N, K), values=weight), Torchlike((N,), values=bias), activation="silu", constant_weight=True
        )
        expected = [ACTIVATIONS["silu"](y + bias[n % N]) for n, y in enumerate(EXPECTED)]
        near(out.values(), expected, "linear", 1e-4)
    # Quantized, with scales of both factors' rows, to fp8 and back to a residual.
    q, s = Torchlike((M, K), hk.native_fp8()), Torchlike((M, 1))
    hk.quantize(q, Torchlike((M, K), values=A), out_scale=s)
    w, t = Torchlike((N, K), hk.native_fp8()), Torchlike((N,))
    hk.quantize(w, Torchlike((N, K), values=weight), out_scale=t)
    back = Torchlike((M, K)), Torchlike((N, K))
    hk.dequantize(back[0], q, s)
    hk.dequantize(back[1], w, t)
    expected = product(back[0].values(), transposed(back[1].values(), N, K), M, N, K)
    out = Torchlike((M, N))
    hk.linear(out, q, w, row_scale=s, column_scale=t)
    near(out.values(), expected, "linear of fp8", 1e-4)
    sums = Torchlike((M, N), "int32")
    left, right = [n % 23 - 11 for n in range(M * K)], [n % 19 - 9 for n in range(N * K)]
    hk.linear(sums, Torchlike((M, K), "int8", left), Torchlike((N, K), "int8", right))
    check(sums.values() == product(left, transposed(right, N, K), M, N, K), "sums of int8")


def workspace():
    k = 4096
    x, w = numbers(2 * k, 10), numbers(32 * k, 11)
    size = hk.GemmWorkspace.bytes(2, 32, k, "float16")
    check(size == 0 or size > 65536, "bytes of a workspace")
    space = hk.GemmWorkspace(Torchlike((max(size, 65536),), "uint8"))
    for _ in range(2):
        out = Torchlike((2, 32))
        hk.linear(out, Torchlike((2, k), "float16", x), Torchlike((32, k), "float16", w), workspace=space)
        near(out.values(), product(x, transposed(w, 32, k), 2, 32, k), "K split", 1e-3)
    refused(ValueError, "memory: 64 bytes, 65536 are needed", hk.GemmWorkspace, Torchlike((64,), "int8"))
    square = Torchlike((4, 4))
    refused(
        TypeError, "workspace: Torchlike is no GemmWorkspace", hk.linear, square, square, square, workspace=square
    )
    refused(
        ValueError, "type_name: 'half' is none of " + ", ".join(hk._library.TYPES), hk.GemmWorkspace.bytes, 1, 1, 1, "half"
    )


def errors():
    a, b, out = Torchlike((M, K)), Torchlike((K, N)), Torchlike((M, N))
    refused(TypeError, "b: type float16, not float32", hk.gemm, out, a, Torchlike((K, N), "float16"))
    refused(TypeError, "out: type float16, not float32", hk.gemm, Torchlike((M, N), "float16"), a, b)
    refused(ValueError, "out: shape (5,), not (m, n) or (batches, m, n)", hk.gemm, Torchlike((M,)), a, b)
    refused(ValueError, "a: shape (6, 64) does not fit out's (5, 36)", hk.gemm, out, Torchlike((6, K)), b)
    refused(ValueError, "b: shape (63, 36), not (64, 36)", hk.gemm, out, a, Torchlike((63, N)))
    refused(
        ValueError, "a: neither rows nor columns are contiguous, its strides are (128, 2)",
        hk.gemm, out, Torchlike((M, K), strides=(2 * K, 2), size=2 * M * K), b,
    )  # fmt: skip
    refused(
        ValueError, "out: the last dimension is not contiguous, its stride is 5",
        hk.gemm, Torchlike((M, N), strides=(1, M)), a, b,
    )  # fmt: skip
    refused(ValueError, "c: None, but beta is 1.0", hk.gemm, out, a, b, beta=1)
    refused(TypeError, "c: type int8, not float32", hk.gemm, out, a, b, beta=1, c=Torchlike((M, N), "int8"))
    refused(ValueError, "residual: shape (5, 35), but out has (5, 36)", hk.gemm, out, a, b, residual=Torchlike((M, 35)))
    refused(ValueError, "bias: shape (5,), not (36,)", hk.gemm, out, a, b, bias=Torchlike((M,)))
    refused(ValueError, "row_scale: shape (36,), not (5,)", hk.gemm, out, a, b, row_scale=Torchlike((N,)))
    refused(ValueError, "column_scale: shape (5,), not (36,)", hk.gemm, out, a, b, column_scale=Torchlike((M,)))
    refused(ValueError, "scale: shape (5,), not one element", hk.gemm, out, a, b, scale=Torchlike((M,)))
    refused(TypeError, "alpha: str is no number", hk.gemm, out, a, b, alpha="one")
    refused(
        ValueError, "activation: 'tanh' is none of identity, relu, gelu, gelu_tanh, silu", hk.gemm, out, a, b, activation="tanh"
    )
    refused(ValueError, "weight: shape (64, 36), not (n, 64)", hk.linear, out, a, b)
    refused(ValueError, "out: shape (5, 36), not (5, 7)", hk.linear, out, a, Torchlike((7, K)))
    refused(ValueError, "row_scale: shape (36,), not (5,)", hk.linear, out, a, Torchlike((N, K)), row_scale=Torchlike((N,)))
    q = Torchlike((M, K), "int8")
    refused(
        hk.KernelError, "hk_gemm: b.layout: built for column-major only with types of 8 bits",
        hk.gemm, out, q, Torchlike((K, N), "int8"),
    )  # fmt: skip


for test in (layouts, options, batches, linear, workspace, errors):
    test()
if not failures:
    print("all passed")
sys.exit(bool(failures))
