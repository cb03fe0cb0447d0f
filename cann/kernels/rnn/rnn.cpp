// LSTM (Hochreiter and Schmidhuber 1997, with the forget gate):
//   c' = sigmoid(f) c + sigmoid(i) tanh(g),  h' = sigmoid(o) tanh(c')
// GRU (Cho et al. 2014, with the reset after the product, as cuDNN has it):
//   n = tanh(n_x + sigmoid(r) n_h),  h' = n + sigmoid(z) (h - n)
// The error is that of sigmoid and tanh (math.h); NaN stays NaN.
#include "cann/kernels/rnn/rnn.h"

#include "cann/kernels/math.h"

namespace cann::kernels::CANN_ISA {
namespace {

// Gate `k` of a row before its activation: the two products and the biases that are there.
template <class T>
struct Gates {
  const T *x, *h, *x_bias, *h_bias;
  T from_input(int64_t at) const { return x_bias ? x[at] + x_bias[at] : x[at]; }
  T from_hidden(int64_t at) const { return h_bias ? h[at] + h_bias[at] : h[at]; }
  T operator()(int64_t at) const { return from_input(at) + from_hidden(at); }
};

template <class T>
void lstm(const LstmCell& p, int64_t begin, int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t row = begin; row < end; ++row) {
    const Gates<T> gate{static_cast<const T*>(p.input_gates) + row * 4 * n,
                        static_cast<const T*>(p.hidden_gates) + row * 4 * n, static_cast<const T*>(p.input_bias),
                        static_cast<const T*>(p.hidden_bias)};
    const T* cx = static_cast<const T*>(p.cx) + row * n;
    T *hy = static_cast<T*>(p.hy) + row * n, *cy = static_cast<T*>(p.cy) + row * n;
    T* storage = static_cast<T*>(p.storage) + row * 4 * n;
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      const T in = math::sigmoid(gate(j)), forget = math::sigmoid(gate(n + j));
      const T cell = math::tanh(gate(2 * n + j)), out = math::sigmoid(gate(3 * n + j));
      const T c = forget * cx[j] + in * cell;
      storage[j] = in;
      storage[n + j] = forget;
      storage[2 * n + j] = cell;
      storage[3 * n + j] = out;
      cy[j] = c;
      hy[j] = out * math::tanh(c);
    }
  }
}

template <class T>
void lstm_backward(const LstmCellBackward& p, int64_t begin, int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t row = begin; row < end; ++row) {
    const T* dh = p.grad_hy ? static_cast<const T*>(p.grad_hy) + row * n : nullptr;
    const T* dc = p.grad_cy ? static_cast<const T*>(p.grad_cy) + row * n : nullptr;
    const T *cx = static_cast<const T*>(p.cx) + row * n, *cy = static_cast<const T*>(p.cy) + row * n;
    const T* storage = static_cast<const T*>(p.storage) + row * 4 * n;
    T *gates = static_cast<T*>(p.grad_gates) + row * 4 * n, *dcx = static_cast<T*>(p.grad_cx) + row * n;
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      const T in = storage[j], forget = storage[n + j], cell = storage[2 * n + j], out = storage[3 * n + j];
      const T grad_h = dh ? dh[j] : T(0), tanh_c = math::tanh(cy[j]);
      const T grad_c = grad_h * out * (1 - tanh_c * tanh_c) + (dc ? dc[j] : T(0));
      gates[j] = grad_c * cell * in * (1 - in);
      gates[n + j] = grad_c * cx[j] * forget * (1 - forget);
      gates[2 * n + j] = grad_c * in * (1 - cell * cell);
      gates[3 * n + j] = grad_h * tanh_c * out * (1 - out);
      dcx[j] = grad_c * forget;
    }
  }
}

template <class T>
void gru(const GruCell& p, int64_t begin, int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t row = begin; row < end; ++row) {
    const Gates<T> gate{static_cast<const T*>(p.input_gates) + row * 3 * n,
                        static_cast<const T*>(p.hidden_gates) + row * 3 * n, static_cast<const T*>(p.input_bias),
                        static_cast<const T*>(p.hidden_bias)};
    const T* hx = static_cast<const T*>(p.hx) + row * n;
    T *hy = static_cast<T*>(p.hy) + row * n, *storage = static_cast<T*>(p.storage) + row * 5 * n;
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      const T reset = math::sigmoid(gate(j)), update = math::sigmoid(gate(n + j));
      const T from_hidden = gate.from_hidden(2 * n + j);
      const T fresh = math::tanh(gate.from_input(2 * n + j) + reset * from_hidden);
      storage[j] = reset;
      storage[n + j] = update;
      storage[2 * n + j] = fresh;
      storage[3 * n + j] = hx[j];
      storage[4 * n + j] = from_hidden;
      hy[j] = fresh + update * (hx[j] - fresh);
    }
  }
}

template <class T>
void gru_backward(const GruCellBackward& p, int64_t begin, int64_t end) {
  const int64_t n = p.hidden;
  for (int64_t row = begin; row < end; ++row) {
    const T *dh = static_cast<const T*>(p.grad_hy) + row * n, *storage = static_cast<const T*>(p.storage) + row * 5 * n;
    T* from_input = static_cast<T*>(p.grad_input_gates) + row * 3 * n;
    T* from_hidden = static_cast<T*>(p.grad_hidden_gates) + row * 3 * n;
    T* dhx = static_cast<T*>(p.grad_hx) + row * n;
#pragma GCC ivdep
    for (int64_t j = 0; j < n; ++j) {
      const T reset = storage[j], update = storage[n + j], fresh = storage[2 * n + j], hx = storage[3 * n + j];
      const T grad_update = dh[j] * (hx - fresh) * (1 - update) * update;
      const T grad_new = dh[j] * (1 - update) * (1 - fresh * fresh);
      const T grad_reset = grad_new * storage[4 * n + j] * (1 - reset) * reset;
      from_input[j] = from_hidden[j] = grad_reset;
      from_input[n + j] = from_hidden[n + j] = grad_update;
      from_input[2 * n + j] = grad_new;
      from_hidden[2 * n + j] = grad_new * reset;
      dhx[j] = dh[j] * update;
    }
  }
}

}  // namespace

extern const RnnKernels rnn_table{{lstm<float>, lstm<double>},
                                  {lstm_backward<float>, lstm_backward<double>},
                                  {gru<float>, gru<double>},
                                  {gru_backward<float>, gru_backward<double>}};

}  // namespace cann::kernels::CANN_ISA
