"""What the tests of the module have in common: checks that go on, numbers, activations."""

import math

failures = []
"""What did not hold."""


def check(holds, what):
    if not holds:
        failures.append(what)
        print("FAILED:", what)


def near(values, expected, what, tolerance=1e-5):
    pairs = list(zip(values, expected))
    bad = [pair for pair in pairs if not abs(pair[0] - pair[1]) <= tolerance * (abs(pair[1]) + 1e-3)]
    check(len(values) == len(expected) and not bad, "{}: {}".format(what, bad[:3]))


def refused(error, message, function, *arguments, **options):
    try:
        function(*arguments, **options)
    except Exception as is_raised:
        right = type(is_raised) is error and str(is_raised) == message
        check(right, "{!r}, not {}: {}".format(is_raised, error.__name__, message))
    else:
        check(False, "nothing raised, not {}: {}".format(error.__name__, message))


def numbers(count, seed):
    """Multiples of 1/64 between -2 and 2: exact in bf16."""
    return [((n * 37 + seed * 101) % 257 - 128) / 64 for n in range(count)]


ACTIVATIONS = {
    "identity": lambda x: x,
    "relu": lambda x: max(x, 0.0),
    "gelu": lambda x: 0.5 * x * (1 + math.erf(x / math.sqrt(2))),
    "gelu_tanh": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": lambda x: x / (1 + math.exp(-x)),
}
