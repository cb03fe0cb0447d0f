// Plans boxes and shares them out: a box is cut into pieces of 64 KiB, whatever the number of threads.
#include "cann/ops/box_copy.h"

#include <complex>
#include <cstring>

namespace cann::ops {

namespace {

// Below this, handing a piece to another core costs more than copying it.
constexpr int64_t kPieceBytes = 64 * 1024;

uint16_t bfloat16_bits(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  return x != x ? 0x7fc0 : static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

template <class T>
void put(ElementBytes& to, T value) {
  static_assert(sizeof(T) <= sizeof to);
  std::memcpy(to.data(), &value, sizeof value);
}

int64_t integer_of(const Scalar& value) {
  return value.is_integral() ? value.to_int64() : static_cast<int64_t>(value.to_double());
}

}  // namespace

ElementBytes element_of(const Scalar& value, DType dtype) {
  ElementBytes bytes{};
  const std::complex<double> z = value.to_complex();
  switch (dtype) {
    case DType::Float32: put(bytes, static_cast<float>(value.to_double())); break;
    case DType::Float64: put(bytes, value.to_double()); break;
    case DType::Float16: put(bytes, static_cast<_Float16>(static_cast<float>(value.to_double()))); break;
    case DType::BFloat16: put(bytes, bfloat16_bits(static_cast<float>(value.to_double()))); break;
    case DType::Bool: put(bytes, static_cast<uint8_t>(value.to_bool())); break;
    case DType::Int8:
    case DType::UInt8: put(bytes, static_cast<uint8_t>(integer_of(value))); break;
    case DType::Int16:
    case DType::UInt16: put(bytes, static_cast<uint16_t>(integer_of(value))); break;
    case DType::Int32:
    case DType::UInt32: put(bytes, static_cast<uint32_t>(integer_of(value))); break;
    case DType::Int64:
    case DType::UInt64: put(bytes, integer_of(value)); break;
    case DType::Complex64: put(bytes, std::complex<float>(z)); break;
    case DType::Complex128: put(bytes, z); break;
    case DType::Complex32: {
      const _Float16 parts[2] = {static_cast<_Float16>(static_cast<float>(z.real())),
                                 static_cast<_Float16>(static_cast<float>(z.imag()))};
      std::memcpy(bytes.data(), parts, sizeof parts);
      break;
    }
    case DType::Undefined: break;
  }
  return bytes;
}

TensorView narrowed(TensorView view, int dim, int64_t start, int64_t length) {
  view.data = view.as<char>() + start * view.strides[dim] * size_of(view.dtype);
  view.sizes[dim] = length;
  return view;
}

void simplify(CopyBox& box) {
  int n = 0;
  for (int d = 0; d < box.ndim; ++d) {
    if (box.sizes[d] == 1) continue;
    if (n > 0 && box.from_strides[n - 1] == box.from_strides[d] * box.sizes[d] &&
        box.to_strides[n - 1] == box.to_strides[d] * box.sizes[d]) {
      box.sizes[n - 1] *= box.sizes[d];
      box.from_strides[n - 1] = box.from_strides[d];
      box.to_strides[n - 1] = box.to_strides[d];
      continue;
    }
    box.sizes[n] = box.sizes[d];
    box.from_strides[n] = box.from_strides[d];
    box.to_strides[n] = box.to_strides[d];
    ++n;
  }
  if (n == 0) {
    box.sizes[0] = 1;
    box.from_strides[0] = box.to_strides[0] = box.element_bytes;
    n = 1;
  }
  box.ndim = n;
}

// The order in which `to` lies: rows of a channels-last tensor are its channels. Mostly so already.
static void sort_dimensions(CopyBox& box) {
  for (int d = 1; d < box.ndim; ++d)
    for (int i = d; i > 0 && box.to_strides[i - 1] < box.to_strides[i]; --i) {
      std::swap(box.sizes[i - 1], box.sizes[i]);
      std::swap(box.from_strides[i - 1], box.from_strides[i]);
      std::swap(box.to_strides[i - 1], box.to_strides[i]);
    }
}

CopyBox copy_box(const TensorView& from, const TensorView& to) {
  CopyBox box;
  const int64_t bytes = size_of(to.dtype);
  box.ndim = to.ndim;
  box.element_bytes = static_cast<int32_t>(bytes);
  box.from = from.as<const char>();
  box.to = to.as<char>();
  for (int d = 0; d < to.ndim; ++d) {
    box.sizes[d] = to.sizes[d];
    box.from_strides[d] = from.strides[d] * bytes;
    box.to_strides[d] = to.strides[d] * bytes;
  }
  sort_dimensions(box);
  simplify(box);
  return box;
}

CopyBox fill_box(const TensorView& to) {
  TensorView nothing = to;
  nothing.data = nullptr;
  for (int64_t& stride : nothing.strides) stride = 0;
  return copy_box(nothing, to);
}

void run(Team& team, std::span<const CopyBox> boxes) {
  struct Piece {
    const CopyBox* box;
    int64_t begin, end;
  };
  std::vector<Piece> pieces;
  for (const CopyBox& box : boxes) {
    const int64_t n = box.numel(), step = std::max<int64_t>(1, kPieceBytes / box.element_bytes);
    for (int64_t begin = 0; begin < n; begin += step) pieces.push_back({&box, begin, std::min(n, begin + step)});
  }
  if (pieces.empty()) return;
  const auto& kernel = kernels::copy_box();
  // Small pieces (many short tensors in one cat) are not worth a chunk each.
  int64_t total = 0;
  for (const Piece& piece : pieces) total += (piece.end - piece.begin) * piece.box->element_bytes;
  if (pieces.size() == 1 || total <= kPieceBytes) {
    for (const Piece& piece : pieces) kernel.copy(*piece.box, piece.begin, piece.end);
    return;
  }
  team.run(static_cast<int64_t>(pieces.size()), [&](int64_t i) {
    const Piece& piece = pieces[static_cast<size_t>(i)];
    kernel.copy(*piece.box, piece.begin, piece.end);
  });
}

}  // namespace cann::ops
