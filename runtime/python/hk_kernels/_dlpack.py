"""DLPack capsules read with ctypes: pointer, type, shape and strides of a tensor, and its release."""

import ctypes

CPU, CUDA, ROCM, CUDA_MANAGED = 1, 2, 10, 13
# (code, bits): the name of the type. 8-bit floating point has codes of its own since DLPack 1.1.
_TYPES = {
    (2, 32): "float32",
    (2, 16): "float16",
    (4, 16): "bfloat16",
    (0, 8): "int8",
    (1, 8): "uint8",
    (0, 32): "int32",
    (10, 8): "float8_e4m3fn",
    (11, 8): "float8_e4m3fnuz",
    (12, 8): "float8_e5m2",
    (13, 8): "float8_e5m2fnuz",
}
_READ_ONLY = 1


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class _Managed(ctypes.Structure):
    pass


_Managed._fields_ = [
    ("tensor", _Tensor),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))),
]


class _Versioned(ctypes.Structure):
    pass


_Versioned._fields_ = [
    ("major", ctypes.c_uint32),
    ("minor", ctypes.c_uint32),
    ("context", ctypes.c_void_p),
    ("deleter", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Versioned))),
    ("flags", ctypes.c_uint64),
    ("tensor", _Tensor),
]

# Capsule names: Python keeps the pointers that it is given, so that they have to stay.
_KINDS = {b"dltensor": (_Managed, b"used_dltensor"), b"dltensor_versioned": (_Versioned, b"used_dltensor_versioned")}

_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class Imported:
    """A tensor taken from a capsule. ``release()`` gives it back; once."""

    def __init__(self, capsule):
        name = _name(capsule)
        if name not in _KINDS:
            raise TypeError("the capsule is named {!r}".format(name))
        struct, used = _KINDS[name]
        self._managed = ctypes.cast(_pointer(capsule, name), ctypes.POINTER(struct))
        # From here on the tensor is ours: the capsule's own destructor leaves it alone.
        _rename(capsule, used)
        try:
            self._read(self._managed.contents, struct)
        except BaseException:
            self.release()
            raise

    def _read(self, managed, struct):
        if struct is _Versioned and managed.major != 1:
            raise TypeError("DLPack {}.{} is not known".format(managed.major, managed.minor))
        tensor = managed.tensor
        self.read_only = struct is _Versioned and bool(managed.flags & _READ_ONLY)
        self.data = (tensor.data or 0) + tensor.byte_offset
        self.device_type, self.device = tensor.device_type, tensor.device_id
        self.shape = tuple(tensor.shape[n] for n in range(tensor.ndim))
        self.strides = tuple(tensor.strides[n] for n in range(tensor.ndim)) if tensor.strides else None
        self.type = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
        self.type_text = "DLPack code {}, {} bits, {} lanes".format(tensor.code, tensor.bits, tensor.lanes)

    def release(self):
        managed, self._managed = self._managed, None
        if managed and managed.contents.deleter:
            managed.contents.deleter(managed)


def device_of(tensor):
    """(type, number) of the device."""
    kind, number = tensor.__dlpack_device__()
    return int(kind), int(number)


def take(tensor, kind, stream):
    """Imports a tensor for work in ``stream`` (0: the default one): its producer makes it wait for what it has started."""
    if kind == ROCM:
        ask = stream
    else:
        ask = stream or 1  # 1 is the name of CUDA's default stream; 0 is none
    return Imported(tensor.__dlpack__(stream=ask))
