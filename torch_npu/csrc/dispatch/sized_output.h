// An output whose size the device finds: given as large as it can be, its real size is asked for after a wait.
#pragma once

#include <ATen/core/Tensor.h>

#include "torch_npu/csrc/dispatch/arguments.h"

namespace torch_npu {

class SizedOutput {
 public:
  explicit SizedOutput(at::Tensor largest);
  ~SizedOutput();
  SizedOutput(const SizedOutput&) = delete;
  SizedOutput& operator=(const SizedOutput&) = delete;

  // For launch().
  KeptDescriptor argument() const { return {descriptor_}; }

  // pre: the stream has been waited for. The memory of the largest tensor is kept only where most of it is used.
  at::Tensor result() const;

 private:
  at::Tensor largest_;
  aclTensor* descriptor_;
};

// Waits for the current stream of the tensor's device, on account of unique and its kin.
void wait_for(const at::Tensor& tensor);

}  // namespace torch_npu
