// Twiddles are computed in float64 from angles reduced in integers, and rounded once.
#include "cann/ops/fft_plan.h"

#include <cmath>
#include <map>
#include <mutex>
#include <numbers>
#include <vector>

namespace cann::ops {

namespace {

using kernels::FftPlan;

// Above this a prime costs more as a stage (n times the prime) than as a convolution.
constexpr int64_t kLargestRadix = 31;

// exp(-2 pi i k / n)
std::pair<double, double> root(int64_t k, int64_t n) {
  const double angle = -2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

template <class T>
struct Tables {
  std::vector<T> re, im;

  explicit Tables(int64_t n) : re(static_cast<size_t>(n)), im(static_cast<size_t>(n)) {}
  void set(int64_t i, std::pair<double, double> value) {
    re[static_cast<size_t>(i)] = static_cast<T>(value.first);
    im[static_cast<size_t>(i)] = static_cast<T>(value.second);
  }
};

template <class T>
struct Owner {
  FftPlan plan;
  std::vector<Tables<T>> tables;
  std::shared_ptr<const FftPlan> inner;

  explicit Owner(int64_t n) {
    plan.n = n;
    int64_t rest = n;
    std::vector<int> radices;
    for (int radix : {4, 2, 3, 5})
      for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
    for (int radix = 7; radix <= kLargestRadix; radix += 2)
      for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
    if (rest == 1)
      by_stages(radices);
    else
      by_chirp();
  }

 private:
  void by_stages(const std::vector<int>& radices) {
    tables.reserve(2 * radices.size());  // the plan points into them
    int64_t rest = plan.n;
    for (int p : radices) {
      Tables<T>& twiddles = tables.emplace_back(rest);
      for (int64_t q = 0; q < rest / p; ++q)
        for (int k = 0; k < p; ++k) twiddles.set(q * p + k, root(q * k, rest));
      Tables<T>& roots = tables.emplace_back(p);
      for (int k = 0; k < p; ++k) roots.set(k, root(k, p));
      plan.radix[plan.stages] = p;
      plan.twiddle_re[plan.stages] = twiddles.re.data();
      plan.twiddle_im[plan.stages] = twiddles.im.data();
      plan.root_re[plan.stages] = roots.re.data();
      plan.root_im[plan.stages] = roots.im.data();
      ++plan.stages;
      rest /= p;
    }
  }

  void by_chirp() {
    const int64_t n = plan.n;
    int64_t length = 1;
    while (length < 2 * n - 1) length *= 2;
    inner = fft_plan(length, std::is_same_v<T, double>);
    tables.reserve(2);
    Tables<T>& chirp = tables.emplace_back(n);
    Tables<T>& filter = tables.emplace_back(2 * length);  // two tiles, as the kernel wants
    int64_t square = 0;                                   // k * k modulo 2 n
    for (int64_t k = 0; k < n; ++k) {
      const auto [re, im] = root(square, 2 * n);
      chirp.set(k, {re, im});
      filter.set(k, {re, -im});
      if (k > 0) filter.set(length - k, {re, -im});
      square = (square + 2 * k + 1) % (2 * n);
    }
    // Real and imaginary tiles each carry their own spare.
    kernels::fft().tile(*inner, std::is_same_v<T, double>, 1, filter.re.data(), filter.im.data());
    for (int64_t i = 0; i < length; ++i) {
      filter.re[static_cast<size_t>(i)] /= static_cast<T>(length);
      filter.im[static_cast<size_t>(i)] /= static_cast<T>(length);
    }
    plan.inner = inner.get();
    plan.chirp_re = chirp.re.data();
    plan.chirp_im = chirp.im.data();
    plan.filter_re = filter.re.data();
    plan.filter_im = filter.im.data();
  }
};

template <class T>
std::shared_ptr<const FftPlan> make(int64_t n) {
  auto owner = std::make_shared<Owner<T>>(n);
  return {owner, &owner->plan};
}

}  // namespace

std::shared_ptr<const FftPlan> fft_plan(int64_t n, bool is_double) {
  static std::mutex mutex;
  static std::map<std::pair<int64_t, bool>, std::shared_ptr<const FftPlan>> plans;
  {
    std::lock_guard lock(mutex);
    if (auto found = plans.find({n, is_double}); found != plans.end()) return found->second;
  }
  std::shared_ptr<const FftPlan> made = is_double ? make<double>(n) : make<float>(n);
  std::lock_guard lock(mutex);
  return plans.emplace(std::pair(n, is_double), std::move(made)).first->second;
}

}  // namespace cann::ops
