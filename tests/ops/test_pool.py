"""Pooling, upsampling, grid sampling and the losses of classes, with gradients, at the sizes where windows meet edges."""

import pytest
import torch
import torch.nn.functional as F

import torch_npu  # noqa: F401

G = torch.Generator().manual_seed(0)
LINE, PLANE = torch.randn(2, 3, 12, generator=G), torch.randn(2, 3, 9, 10, generator=G)
SOLID = torch.randn(2, 3, 6, 7, 8, generator=G)


def equals_cpu(function, x, *others):
    outcomes = []
    for device in ("cpu", "npu"):
        leaf = x.detach().to(device).requires_grad_()
        result = function(leaf, *(t.to(device) for t in others))
        (result * torch.linspace(-1, 1, result.numel()).to(result).view(result.shape)).sum().backward()
        outcomes.append((result.detach().cpu(), leaf.grad.cpu()))
    for want, got in zip(*outcomes, strict=True):
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5, equal_nan=True)


POOLS = {
    "max2d": (PLANE, lambda x: F.max_pool2d(x, 3, 2, 1)),
    "max2d dilated": (PLANE, lambda x: F.max_pool2d(x, (2, 3), 1, 1, dilation=2, ceil_mode=True)),
    "max3d": (SOLID, lambda x: F.max_pool3d(x, 3, 2, 1)),
    "avg1d": (LINE, lambda x: F.avg_pool1d(x, 3, 2, 1)),
    "avg2d": (PLANE, lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True)),
    "avg2d without padding": (PLANE, lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)),
    "avg2d divisor": (PLANE, lambda x: F.avg_pool2d(x, 3, divisor_override=7)),
    "avg3d": (SOLID, lambda x: F.avg_pool3d(x, 2, 2, 1)),
    "adaptive avg": (PLANE, lambda x: F.adaptive_avg_pool2d(x, (4, 13))),
    "adaptive avg3d": (SOLID, lambda x: F.adaptive_avg_pool3d(x, (4, 3, 2))),
    "adaptive max": (PLANE, lambda x: F.adaptive_max_pool2d(x, (4, 3))),
    "nearest": (PLANE, lambda x: F.interpolate(x, scale_factor=1.7)),
    "nearest-exact": (PLANE, lambda x: F.interpolate(x, size=(5, 21), mode="nearest-exact")),
    "linear": (LINE, lambda x: F.interpolate(x, size=17, mode="linear", align_corners=True)),
    "bilinear": (PLANE, lambda x: F.interpolate(x, scale_factor=0.6, mode="bilinear")),
    "bicubic": (PLANE, lambda x: F.interpolate(x, size=(13, 4), mode="bicubic")),
    "antialias": (PLANE, lambda x: F.interpolate(x, size=(4, 5), mode="bilinear", antialias=True)),
    "trilinear": (SOLID, lambda x: F.interpolate(x, scale_factor=2, mode="trilinear")),
    "unfold": (PLANE, lambda x: F.unfold(x, 3, padding=1, stride=2)),
    "renorm": (PLANE, lambda x: torch.renorm(x, 2, 1, 1.0)),
}


@pytest.mark.parametrize("name", POOLS)
def test_windows_equal_the_cpu(name):
    x, function = POOLS[name]
    equals_cpu(function, x)


def test_max_pool_lets_nan_through_and_keeps_channels_last():
    x = PLANE.clone()
    x[0, 0, 3, 3] = float("nan")
    want = F.max_pool2d(x, 3, 2, 1)
    got = F.max_pool2d(x.npu().to(memory_format=torch.channels_last), 3, 2, 1)
    torch.testing.assert_close(got.cpu(), want, equal_nan=True)
    assert got.is_contiguous(memory_format=torch.channels_last)


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["bilinear", "nearest", "bicubic"])
def test_grid_sample(mode, padding):
    grid = torch.rand(2, 5, 6, 2, generator=torch.Generator().manual_seed(1)) * 2.6 - 1.3
    equals_cpu(lambda x, g: F.grid_sample(x, g, mode=mode, padding_mode=padding, align_corners=False), PLANE, grid)


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_class_losses(reduction):
    scores, target = torch.randn(5, 3, generator=G), torch.tensor([0, 2, 1, 1, 0])
    weight = torch.tensor([0.2, 1.0, 3.0])
    equals_cpu(lambda x, t, w: F.nll_loss(x, t, w, ignore_index=1, reduction=reduction), scores, target, weight)
    equals_cpu(lambda x, t: F.multi_margin_loss(x, t, p=2, reduction=reduction), scores, target)
    equals_cpu(lambda x, t: F.multilabel_margin_loss(x, t.view(5, 1).expand(5, 3), reduction=reduction), scores, target)


def test_cross_entropy():
    scores, target = torch.randn(5, 3, generator=G), torch.tensor([0, 2, 1, 1, 0])
    equals_cpu(lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1), scores, target)
    maps, classes = torch.randn(2, 3, 4, 5, generator=G), torch.randint(0, 3, (2, 4, 5), generator=G)
    equals_cpu(lambda x, t: F.cross_entropy(x, t), maps, classes)


def test_a_class_out_of_range_is_told_at_the_next_wait_and_forgotten_after():
    loss = F.nll_loss(torch.randn(2, 3, device="npu"), torch.tensor([0, 7], device="npu"))
    with pytest.raises(IndexError, match="Target 7 is out of bounds"):
        loss.item()
    assert torch.ones(2, device="npu").sum().item() == 2


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.float64])
@pytest.mark.parametrize("channels", [3, 64, 300])
def test_channels_last_gives_what_planes_give(dtype, channels):
    x = torch.randn(2, channels, 9, 10, generator=G).to(dtype)
    x[0, 1, 2, 3], x[1, 2, :, :4] = float("nan"), -float("inf")
    pools = {
        "max": lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
        "max dilated": lambda x: F.max_pool2d(x, (2, 3), 1, 1, dilation=2, ceil_mode=True, return_indices=True),
        "avg": lambda x: (F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), F.avg_pool2d(x, 3, 2, 1, count_include_pad=False)),
        "adaptive": lambda x: (F.adaptive_avg_pool2d(x, (4, 13)), F.adaptive_avg_pool2d(x, 3)),
    }
    for name, pool in pools.items():
        want, got = pool(x.npu()), pool(x.npu().to(memory_format=torch.channels_last))
        assert got[0].is_contiguous(memory_format=torch.channels_last), name
        for w, g in zip(want, got, strict=True):
            torch.testing.assert_close(g.contiguous(), w, rtol=1e-3, atol=1e-3, equal_nan=True, msg=name)


def test_channels_last_is_padded_and_joined():
    x = torch.randn(2, 5, 6, 7, generator=G).to(memory_format=torch.channels_last)
    y = x.npu()
    for change in (lambda x: F.pad(x, (1, 2, 0, 3)), lambda x: torch.cat((x, x), 1), lambda x: torch.cat((x, x.contiguous()), 2)):
        want, got = change(x), change(y)
        assert got.stride() == want.stride()
        assert torch.equal(got.cpu(), want)
