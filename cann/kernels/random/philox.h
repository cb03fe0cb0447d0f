// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC11), 64 counters at once so
// that the compiler vectorises the rounds. For kernel files only: it needs CANN_ISA.
#pragma once

#include "cann/kernels/half.h"
#include "cann/kernels/random/random.h"

namespace cann::kernels::CANN_ISA::philox {

constexpr int kCounters = 64;

// Plane p of a block is word p of its 64 counters: 256 numbers of 32 bits, or with planes (0, 1) and (2, 3) 128 of 64.
struct Block {
  alignas(64) uint32_t words[4][kCounters];
};

// The counter is (offset / 4, block * 64 + lane).
static inline void generate(const Draw& draw, uint64_t block, Block& out) {
  alignas(64) uint32_t c0[kCounters], c1[kCounters], c2[kCounters], c3[kCounters];
  const uint64_t low = draw.offset / 4, high = block * kCounters;
  for (int l = 0; l < kCounters; ++l) {
    c0[l] = static_cast<uint32_t>(low);
    c1[l] = static_cast<uint32_t>(low >> 32);
    c2[l] = static_cast<uint32_t>(high) + static_cast<uint32_t>(l);  // high is a multiple of 64: no carry
    c3[l] = static_cast<uint32_t>(high >> 32);
  }
  uint32_t k0 = static_cast<uint32_t>(draw.seed), k1 = static_cast<uint32_t>(draw.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int l = 0; l < kCounters; ++l) {
      uint64_t p0 = static_cast<uint64_t>(c0[l]) * 0xD2511F53u, p1 = static_cast<uint64_t>(c2[l]) * 0xCD9E8D57u;
      uint32_t n0 = static_cast<uint32_t>(p1 >> 32) ^ c1[l] ^ k0, n2 = static_cast<uint32_t>(p0 >> 32) ^ c3[l] ^ k1;
      c1[l] = static_cast<uint32_t>(p1);
      c3[l] = static_cast<uint32_t>(p0);
      c0[l] = n0;
      c2[l] = n2;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  __builtin_memcpy(out.words[0], c0, sizeof c0);
  __builtin_memcpy(out.words[1], c1, sizeof c1);
  __builtin_memcpy(out.words[2], c2, sizeof c2);
  __builtin_memcpy(out.words[3], c3, sizeof c3);
}

// How many numbers of the compute type a block gives.
template <class A>
constexpr int kNumbers = sizeof(A) == 4 ? 4 * kCounters : 2 * kCounters;

// u in [0, 1): 24 bits for float, 53 for double.
static inline void uniforms(const Block& block, float* u) {
  for (int i = 0; i < 4 * kCounters; ++i)
    u[i] = static_cast<float>(static_cast<int32_t>((&block.words[0][0])[i] >> 8)) * 0x1p-24f;
}
static inline void uniforms(const Block& block, double* u) {
  for (int half = 0; half < 2; ++half)
    for (int l = 0; l < kCounters; ++l) {
      uint64_t bits = static_cast<uint64_t>(block.words[2 * half][l]) << 32 | block.words[2 * half + 1][l];
      u[half * kCounters + l] = static_cast<double>(static_cast<int64_t>(bits >> 11)) * 0x1p-53;
    }
}

}  // namespace cann::kernels::CANN_ISA::philox
