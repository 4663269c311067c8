"""Device memory and the three kinds of tensors that the module takes, without a framework."""

import ctypes
import math
import struct

hip = ctypes.CDLL("libamdhip64.so.6")
hip.hipMalloc.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_size_t]
hip.hipFree.argtypes = [ctypes.c_void_p]
hip.hipMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "int32": 4}
FORMATS = {"float32": "f", "float16": "e", "int8": "b", "uint8": "B", "int32": "i"}


def contiguous(shape):
    strides, step = [], 1
    for size in reversed(shape):
        strides.insert(0, step)
        step *= size
    return tuple(strides)


class Memory:
    """A tensor's memory, shape and strides; what the three kinds have in common."""

    def __init__(self, shape, dtype="float32", values=None, strides=None, size=None):
        self.dims, self.type, self.steps = tuple(shape), dtype, tuple(strides or contiguous(shape))
        self.count = size or max(1, math.prod(shape))
        self.item = BYTES.get(dtype, 1)
        pointer = ctypes.c_void_p()
        assert hip.hipMalloc(ctypes.byref(pointer), self.count * self.item) == 0
        self.pointer = pointer.value
        if values is not None:
            data = self.pack(values)
            assert hip.hipMemcpy(self.pointer, data, len(data), 1) == 0

    def __del__(self):
        hip.hipFree(self.pointer)

    def pack(self, values):
        if self.type == "bfloat16":  # values that it holds exactly
            return b"".join(struct.pack("<f", value)[2:] for value in values)
        return struct.pack("<{}{}".format(len(values), FORMATS.get(self.type, "B")), *values)

    def values(self):
        data = ctypes.create_string_buffer(self.count * self.item)
        assert hip.hipDeviceSynchronize() == 0
        assert hip.hipMemcpy(data, self.pointer, len(data), 2) == 0
        if self.type == "bfloat16":
            return [struct.unpack("<f", b"\0\0" + data.raw[n : n + 2])[0] for n in range(0, len(data), 2)]
        return list(struct.unpack("<{}{}".format(self.count, FORMATS.get(self.type, "B")), data.raw))


class Torchlike(Memory):
    """data_ptr(), dtype, shape, stride()."""

    @property
    def dtype(self):
        return "torch." + self.type

    @property
    def shape(self):
        return self.dims

    def stride(self):
        return self.steps

    def data_ptr(self):
        return self.pointer


class Interface(Memory):
    """__cuda_array_interface__."""

    read_only = False

    @property
    def __cuda_array_interface__(self):
        names = {"float32": "<f4", "float16": "<f2", "int8": "|i1", "uint8": "|u1", "int32": "<i4", "bfloat16": "<V2"}
        plain = self.steps == contiguous(self.dims)
        strides = None if plain else tuple(step * self.item for step in self.steps)
        return {
            "shape": self.dims,
            "typestr": names[self.type],
            "data": (self.pointer, self.read_only),
            "strides": strides,
            "version": 3,
        }


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", DELETER),
        ("flags", ctypes.c_uint64), ("tensor", DLTensor),
    ]  # fmt: skip


capsule = ctypes.pythonapi.PyCapsule_New
capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
CODES = {
    "float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "int8": (0, 8), "uint8": (1, 8), "int32": (0, 32),
    "float8_e4m3fn": (10, 8), "float8_e4m3fnuz": (11, 8), "float8_e5m2": (12, 8), "float8_e5m2fnuz": (13, 8),
    "float8_e4m3": (8, 8),
}  # fmt: skip


class DLPack(Memory):
    """__dlpack__: unversioned capsules, or with `version` versioned ones. Counts what is given out and given back."""

    version = None
    read_only = False
    offset = 0
    device_type = 10
    out = back = 0
    name = None

    def __dlpack_device__(self):
        return self.device_type, 0

    def __dlpack__(self, *, stream=None):
        self.streams = getattr(self, "streams", []) + [stream]
        rank = len(self.dims)
        arrays = ((ctypes.c_int64 * rank)(*self.dims), (ctypes.c_int64 * rank)(*self.steps))
        code, bits = CODES[self.type]
        shape, strides = (ctypes.cast(array, ctypes.POINTER(ctypes.c_int64)) for array in arrays)
        if self.steps == contiguous(self.dims):
            strides = None
        tensor = DLTensor(
            self.pointer - self.offset, self.device_type, 0, rank, code, bits, 1, shape, strides, self.offset
        )

        def release(_):
            self.back += 1

        deleter = DELETER(release)
        if self.version:
            managed = Versioned(self.version, 1, None, deleter, int(self.read_only), tensor)
        else:
            managed = Managed(tensor, None, deleter)
        self.out += 1
        name = self.name or (b"dltensor_versioned" if self.version else b"dltensor")
        # As long as the tensor: a capsule names its memory without owning it.
        self.kept = getattr(self, "kept", []) + [(arrays, deleter, managed, name)]
        return capsule(ctypes.addressof(managed), name, None)


class HostMemory:
    """A torchlike tensor in the memory of the host."""

    dtype, shape = "torch.float32", (2, 64)

    def __init__(self):
        self.buffer = ctypes.create_string_buffer(4 * 2 * 64)

    def stride(self):
        return (64, 1)

    def data_ptr(self):
        return ctypes.addressof(self.buffer)
