// The NPU's random generator: a Philox seed and an offset that every random operator moves on. It holds no device
// memory, so it can be seeded before the device starts.
#pragma once

#include <utility>

#include <ATen/core/Generator.h>

#include "torch_npu/csrc/export.h"

namespace torch_npu::random {

NPU_API const at::Generator& default_generator(c10::DeviceIndex device);
NPU_API at::Generator new_generator(c10::DeviceIndex device);

// Seed and offset for one operator that draws at most `count` numbers per counter; later operators start beyond.
// Without a generator it is the default one of `device`. Throws if the generator belongs to another device.
NPU_API std::pair<uint64_t, uint64_t> reserve(const std::optional<at::Generator>& generator, uint64_t count,
                                              c10::DeviceIndex device);

}  // namespace torch_npu::random
