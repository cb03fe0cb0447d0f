// What every registration unit needs of ATen, compiled once.
#pragma once

#include <tuple>

#include <ATen/core/Tensor.h>
#include <ATen/native/CPUFallback.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "torch_npu/csrc/dispatch/guarded.h"
#include "torch_npu/csrc/dispatch/launch.h"
#include "torch_npu/csrc/dispatch/shapes.h"
#include "torch_npu/csrc/dispatch/structured.h"
