"""Convolutions on the device against float64 on the CPU: dimensions, groups, strides, dilation, layouts, both gradients."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

import torch_npu

TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.float64: 1e-10}

CASES = {  # function, input, weight, options
    "1d": (F.conv1d, (2, 3, 20), (5, 3, 3), {"padding": 1}),
    "2d, strided and dilated": (
        F.conv2d,
        (2, 4, 17, 19),
        (6, 4, 3, 2),
        {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 3)},
    ),
    "2d, grouped": (F.conv2d, (1, 6, 9, 9), (9, 2, 3, 3), {"groups": 3, "padding": 1}),
    "2d, depthwise": (F.conv2d, (2, 8, 11, 40), (8, 1, 5, 5), {"groups": 8, "padding": 2}),
    "2d, depthwise and strided": (F.conv2d, (2, 8, 11, 40), (16, 1, 3, 3), {"groups": 8, "stride": 2}),
    "2d, depthwise, narrow": (F.conv2d, (2, 70, 7, 14), (70, 1, 3, 3), {"groups": 70, "padding": 1, "dilation": (1, 2)}),
    "2d, depthwise, three rows apart": (F.conv2d, (1, 20, 12, 33), (20, 1, 4, 4), {"groups": 20, "stride": 3, "padding": 2}),
    "2d, one pixel, large": (F.conv2d, (2, 48, 17, 16), (96, 48, 1, 1), {}),
    "2d, one pixel": (F.conv2d, (2, 7, 8, 8), (5, 7, 1, 1), {}),
    "2d, large": (F.conv2d, (2, 32, 34, 34), (40, 32, 3, 3), {"padding": 1}),
    "3d": (F.conv3d, (1, 2, 5, 6, 7), (4, 2, 2, 3, 3), {"padding": 1}),
    "1d, transposed": (F.conv_transpose1d, (2, 3, 10), (3, 4, 3), {"stride": 2, "output_padding": 1}),
    "2d, transposed and grouped": (F.conv_transpose2d, (2, 4, 7, 8), (4, 3, 3, 3), {"stride": (2, 1), "padding": 1, "groups": 2}),
    "3d, transposed": (F.conv_transpose3d, (1, 2, 3, 4, 5), (2, 3, 2, 2, 2), {"stride": 2, "dilation": 2}),
}


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_forward_and_gradients(dtype: torch.dtype, case: tuple) -> None:
    function, image, weight, options = case
    transposed = "transpose" in function.__name__
    channels = weight[1] * options.get("groups", 1) if transposed else weight[0]
    generator = torch.Generator().manual_seed(0)
    given = [torch.randn(s, generator=generator).to(dtype) for s in (image, weight, (channels,))]
    leaves = [x.double().requires_grad_() for x in given]
    want = function(*leaves, **options)
    seed = torch.randn(want.shape, generator=generator).to(dtype)
    want_grads = torch.autograd.grad(want, leaves, seed.double())
    formats = [torch.contiguous_format, torch.channels_last] if len(image) == 4 else [torch.contiguous_format]
    for layout in formats:
        on_device = [given[0].npu().contiguous(memory_format=layout), *(x.npu() for x in given[1:])]
        for x in on_device:
            x.requires_grad_()
        got = function(*on_device, **options)
        assert got.is_contiguous(memory_format=layout)
        got_grads = torch.autograd.grad(got, on_device, seed.npu())
        for x, y in zip((got, *got_grads), (want, *want_grads), strict=True):
            scale = max(1.0, y.detach().abs().max().item())
            torch.testing.assert_close(
                x.detach().cpu().double(), y.detach(), rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * scale
            )


def test_an_empty_batch_has_empty_results() -> None:
    x, w = torch.zeros(0, 3, 8, 8, device="npu", requires_grad=True), torch.ones(4, 3, 3, 3, device="npu", requires_grad=True)
    y = F.conv2d(x, w)
    assert y.shape == (0, 4, 6, 6)
    y.sum().backward()
    assert w.grad.abs().max().item() == 0


def test_different_dtypes_are_refused() -> None:
    with pytest.raises(RuntimeError, match="should be the same"):
        F.conv2d(torch.zeros(1, 1, 4, 4, device="npu"), torch.zeros(1, 1, 2, 2, device="npu", dtype=torch.float64))


def test_conv_tbc() -> None:
    x, w, b = torch.randn(9, 2, 3), torch.randn(3, 3, 5), torch.randn(5)
    torch.testing.assert_close(
        torch.conv_tbc(x.npu(), w.npu(), b.npu(), 1).cpu(), torch.conv_tbc(x, w, b, 1), rtol=1e-5, atol=1e-5
    )


@pytest.mark.parametrize(
    ("name", "x", "weight", "options"),
    [
        ("thnn_conv2d", (2, 3, 8, 9), (4, 3, 3, 2), {"stride": (2, 1), "padding": (1, 0)}),
        ("slow_conv3d", (2, 3, 5, 6, 7), (4, 3, 2, 3, 2), {"stride": (1, 2, 1), "padding": (1, 0, 1)}),
        ("slow_conv_dilated2d", (2, 3, 8, 9), (4, 3, 3, 2), {"padding": (1, 0), "dilation": (2, 1)}),
        ("slow_conv_dilated2d", (3, 8, 9), (4, 3, 3, 2), {"dilation": (2, 1)}),
        ("slow_conv_dilated3d", (2, 3, 6, 6, 7), (4, 3, 2, 3, 2), {"dilation": (2, 1, 1)}),
        ("slow_conv_transpose2d", (2, 3, 8, 9), (3, 4, 3, 2), {"stride": (2, 1), "output_padding": (1, 0)}),
        ("slow_conv_transpose3d", (2, 3, 5, 6, 7), (3, 4, 2, 3, 2), {"stride": (2, 1, 1)}),
    ],
)
def test_convolutions_with_names_of_their_own(name, x, weight, options):
    torch.manual_seed(0)
    call, kernel = getattr(torch._C._nn, name), weight[2:]
    results = []
    made = torch.rand(x), torch.rand(weight), torch.rand(weight[1] if "transpose" in name else weight[0])
    torch_npu.diagnostics.reset()
    for device in ("cpu", "npu"):
        tensors = [t.clone().to(device).requires_grad_() for t in made]
        y = call(tensors[0], tensors[1], kernel, tensors[2], **options)
        if len(x) == len(weight):  # PyTorch has no gradient for an input without a batch
            y.sin().sum().backward()
        results.append([y.detach().cpu(), *(t.grad.cpu() for t in tensors if t.grad is not None)])
    assert torch_npu.diagnostics.fallback_counts() == {}
    torch.testing.assert_close(results[1], results[0], rtol=1e-4, atol=1e-4)
