// Products of the half types on the matrix units. A tile's columns of b are packed once, for all of its rows and the
// whole depth; blocks of 32 x 32 sums stay in the tile registers from end to end and are rounded once. bfloat16 goes in
// as it is; float16 as two bfloat16 numbers whose sum it is exactly, so that the four products of their parts give
// float32's sum. Infinities and NaN have no such parts: a tile that holds any of them is multiplied in float32.
#include "cann/kernels/matmul/gemm_table.h"
#include "cann/kernels/matmul/gemm_tile.h"
#include "cann/kernels/matmul/matrix_units.h"

namespace cann::kernels::CANN_ISA {

#if defined(__AVX512F__)
namespace {

template <class S>
constexpr int kParts = __is_same(S, Half) ? 2 : 1;

// high + low = from exactly, but for infinities and NaN: whether there are any.
bool split(const Half* from, BFloat16* __restrict high, BFloat16* __restrict low, int64_t n) {
  constexpr int kPiece = 256;
  uint32_t wild = 0;
  for (int64_t i = 0; i < n; i += kPiece) {
    float wide[kPiece];
    const int64_t count = lesser(kPiece, n - i);
    widen<Half>(from + i, wide, count);
    for (int64_t k = 0; k < count; ++k) {
      const uint32_t bits = bits_as<uint32_t>(wide[k]);
      const uint32_t top = (bits + 0x8000) & 0xffff0000;
      wild |= (bits & 0x7f800000) == 0x7f800000 ? 1 : 0;
      high[i + k].bits = static_cast<uint16_t>(top >> 16);
      low[i + k].bits = static_cast<uint16_t>(bits_as<uint32_t>(wide[k] - bits_as<float>(top)) >> 16);
    }
  }
  return wild != 0;
}

// Where things stand in the scratch of a tile.
template <class S>
struct UnitTile {
  int64_t depth, cols, a_row;  // rounded up to kUnit; rows of a copied block stand a_row apart
  float* sums;                 // [kUnit][cols], and a line more
  Words* b[2];                 // packed, each part
  BFloat16* a[2];              // [kUnit][a_row]
  BFloat16* line[2];           // b, split
  void* float32;               // gemm_tile's scratch

  explicit UnitTile(const GemmTile& t) : depth(round_up(t.k, kUnit)), cols(round_up(t.n, kUnit)), a_row(depth + kUnit) {
    char* next = static_cast<char*>(t.scratch);
    auto take = [&](int64_t bytes) {
      char* taken = next;
      next += round_up(bytes, 64);
      return taken;
    };
    sums = reinterpret_cast<float*>(take((kUnit + 1) * cols * 4));
    for (int part = 0; part < kParts<S>; ++part) {
      b[part] = reinterpret_cast<Words*>(take(depth * cols * 2));
      a[part] = reinterpret_cast<BFloat16*>(take(kUnit * a_row * 2));
      if (kParts<S> == 2) line[part] = reinterpret_cast<BFloat16*>(take(depth * cols * 2));
    }
    float32 = take(0);
  }
};

// False: b holds an infinity or NaN that has no parts.
template <class S>
bool pack_b(const GemmTile& t, const UnitTile<S>& u) {
  const S* b = static_cast<const S*>(t.b);
  if constexpr (kParts<S> == 1) {
    pack_pairs(b, t.b_row, t.b_col, t.k, t.n, u.b[0]);
  } else {
    const bool along_depth = t.b_row == 1;
    const int64_t runs = along_depth ? t.n : t.k, length = along_depth ? t.k : t.n;
    const int64_t step = along_depth ? t.b_col : t.b_row;
    for (int64_t i = 0; i < runs; ++i)
      if (split(b + i * step, u.line[0] + i * length, u.line[1] + i * length, length)) return false;
    for (int part = 0; part < 2; ++part)
      pack_pairs(u.line[part], along_depth ? 1 : length, along_depth ? length : 1, t.k, t.n, u.b[part]);
  }
  return true;
}

// Rows [row, row + kUnit) of a, zeros beyond: where they lie, or copied. False as above.
template <class S>
bool read_a(const GemmTile& t, int64_t row, const UnitTile<S>& u, const uint16_t** parts, int64_t& a_row) {
  const S* a = static_cast<const S*>(t.a) + row * t.a_row;
  const int64_t rows = lesser(kUnit, t.m - row);
  if (kParts<S> == 1 && rows == kUnit && t.k == u.depth) {
    parts[0] = reinterpret_cast<const uint16_t*>(a);
    a_row = t.a_row;
    return true;
  }
  a_row = u.a_row;
  for (int part = 0; part < kParts<S>; ++part) {
    parts[part] = reinterpret_cast<const uint16_t*>(u.a[part]);
    for (int64_t r = 0; r < kUnit; ++r)
      for (int64_t p = r < rows ? t.k : 0; p < u.depth; ++p) u.a[part][r * a_row + p].bits = 0;
  }
  for (int64_t r = 0; r < rows; ++r) {
    if constexpr (kParts<S> == 1)
      __builtin_memcpy(u.a[0] + r * a_row, a + r * t.a_row, static_cast<size_t>(t.k) * 2);
    else if (split(a + r * t.a_row, u.a[0] + r * a_row, u.a[1] + r * a_row, t.k))
      return false;
  }
  return true;
}

// In float32, in pieces as gemm_tile takes them.
template <class S>
void in_float32(const GemmTile& t, void* scratch) {
  for (int64_t row = 0; row < t.m; row += kTileRows) {
    GemmTile piece = t;
    piece.m = lesser(kTileRows, t.m - row);
    piece.scratch = scratch;
    piece.a = static_cast<const S*>(t.a) + row * t.a_row;
    piece.out = static_cast<S*>(t.out) + row * t.out_row;
    if (t.c) piece.c = static_cast<const S*>(t.c) + row * t.c_row;
    gemm_tile<S, float>(piece);
  }
}

template <class S>
void gemm_units(const GemmTile& t) {
  const UnitTile<S> u(t);
  if (!pack_b(t, u)) return in_float32<S>(t, u.float32);
  const MatrixUnits units;
  for (int64_t row = 0; row < t.m; row += kUnit) {
    const uint16_t* a[2];
    int64_t a_row = 0;
    GemmTile block = t;
    block.m = lesser(kUnit, t.m - row);
    block.a = static_cast<const S*>(t.a) + row * t.a_row;
    block.out = static_cast<S*>(t.out) + row * t.out_row;
    if (t.c) block.c = static_cast<const S*>(t.c) + row * t.c_row;
    if (!read_a(t, row, u, a, a_row)) {
      block.scratch = u.float32;
      gemm_tile<S, float>(block);
      continue;
    }
    for (int64_t j = 0; j < u.cols; j += kUnit)
      for (int parts = 0; parts < kParts<S> * kParts<S>; ++parts)
        multiply_unit(u.depth, u.depth, a[parts / 2], a_row, u.b[parts % 2] + j / kPairCols * (u.depth / 2), u.sums + j,
                      u.cols, parts == 0);
    for (int64_t r = 0; r < block.m; ++r) finish_row<S>(block, r, u.sums + r * u.cols, u.sums + kUnit * u.cols);
  }
}

}  // namespace

void units_f16(const GemmTile& t) { gemm_units<Half>(t); }
void units_bf16(const GemmTile& t) { gemm_units<BFloat16>(t); }
#endif

}  // namespace cann::kernels::CANN_ISA
