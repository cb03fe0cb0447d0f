// libhccl.so: collective communication. Nothing is behind it yet but its settings, which an adapter makes at start.
#include <cstdint>

extern "C" {
#pragma GCC visibility push(default)

int HcclSetConfig(int config, int32_t value);
int HcclGetConfig(int config, int32_t* value);

#pragma GCC visibility pop
}

namespace {
constexpr int kDeterministic = 0;  // HCCL_DETERMINISTIC, the only setting there is: what comes will be so in any case
constexpr int kParameterError = 1;
}  // namespace

int HcclSetConfig(int config, int32_t) { return config == kDeterministic ? 0 : kParameterError; }

int HcclGetConfig(int config, int32_t* value) {
  if (config != kDeterministic || !value) return kParameterError;
  *value = 1;
  return 0;
}
