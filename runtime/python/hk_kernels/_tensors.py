"""What the functions know of a tensor, whatever it is: pointer, type, shape, strides."""

import ctypes
import sys

from . import _dlpack, _library

_INTERFACE_TYPES = {"f4": "float32", "f2": "float16", "i1": "int8", "u1": "uint8", "i4": "int32"}


class Tensor:
    """A view of a caller's tensor. Strides count elements; ``type`` is the library's number."""

    __slots__ = ("name", "data", "type", "shape", "strides", "read_only", "imported")

    def __init__(self, name, data, type_name, shape, strides, read_only=False, imported=None):
        self.name, self.data, self.shape = name, data, tuple(int(n) for n in shape)
        self.type = _library.TYPES.index(type_name)
        if strides is None:
            strides, step = [], 1
            for size in reversed(self.shape):
                strides.append(step)
                step *= size
            strides.reverse()
        self.strides, self.read_only, self.imported = tuple(int(n) for n in strides), read_only, imported

    @property
    def type_name(self):
        return _library.TYPES[self.type]

    @property
    def count(self):
        count = 1
        for size in self.shape:
            count *= size
        return count

    def matrix(self):
        """(rows, columns, pitch): the dimensions but the last as one."""
        if not self.shape:
            raise ValueError("{}: has no dimensions".format(self.name))
        columns = self.shape[-1]
        if self.count == 0:
            rows = 1
            for size in self.shape[:-1]:
                rows *= size
            return rows, columns, columns
        if columns > 1 and self.strides[-1] != 1:
            raise ValueError(
                "{}: the last dimension is not contiguous, its stride is {}".format(self.name, self.strides[-1])
            )
        rows, pitch = 1, None
        for size, stride in reversed(list(zip(self.shape[:-1], self.strides[:-1]))):
            if size == 1:
                continue
            if pitch is None:
                pitch = stride
            elif stride != pitch * rows:
                raise ValueError(
                    "{}: shape {} with strides {} is no matrix of rows".format(self.name, self.shape, self.strides)
                )
            rows *= size
        return rows, columns, columns if pitch is None else pitch

    def vector(self, count):
        """Checks that this is one contiguous dimension of \\p count elements."""
        if self.shape != (count,):
            raise ValueError("{}: shape {}, not {}".format(self.name, self.shape, (count,)))
        if count > 1 and self.strides[0] != 1:
            raise ValueError("{}: not contiguous, its stride is {}".format(self.name, self.strides[0]))
        return _library.Vector(self.data, self.type)


def _from_data_ptr(name, tensor):
    type_name = str(tensor.dtype).rsplit(".", 1)[-1]
    if type_name not in _library.TYPES:
        raise TypeError("{}: type {} is not supported".format(name, type_name))
    return Tensor(name, tensor.data_ptr(), type_name, tensor.shape, tensor.stride())


def _from_interface(name, tensor):
    fields = tensor.__cuda_array_interface__
    text = fields["typestr"]
    type_name = _INTERFACE_TYPES.get(text[1:]) if text[0] in "<|=" else None
    if type_name is None:
        if hasattr(tensor, "__dlpack__"):
            return None
        raise TypeError("{}: type {} of __cuda_array_interface__ is not supported".format(name, text))
    data, read_only = fields["data"]
    strides = fields.get("strides")
    if strides is not None:
        bytes_each = _library.ITEM_BYTES[_library.TYPES.index(type_name)]
        if any(stride % bytes_each for stride in strides):
            raise ValueError("{}: strides {} are no multiples of the element".format(name, tuple(strides)))
        strides = [stride // bytes_each for stride in strides]
    return Tensor(name, data or 0, type_name, fields["shape"], strides, bool(read_only))


def _from_dlpack(name, tensor, stream):
    kind, _ = _dlpack.device_of(tensor)
    if kind not in (_dlpack.CUDA, _dlpack.ROCM, _dlpack.CUDA_MANAGED):
        raise ValueError("{}: not in device memory (DLPack device type {})".format(name, kind))
    try:
        imported = _dlpack.take(tensor, kind, stream)
    except TypeError as error:
        raise TypeError("{}: {}".format(name, error)) from error
    if imported.type is None:
        imported.release()
        raise TypeError("{}: type is not supported ({})".format(name, imported.type_text))
    return Tensor(
        name, imported.data, imported.type, imported.shape, imported.strides, imported.read_only, imported
    )


def _view(name, tensor, stream):
    if callable(getattr(tensor, "data_ptr", None)) and callable(getattr(tensor, "stride", None)):
        return _from_data_ptr(name, tensor)
    if hasattr(tensor, "__cuda_array_interface__"):
        view = _from_interface(name, tensor)
        if view is not None:
            return view
    if hasattr(tensor, "__dlpack__") and hasattr(tensor, "__dlpack_device__"):
        return _from_dlpack(name, tensor, stream)
    raise TypeError(
        "{}: {} has neither data_ptr() and stride() nor __cuda_array_interface__ nor __dlpack__".format(
            name, type(tensor).__name__
        )
    )


def stream_of(stream, tensor):
    """The handle for a ``stream`` argument; see the package."""
    if stream is None:
        if type(tensor).__module__.split(".")[0] == "torch":
            return int(sys.modules["torch"].cuda.current_stream(tensor.device).cuda_stream)
        return 0
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    if not isinstance(stream, int) or isinstance(stream, bool):
        raise TypeError("stream: {} is no handle and has neither cuda_stream nor ptr".format(type(stream).__name__))
    if stream < 0:
        raise ValueError("stream: {} is negative".format(stream))
    return stream


class Call:
    """The tensors of one call; with it, they are given back when the call has been made."""

    def __init__(self, stream, output):
        self.stream = stream_of(stream, output)
        self._imported = []
        device = ctypes.c_int32()
        _library.call("hk_current_device", ctypes.byref(device))
        self._device = device.value

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for imported in self._imported:
            imported.release()

    def tensor(self, name, tensor, types, written=False):
        """A view of an argument. \\p types: the names that it may have."""
        view = _view(name, tensor, self.stream)
        if view.imported:
            self._imported.append(view.imported)
        if view.type_name not in types:
            raise TypeError("{}: type {}, not {}".format(name, view.type_name, " or ".join(types)))
        if len(view.strides) != len(view.shape):
            raise ValueError("{}: {} strides for {} dimensions".format(name, len(view.strides), len(view.shape)))
        if any(stride < 0 for stride in view.strides):
            raise ValueError("{}: negative strides {}".format(name, view.strides))
        if written and view.read_only:
            raise ValueError("{}: is read-only".format(name))
        if view.count:
            self._on_device(view)
        return view

    def _on_device(self, view):
        if not view.data:
            raise ValueError("{}: its pointer is null".format(view.name))
        holds = ctypes.c_int32()
        _library.call("hk_device_of", view.data, ctypes.byref(holds))
        if holds.value < 0:
            raise ValueError("{}: not in device memory".format(view.name))
        if holds.value != self._device:
            raise ValueError(
                "{}: on device {}, but the current device is {}".format(view.name, holds.value, self._device)
            )
