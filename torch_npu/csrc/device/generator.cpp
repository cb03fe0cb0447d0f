// Philox state as PyTorch's CUDA generator has it: 16 bytes, the seed and then the offset, so that saved states look
// alike.
#include "torch_npu/csrc/device/generator.h"

#include <array>
#include <cstring>
#include <mutex>

#include <ATen/Utils.h>
#include <c10/core/GeneratorImpl.h>

#include "torch_npu/csrc/device/device.h"
#include "torch_npu/csrc/device/graph.h"

namespace torch_npu::random {
namespace {

constexpr size_t kStateBytes = 2 * sizeof(uint64_t);

class Generator final : public c10::GeneratorImpl {
 public:
  explicit Generator(c10::DeviceIndex device)
      : GeneratorImpl(c10::Device(c10::DeviceType::PrivateUse1, device),
                      c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)) {}

  void set_current_seed(uint64_t seed) override {
    seed_ = seed;
    offset_ = 0;
  }
  void set_offset(uint64_t offset) override { offset_ = offset; }
  uint64_t get_offset() const override { return offset_; }
  uint64_t current_seed() const override { return seed_; }
  uint64_t seed() override {
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return seed_;
  }

  void set_state(const c10::TensorImpl& state) override {
    TORCH_CHECK_TYPE(state.layout() == c10::kStrided && state.device().is_cpu() &&
                         state.dtype() == caffe2::TypeMeta::Make<uint8_t>(),
                     "RNG state must be a torch.ByteTensor");
    TORCH_CHECK(state.numel() == kStateBytes && state.is_contiguous(), "RNG state is wrong size: ", state.numel(),
                " bytes, an NPU generator's has ", kStateBytes);
    const auto* bytes = static_cast<const char*>(state.data());
    std::memcpy(&seed_, bytes, sizeof(seed_));
    std::memcpy(&offset_, bytes + sizeof(seed_), sizeof(offset_));
  }

  c10::intrusive_ptr<c10::TensorImpl> get_state() const override {
    at::Tensor state = at::detail::empty_cpu({kStateBytes}, c10::ScalarType::Byte);
    auto* bytes = static_cast<char*>(state.mutable_data_ptr());
    std::memcpy(bytes, &seed_, sizeof(seed_));
    std::memcpy(bytes + sizeof(seed_), &offset_, sizeof(offset_));
    return state.getIntrusivePtr();
  }

  uint64_t advance(uint64_t count) {
    const uint64_t start = offset_;
    offset_ += (count + 3) / 4 * 4;  // Philox gives four numbers at a time
    return start;
  }

 private:
  Generator* clone_impl() const override {
    auto* copy = new Generator(device().index());
    copy->seed_ = seed_;
    copy->offset_ = offset_;
    return copy;
  }

  uint64_t seed_ = c10::default_rng_seed_val;
  uint64_t offset_ = 0;
};

}  // namespace

const at::Generator& default_generator(c10::DeviceIndex device) {
  static auto& generators = *new std::array<at::Generator, device::kMaxDevices>();
  static std::array<std::once_flag, device::kMaxDevices> made;
  device = device::resolve(device);
  std::call_once(made[device], [device] { generators[device] = at::make_generator<Generator>(device); });
  return generators[device];
}

at::Generator new_generator(c10::DeviceIndex device) { return at::make_generator<Generator>(device::resolve(device)); }

std::pair<uint64_t, uint64_t> reserve(const std::optional<at::Generator>& generator, uint64_t count,
                                      c10::DeviceIndex device) {
  const at::Generator& chosen = generator.has_value() && generator->defined() ? *generator : default_generator(device);
  TORCH_CHECK(chosen.device().is_privateuseone(), "Expected a 'npu' device type for generator but found '",
              chosen.device().type(), "'");
  TORCH_CHECK(!graph::is_capturing(device),
              "random numbers cannot be captured into a graph: each replay would draw the same ones");
  auto* philox = static_cast<Generator*>(chosen.unsafeGetGeneratorImpl());
  std::lock_guard lock(philox->mutex_);
  return {philox->current_seed(), philox->advance(count)};
}

}  // namespace torch_npu::random
