"""ATen's operators as torchgen reads them from the torch that is installed."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

import torchgen
from torchgen.api import structured
from torchgen.api.types import Binding, NativeSignature
from torchgen.context import native_function_manager
from torchgen.gen import get_grouped_native_functions, parse_native_yaml
from torchgen.model import NativeFunction, NativeFunctionsGroup, SchemaKind


@functools.cache
def _parsed() -> tuple[dict[str, NativeFunction], dict[str, NativeFunctionsGroup]]:
    folder = Path(torchgen.__file__).parent / "packaged" / "ATen" / "native"
    parsed = parse_native_yaml(str(folder / "native_functions.yaml"), str(folder / "tags.yaml"))
    functions = {str(f.func.name): f for f in parsed.native_functions}
    groups = {}
    for g in get_grouped_native_functions(parsed.native_functions):
        if isinstance(g, NativeFunctionsGroup) and g.structured:
            groups[str(g.out.func.name)] = g
    return functions, groups


def find(overload: str) -> NativeFunction | None:
    return _parsed()[0].get(overload)


def structured_group(out_overload: str) -> NativeFunctionsGroup | None:
    return _parsed()[1].get(out_overload)


@dataclass
class Signature:
    """A kernel's C++ signature, without SymInt."""

    function: NativeFunction
    returns: str
    arguments: list[Binding]

    @property
    def declaration(self) -> str:
        return ", ".join(a.defn() for a in self.arguments)

    @property
    def names(self) -> list[str]:
        return [a.name for a in self.arguments]


def signature(f: NativeFunction) -> Signature:
    with native_function_manager(f):
        s = NativeSignature(f.func, symint=False)
        return Signature(f, s.returns_type().cpp_type(), list(s.arguments()))


def meta_arguments(g: NativeFunctionsGroup, f: NativeFunction) -> str:
    """The expressions that call structured meta from the arguments of one form of the group."""
    from torchgen.api.translate import translate

    with native_function_manager(f):
        return ", ".join(e.expr for e in translate(signature(f).arguments, structured.meta_arguments(g), method=False))


def identifier(f: NativeFunction) -> str:
    """add.Tensor -> add_Tensor, as in at::_ops."""
    return f.func.name.unambiguous_name()


def header(f: NativeFunction) -> str:
    """The name that ATen/ops/<name>_ops.h goes by."""
    return f.root_name


def is_inplace(f: NativeFunction) -> bool:
    return f.func.kind() is SchemaKind.inplace


def is_out(f: NativeFunction) -> bool:
    return f.func.kind() is SchemaKind.out


def takes_lists(f: NativeFunction) -> bool:
    """A _foreach_ operator: lists of tensors in, a list or nothing out, and PyTorch can compose it."""
    return f.root_name.startswith("_foreach_") and f.has_composite_explicit_autograd_kernel and not is_out(f)


def tensor_arguments(f: NativeFunction) -> list[str]:
    """Names of the arguments that are tensors or lists of them (optional ones included), outputs too."""
    return [a.name for a in f.func.arguments.flat_all if a.type.is_tensor_like()]


def checks_device(f: NativeFunction) -> bool:
    return f.device_check.name != "NoCheck"
