// What libtorch_npu.so shows to _C and to C++ extensions. Everything else is hidden.
#pragma once

#define NPU_API __attribute__((visibility("default")))
