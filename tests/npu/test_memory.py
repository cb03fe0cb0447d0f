"""The caching allocator: what its counters say, when memory is reused, and what happens when there is too little."""

from __future__ import annotations

import gc
import os
import subprocess
import sys

import pytest
import torch

import torch_npu  # noqa: F401

MIB = 1 << 20


@pytest.fixture(autouse=True)
def _empty():
    gc.collect()
    torch.npu.synchronize()
    torch.npu.empty_cache()


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    done = {**os.environ, **environment}
    return subprocess.run([sys.executable, "-c", f"import torch, torch_npu\n{code}"], capture_output=True, text=True, env=done)


def test_counters():
    before = torch.npu.memory_allocated()
    torch.npu.reset_peak_memory_stats()
    x = torch.empty(1000, dtype=torch.uint8, device="npu")
    assert torch.npu.memory_allocated() - before == 1024  # multiples of 512
    assert torch.npu.memory_stats()["requested_bytes.all.current"] >= 1000
    del x
    assert torch.npu.memory_allocated() == before
    assert torch.npu.max_memory_allocated() == before + 1024
    assert torch.accelerator.memory_allocated() == before
    assert "npu:0 memory" in torch.npu.memory_summary()


def test_memory_is_kept_and_given_back():
    x = torch.empty(64 * MIB, dtype=torch.uint8, device="npu")
    address = x.data_ptr()
    del x
    reserved = torch.npu.memory_reserved()
    assert torch.empty(64 * MIB, dtype=torch.uint8, device="npu").data_ptr() == address
    assert torch.npu.memory_reserved() == reserved
    torch.npu.empty_cache()
    assert torch.npu.memory_reserved() < reserved


def test_small_blocks_share_a_segment_and_merge():
    blocks = [torch.empty(512 * (i % 7 + 1), dtype=torch.uint8, device="npu") for i in range(200)]
    segments = torch.npu.memory_stats()["segment.small_pool.current"]
    del blocks
    assert segments <= 2
    torch.npu.empty_cache()
    assert torch.npu.memory_stats()["inactive_split.small_pool.current"] <= 1


def test_small_blocks_of_other_sizes_are_made_of_freed_ones():
    torch.npu.empty_cache()
    before = torch.npu.memory_stats()["segment.small_pool.current"]
    for size in (512, 4096, 512 * 1000, 512 * 3, MIB):  # each time the 2 MiB of one segment, cut anew
        blocks = [torch.empty(size, dtype=torch.uint8, device="npu") for _ in range(2 * MIB // size)]
        assert torch.npu.memory_stats()["segment.small_pool.current"] <= before + 1
        del blocks


def test_another_stream_delays_reuse():
    x = torch.empty(4 * MIB, dtype=torch.uint8, device="npu")
    side = torch.npu.Stream()
    with torch.npu.stream(side):
        y = torch.empty(8 * MIB, device="npu")
        for _ in range(10):
            y.add_(1)
        x.record_stream(side)
    address = x.data_ptr()
    del x
    if not side.query():
        assert torch.npu.memory_stats()["active.all.current"] > torch.npu.memory_stats()["allocation.all.current"] - 1
    side.synchronize()
    assert torch.empty(4 * MIB, dtype=torch.uint8, device="npu").data_ptr() == address


def test_too_much_memory():
    _, total = torch.npu.mem_get_info()
    said = r"NPU out of memory. Tried to allocate .* \(NPU 0; .* total capacity; .* free"
    with pytest.raises(torch.OutOfMemoryError, match=said):
        torch.empty(2 * total, dtype=torch.uint8, device="npu")
    assert torch.npu.memory_stats()["num_ooms"] >= 1
    assert torch.ones(3, device="npu").sum().item() == 3
    with pytest.raises(RuntimeError, match=r"Storage size calculation overflowed|more than 1EB memory"):
        torch.empty(1 << 62, device="npu")


def test_the_cache_is_emptied_before_giving_up():
    code = """
x = torch.empty(600 << 20, dtype=torch.uint8, device="npu")
del x
y = torch.empty(900 << 20, dtype=torch.uint8, device="npu")
print(torch.npu.memory_stats()["num_alloc_retries"])
"""
    assert run(code, NPU_EMBEDDED_MEMORY="1G").stdout.strip() == "1"


def test_a_fraction_of_the_memory():
    code = """
torch.npu.set_per_process_memory_fraction(0.25)
try:
    torch.empty(400 << 20, dtype=torch.uint8, device="npu")
except torch.OutOfMemoryError as error:
    print("256.00 MiB allowed" in str(error))
"""
    assert run(code, NPU_EMBEDDED_MEMORY="1G").stdout.strip() == "True"
    with pytest.raises(ValueError, match="Allowed range: 0~1"):
        torch.npu.set_per_process_memory_fraction(1.5)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ("max_splitsize_mb:30", 'unknown setting "max_splitsize_mb". Known: max_split_size_mb'),
        ("max_split_size_mb:few", 'max_split_size_mb must be a number from 20 to .*, but got "few"'),
        ("max_split_size_mb", "expected key:value"),
    ],
)
def test_malformed_settings(settings, said):
    with pytest.raises(RuntimeError, match=f"PYTORCH_NPU_ALLOC_CONF: {said}"):
        raise RuntimeError(run("torch.ones(1, device='npu')", PYTORCH_NPU_ALLOC_CONF=settings).stderr)


def test_without_a_cache():
    code = "x = torch.ones(3, device='npu'); y = (x + 1).sum().item(); del x; print(y, torch.npu.memory_reserved())"
    assert run(code, PYTORCH_NO_NPU_MEMORY_CACHING="1").stdout.split() == ["6.0", "0"]


def test_storage_resize_keeps_what_fits():
    x = torch.arange(4.0, device="npu")
    x.resize_(8)
    assert x[:4].tolist() == [0, 1, 2, 3]
    x.untyped_storage().resize_(0)
    assert x.untyped_storage().nbytes() == 0


def test_addresses_for_other_libraries():
    address = torch.npu.caching_allocator_alloc(1000)
    assert address % 64 == 0
    torch.npu.caching_allocator_delete(address)
    with pytest.raises(RuntimeError, match="was not given out by caching_allocator_alloc"):
        torch.npu.caching_allocator_delete(12345)
