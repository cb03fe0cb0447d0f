"""Random numbers: one Philox generator a device. Seeding one touches no device."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from torch_npu import _C
from torch_npu.npu.device import Device, index_of


class _DefaultGenerators:
    """torch.npu.default_generators: the generator of each device, made when it is asked for."""

    def __len__(self) -> int:
        return _C.device_count()

    def __getitem__(self, index: int) -> torch.Generator:
        if not -len(self) <= index < len(self):
            raise IndexError(f"there is no npu:{index}; devices: {len(self)}")
        return _C.default_generator(index % len(self))

    def __iter__(self):
        return (self[index] for index in range(len(self)))


default_generators = _DefaultGenerators()


def get_rng_state(device: Device = "npu") -> torch.Tensor:
    """The state of a device's generator: 16 bytes, seed and offset, in a CPU tensor of dtype uint8."""
    return _C.default_generator(index_of(device)).get_state()


def set_rng_state(new_state: torch.Tensor, device: Device = "npu") -> None:
    """Puts back what get_rng_state gave."""
    _C.default_generator(index_of(device)).set_state(new_state)


def get_rng_state_all() -> list[torch.Tensor]:
    """The states of all devices' generators."""
    return [generator.get_state() for generator in default_generators]


def set_rng_state_all(new_states: Iterable[torch.Tensor]) -> None:
    """Puts back what get_rng_state_all gave."""
    for generator, state in zip(default_generators, new_states, strict=False):
        generator.set_state(state)


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    _C.default_generator(_C.current_device()).manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices. torch.manual_seed does it too."""
    for generator in default_generators:
        generator.manual_seed(int(seed))


def seed() -> int:
    """Seeds the current device's generator with a random number, and returns it."""
    return _C.default_generator(_C.current_device()).seed()


def seed_all() -> None:
    """Seeds the generators of all devices with one random number."""
    if len(default_generators) > 0:
        manual_seed_all(default_generators[0].seed())


def initial_seed() -> int:
    """The current device's seed."""
    return _C.default_generator(_C.current_device()).initial_seed()
