// See the header.
#include "cann/ops/pointwise_activation.h"

#include <cstring>

namespace cann::ops {
namespace {

constexpr double kSeluAlpha = 1.6732632423543772, kSeluScale = 1.0507009873554805;

}  // namespace

Result<Launch> celu(const TensorView& self, const Scalar& alpha, const TensorView& out) {
  if (alpha.to_double() == 0) return bad_parameter("celu: alpha must not be zero");
  return same_type(Op::Elu, {self}, out, {alpha, Scalar(1.0), Scalar(1 / alpha.to_double())});
}

Result<Launch> selu(const TensorView& self, const TensorView& out) {
  return same_type(Op::Elu, {self}, out, {Scalar(kSeluAlpha), Scalar(kSeluScale), Scalar(1.0)});
}

Result<Launch> selu_backward(const TensorView& grad_output, const TensorView& result, const TensorView& out) {
  return same_type(Op::EluBackward, {grad_output, result}, out,
                   {Scalar(kSeluAlpha), Scalar(kSeluScale), Scalar(1.0), Scalar(1.0)});
}

Result<Launch> gelu(const TensorView& self, int64_t approximate, const TensorView& out) {
  if (approximate != 0 && approximate != 1)
    return bad_parameter("gelu: approximate " + std::to_string(approximate) + ": needs 0 (none) or 1 (tanh)");
  return same_type(approximate == 1 ? Op::GeluTanh : Op::Gelu, {self}, out);
}

Result<Launch> gelu_backward(const TensorView& grad_output, const TensorView& self, const char* approximate,
                             const TensorView& out) {
  const bool tanh = std::strcmp(approximate, "tanh") == 0;
  if (!tanh && std::strcmp(approximate, "none") != 0)
    return bad_parameter(std::string("gelu_backward: approximate '") + approximate + "': needs none or tanh");
  return same_type(tanh ? Op::GeluTanhBackward : Op::GeluBackward, {grad_output, self}, out);
}

namespace {

// [channels] as [1, channels, 1, ...], to broadcast along dimension 1 of self.
TensorView along_channels(const TensorView& weight, const TensorView& self) {
  if (weight.ndim != 1 || self.ndim < 2 || weight.sizes[0] == 1) return weight;
  TensorView w = weight;
  w.ndim = self.ndim;
  for (int d = 0; d < w.ndim; ++d) {
    w.sizes[d] = d == 1 ? weight.sizes[0] : 1;
    w.strides[d] = d == 1 ? weight.strides[0] : 0;
  }
  return w;
}

}  // namespace

Result<Launch> prelu(const TensorView& self, const TensorView& weight, const TensorView& out) {
  return same_type(Op::Prelu, {self, along_channels(weight, self)}, out);
}

namespace {

// t's part with index `channel` of dimension 1.
TensorView channel_of(const TensorView& t, int64_t channel) {
  TensorView part = t;
  part.data = t.as<char>() + channel * t.strides[1] * size_of(t.dtype);
  part.sizes[1] = 1;
  return part;
}

// Then the slopes' gradients: one number, or one for each channel.
Result<Launch> with_slopes(Launch first, const TensorView& grad_output, const TensorView& self,
                           const TensorView& grad_weight) {
  const int64_t slopes = grad_weight.numel();
  if (slopes != 1 &&
      (self.ndim < 2 || self.sizes[1] != slopes || grad_weight.ndim != 1 || !same_shape(grad_output, self)))
    return bad_parameter("prelu_backward: grad_weight " + describe(grad_weight) + ", self " + describe(self) +
                         ": self's shape, one element, or one for each channel needed");
  for (int64_t channel = 0; channel < slopes; ++channel) {
    TensorView slope{grad_weight.as<char>() + channel * grad_weight.strides[0] * size_of(grad_weight.dtype),
                     grad_weight.dtype,
                     0,
                     {},
                     {}};
    const TensorView g = slopes == 1 ? grad_output : channel_of(grad_output, channel);
    const TensorView x = slopes == 1 ? self : channel_of(self, channel);
    ASSIGN_OR_RETURN(Launch sum, pointwise_sum(Op::PreluWeightBackward, {g, x}, 1, slope, self.dtype, {}, 0));
    first = sequence("prelu_backward", std::move(first), std::move(sum));
  }
  return first;
}

}  // namespace

Result<Launch> prelu_backward(const TensorView& grad_output, const TensorView& self, const TensorView& weight,
                              const TensorView& grad_input, const TensorView& grad_weight) {
  ASSIGN_OR_RETURN(Launch input,
                   same_type(Op::PreluBackward, {grad_output, self, along_channels(weight, self)}, grad_input));
  if (!same_shape(grad_weight, self)) return with_slopes(std::move(input), grad_output, self, grad_weight);
  ASSIGN_OR_RETURN(Launch slope, same_type(Op::PreluWeightBackward, {grad_output, self}, grad_weight));
  return sequence("prelu_backward", std::move(input), std::move(slope));
}

namespace {

struct Halves {
  TensorView value, gate;
};
Result<Halves> halves(const char* name, const TensorView& self, int64_t dim) {
  const int64_t at = dim < 0 ? dim + self.ndim : dim;
  if (at < 0 || at >= self.ndim || self.sizes[at] % 2 != 0)
    return bad_parameter(std::string(name) + ": self " + describe(self) + ", dim " + std::to_string(dim) +
                         ": needs an even size there");
  Halves h{self, self};
  h.value.sizes[at] = h.gate.sizes[at] = self.sizes[at] / 2;
  h.gate.data = static_cast<char*>(self.data) + self.sizes[at] / 2 * self.strides[at] * size_of(self.dtype);
  return h;
}

}  // namespace

Result<Launch> glu(const TensorView& self, int64_t dim, const TensorView& out) {
  ASSIGN_OR_RETURN(const Halves in, halves("glu", self, dim));
  return same_type(Op::Glu, {in.value, in.gate}, out);
}

Result<Launch> glu_backward(const TensorView& grad_output, const TensorView& self, int64_t dim, const TensorView& out) {
  ASSIGN_OR_RETURN(const Halves in, halves("glu_backward", self, dim));
  ASSIGN_OR_RETURN(const Halves grad, halves("glu_backward", out, dim));
  ASSIGN_OR_RETURN(Launch value, same_type(Op::Glu, {grad_output, in.gate}, grad.value));
  ASSIGN_OR_RETURN(Launch gate, same_type(Op::GluBackwardGate, {grad_output, in.value, in.gate}, grad.gate));
  return sequence("glu_backward", std::move(value), std::move(gate));
}

Result<Launch> swish(const TensorView& self, const Scalar* beta, const TensorView& out) {
  if (!beta || beta->to_double() == 1) return same_type(Op::Silu, {self}, out);
  return bad_parameter("swish: beta " + std::to_string(beta->to_double()) + ": needs 1");
}

}  // namespace cann::ops
