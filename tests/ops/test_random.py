"""Random numbers: a seed decides them, their moments are right, and bad parameters are refused in PyTorch's words."""

import pytest
import scipy.stats
import torch
import torch.nn.functional as F

import torch_npu  # noqa: F401

N = 200_000


def drawn(fill, dtype=torch.float32, seed=5):
    torch.manual_seed(seed)
    return fill(torch.empty(N, device="npu", dtype=dtype)).cpu().double()


def test_the_seed_decides_and_the_next_call_goes_on():
    torch.manual_seed(1)
    first, second = torch.randn(1000, device="npu"), torch.randn(1000, device="npu")
    torch.manual_seed(1)
    assert torch.equal(first, torch.randn(1000, device="npu"))
    assert not torch.equal(first, second)


def test_a_longer_draw_begins_like_a_shorter_one():
    """An element's number follows from its place alone, so neither chunks nor threads can change it."""
    torch.manual_seed(2)
    short = torch.rand(1000, device="npu")
    torch.manual_seed(2)
    assert torch.equal(torch.rand(100_000, device="npu")[:1000], short)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16, torch.bfloat16])
def test_moments(dtype):
    uniform = drawn(lambda t: t.uniform_(-1, 3), dtype)
    assert uniform.min() >= -1 and uniform.max() < 3 and abs(uniform.mean() - 1) < 0.02
    normal = drawn(lambda t: t.normal_(2, 0.5), dtype)
    assert abs(normal.mean() - 2) < 0.01 and abs(normal.std() - 0.5) < 0.01
    exponential = drawn(lambda t: t.exponential_(2), dtype)
    assert exponential.min() > 0 and abs(exponential.mean() - 0.5) < 0.01


def test_integers_stay_in_their_range():
    x = torch.randint(-3, 4, (N,), device="npu").cpu()
    assert set(x.tolist()) == set(range(-3, 4))
    assert abs(x.double().mean()) < 0.02
    assert torch.empty(N, dtype=torch.uint8, device="npu").random_().max() == 255


def test_bernoulli_and_geometric():
    assert abs(drawn(lambda t: t.bernoulli_(0.3)).mean() - 0.3) < 0.01
    assert abs(drawn(lambda t: t.geometric_(0.25), torch.int64).mean() - 4) < 0.1
    p = torch.tensor([0.0, 1.0], device="npu")
    assert torch.bernoulli(p).tolist() == [0, 1]


def test_randperm_is_a_permutation():
    assert torch.equal(torch.randperm(1000, device="npu").sort().values.cpu(), torch.arange(1000))


def test_dropout_scales_what_it_keeps_and_its_gradient_uses_the_same_mask():
    x = torch.ones(N, device="npu", requires_grad=True)
    y = F.dropout(x, 0.25)
    y.sum().backward()
    assert torch.equal(x.grad, y.detach())
    assert abs((y == 0).double().mean().item() - 0.25) < 0.01
    assert torch.allclose(y[y != 0], torch.tensor(1 / 0.75, device="npu"))


def test_multinomial_follows_the_weights():
    weights = torch.tensor([1.0, 0.0, 3.0], device="npu")
    counts = torch.multinomial(weights, N, replacement=True).bincount(minlength=3).cpu()
    assert counts[1] == 0 and abs(counts[2] / N - 0.75) < 0.01
    assert sorted(torch.multinomial(torch.ones(5, device="npu"), 5).tolist()) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("weights, words", [([-1.0, 2.0], "element < 0"), ([float("nan"), 1.0], "`nan`"),
                                            ([float("inf"), 1.0], "`inf`"), ([0.0, 0.0], "sum of probabilities <= 0")])
def test_multinomial_refuses_what_is_no_distribution(weights, words):
    with pytest.raises(RuntimeError, match=words):
        torch.multinomial(torch.tensor(weights, device="npu"), 1)


def test_bad_parameters_are_refused():
    x = torch.empty(3, device="npu")
    for call in (lambda: x.normal_(0, -1), lambda: x.uniform_(2, 1), lambda: x.bernoulli_(1.5), lambda: x.exponential_(-1),
                 lambda: x.geometric_(0), lambda: x.random_(3, 3)):
        with pytest.raises(RuntimeError):
            call()
    assert torch.equal(x.zero_().cpu(), torch.zeros(3))  # the device works afterwards


# Below, rates on both sides of where the algorithm changes; whole samples against the exact distribution.
def fits(samples, probability, least=5):
    """Chi-squared over whole numbers, the rare ones together: its chance under `probability` is no accident."""
    n = samples.numel()
    top = int(samples.max())
    counts = torch.bincount(samples.long(), minlength=top + 1).numpy()
    expected = probability(range(top + 1)) * n
    common = expected >= least
    observed = [*counts[common], n - counts[common].sum()]
    wanted = [*expected[common], n - expected[common].sum()]
    if wanted[-1] < least:
        observed[-2:], wanted[-2:] = [sum(observed[-2:])], [sum(wanted[-2:])]
    assert scipy.stats.chisquare(observed, wanted, sum_check=False).pvalue > 1e-4


@pytest.mark.parametrize("rate", [0.01, 0.7, 4.0, 9.99, 10.0, 40.0, 3000.0])
def test_poisson(rate):
    torch.manual_seed(6)
    x = torch.poisson(torch.full((N,), rate, dtype=torch.float64, device="npu")).cpu()
    fits(x, lambda k: scipy.stats.poisson.pmf(k, rate))


@pytest.mark.parametrize(("count", "p"), [(1, 0.3), (10, 0.5), (40, 0.1), (40, 0.9), (100, 0.3), (1000, 0.6), (100_000, 0.01)])
def test_binomial(count, p):
    torch.manual_seed(6)
    x = torch.binomial(torch.full((N,), float(count)).double().npu(), torch.full((N,), p).double().npu()).cpu()
    assert x.min() >= 0 and x.max() <= count
    fits(x, lambda k: scipy.stats.binom.pmf(k, count, float(torch.tensor(p).double())))


@pytest.mark.parametrize("alpha", [0.05, 0.5, 1.0, 1.5, 20.0, 1e4])
def test_gamma(alpha):
    torch.manual_seed(6)
    x = torch._standard_gamma(torch.full((N,), alpha, dtype=torch.float64, device="npu")).cpu()
    assert scipy.stats.kstest(x.numpy(), scipy.stats.gamma(alpha).cdf).pvalue > 1e-4


def test_dirichlet_and_beta():
    alphas = torch.tensor([0.5, 2.0, 3.0], dtype=torch.float64, device="npu").expand(N, 3)
    torch.manual_seed(6)
    x = torch._sample_dirichlet(alphas).cpu()
    torch.testing.assert_close(x.sum(-1), torch.ones(N, dtype=torch.float64))
    for k, alpha in enumerate([0.5, 2.0, 3.0]):
        assert scipy.stats.kstest(x[:, k].numpy(), scipy.stats.beta(alpha, 5.5 - alpha).cdf).pvalue > 1e-4
    half = torch.distributions.Beta(torch.tensor(0.01).npu(), torch.tensor(0.01).npu()).sample((1000,))
    assert ((half > 0) & (half < 1)).all()


def trials(t):
    return torch.binomial(t, t / 30)


@pytest.mark.parametrize("draw", [torch.poisson, torch._standard_gamma, trials], ids=["poisson", "gamma", "binomial"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16], ids=str)
def test_rejection_draws_follow_the_seed_and_the_place(draw, dtype):
    parameters = torch.linspace(0, 30, 5000, device="npu").to(dtype)
    torch.manual_seed(2)
    whole, after = draw(parameters), draw(parameters)
    torch.manual_seed(2)
    assert torch.equal(draw(parameters[:1000]), whole[:1000])
    assert whole.dtype == dtype and not torch.equal(whole, after)
    assert torch.equal(draw(parameters), after)  # a short draw moves the generator on as far as a long one


def test_rejection_draws_at_the_edges():
    nan, inf = float("nan"), float("inf")
    assert torch.poisson(torch.tensor([0.0, nan], device="npu")).cpu().nan_to_num(-1).tolist() == [0, -1]
    count, p = torch.tensor([0.0, 5.0, 5.0, 5.0, nan], device="npu"), torch.tensor([0.5, 0.0, 1.0, nan, 0.5], device="npu")
    assert torch.binomial(count, p).cpu().nan_to_num(-1).tolist() == [0, 0, 5, -1, -1]
    x = torch._standard_gamma(torch.tensor([0.0, 1e-30, inf, nan], device="npu")).cpu()
    assert (x[:2] > 0).all() and x[2] == inf and x[3].isnan()
    assert torch.poisson(torch.empty(0, 3, device="npu")).shape == (0, 3)


def test_a_negative_rate_is_an_error_when_it_is_waited_for():
    with pytest.raises(RuntimeError, match="expected rate to be non-negative"):
        torch.poisson(torch.tensor([1.0, -1.0], device="npu")).cpu()
    assert torch.poisson(torch.zeros(2, device="npu")).tolist() == [0, 0]
