#include "cann/runtime/copy.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cann/runtime/error.h"
#include "cann/trace/trace.h"

namespace cann {
namespace {

// 256 KiB a chunk: two cores copy faster than one from about twice that on.
constexpr int64_t kChunk = 256 << 10;
// Bytes that one core copies in a microsecond, roughly.
constexpr float kBytesPerUs = 8e3f;
// So many bytes of the caller's buffer travel within the Task.
constexpr size_t kStaged = 384;

float estimate_us(size_t bytes) { return static_cast<float>(bytes) / kBytesPerUs; }

Status refuse(const char* what, const std::string& why) {
  return {error::kInvalidParam, std::string(what) + ": " + why};
}

// A pointer said to be the device's must lie within one allocation; one said to be the host's must not be the device's.
Status check_side(Runtime& runtime, const char* what, const char* side, const void* address, size_t bytes,
                  bool on_device) {
  Device* const device = runtime.owner(address);
  if (!device)
    return on_device ? refuse(what, std::string(side) + " is no device memory, but the kind of the copy says so")
                     : Status();
  if (!on_device)
    return refuse(what, std::string(side) + " is memory of npu:" + std::to_string(device->id()) +
                            ", but the kind of the copy says host");
  const Block block = device->memory.find(address);
  if (!block.address)
    return refuse(what, std::string(side) + " points into memory of npu:" + std::to_string(device->id()) +
                            " that is not allocated");
  const auto room = static_cast<size_t>(block.address + block.bytes - static_cast<const std::byte*>(address));
  if (bytes > room)
    return refuse(what, std::string(side) + " has " + std::to_string(room) + " bytes to the end of its allocation, " +
                            std::to_string(bytes) + " are needed");
  return {};
}

}  // namespace

Status check_copy(Runtime& runtime, const char* what, const Copy& copy, size_t dst_max, CopyKind kind) {
  if (copy.bytes == 0 || copy.rows == 0) return {};
  if (!copy.dst || !copy.src) return refuse(what, !copy.dst ? "dst is null" : "src is null");
  if (copy.bytes > dst_max)
    return refuse(what, std::to_string(copy.bytes) + " bytes to copy, but dst takes " + std::to_string(dst_max));
  if (copy.rows > 1 && copy.bytes > copy.src_pitch)
    return refuse(
        what, "width " + std::to_string(copy.bytes) + " exceeds the pitch of src, " + std::to_string(copy.src_pitch));
  bool dst_device = false, src_device = false;
  switch (kind) {
    case CopyKind::HostToHost: break;
    case CopyKind::HostToDevice: dst_device = true; break;
    case CopyKind::DeviceToHost: src_device = true; break;
    case CopyKind::DeviceToDevice:
    case CopyKind::InnerDevice:
    case CopyKind::InterDevice: dst_device = src_device = true; break;
    case CopyKind::Default:
      dst_device = runtime.owner(copy.dst) != nullptr;
      src_device = runtime.owner(copy.src) != nullptr;
      break;
    default:
      return refuse(what, "kind " + std::to_string(static_cast<int>(kind)) + " is none that an embedded device knows");
  }
  RETURN_IF_ERROR(
      check_side(runtime, what, "dst", copy.dst, (copy.rows - 1) * copy.dst_pitch + copy.bytes, dst_device));
  return check_side(runtime, what, "src", copy.src, (copy.rows - 1) * copy.src_pitch + copy.bytes, src_device);
}

const char* copy_name(Runtime& runtime, const Copy& copy) {
  if (!trace::on()) [[likely]]
    return "copy";
  const bool src_device = runtime.owner(copy.src) != nullptr, dst_device = runtime.owner(copy.dst) != nullptr;
  return src_device == dst_device ? "copy" : dst_device ? "copy to device" : "copy to host";
}

void copy_now(Team& team, const Copy& copy) {
  auto* const dst = static_cast<std::byte*>(copy.dst);
  auto* const src = static_cast<const std::byte*>(copy.src);
  if (copy.rows == 1) {
    team.for_ranges(static_cast<int64_t>(copy.bytes), kChunk, [&](int64_t begin, int64_t end) {
      std::memmove(dst + begin, src + begin, static_cast<size_t>(end - begin));
    });
    return;
  }
  const auto rows_a_chunk = static_cast<int64_t>(static_cast<size_t>(kChunk) / std::max<size_t>(copy.bytes, 1) + 1);
  team.for_ranges(static_cast<int64_t>(copy.rows), rows_a_chunk, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row)
      std::memmove(dst + static_cast<size_t>(row) * copy.dst_pitch, src + static_cast<size_t>(row) * copy.src_pitch,
                   copy.bytes);
  });
}

Status copy_on(Runtime& runtime, Stream& stream, const Copy& copy) {
  const size_t bytes = copy.bytes * copy.rows;
  if (bytes == 0) return {};
  const char* const name = copy_name(runtime, copy);
  const auto pageable = [&](const void* address) {
    return !runtime.owner(address) && !runtime.host_memory.owns(address);
  };
  const bool src_pageable = pageable(copy.src), dst_pageable = pageable(copy.dst);
  if (src_pageable && !dst_pageable && copy.rows == 1 && bytes <= kStaged) {
    std::array<std::byte, kStaged> staged;
    std::memcpy(staged.data(), copy.src, bytes);
    return stream.enqueue(
        Task(name, 0, [staged, dst = copy.dst, bytes](TaskContext&) { std::memcpy(dst, staged.data(), bytes); }));
  }
  RETURN_IF_ERROR(
      stream.enqueue(Task(name, estimate_us(bytes), [copy](TaskContext& context) { copy_now(context.team, copy); })));
  if ((src_pageable || dst_pageable) && !stream.capture()) return stream.synchronize(std::nullopt);
  return {};
}

Status check_fill(Runtime& runtime, const char* what, void* dst, size_t dst_max, size_t bytes) {
  if (bytes == 0) return {};
  if (!dst) return refuse(what, "the address is null");
  if (bytes > dst_max)
    return refuse(what, std::to_string(bytes) + " bytes to set, but there are " + std::to_string(dst_max));
  return check_side(runtime, what, "the address", dst, bytes, runtime.owner(dst) != nullptr);
}

void fill_now(Team& team, void* dst, uint32_t pattern, size_t bytes) {
  auto* const bytes_of_dst = static_cast<std::byte*>(dst);
  const bool one_byte = pattern == (pattern & 0xFF) * 0x01010101u;
  team.for_ranges(static_cast<int64_t>(bytes), kChunk, [&](int64_t begin, int64_t end) {
    std::byte* const at = bytes_of_dst + begin;
    if (one_byte)
      std::memset(at, static_cast<int>(pattern & 0xFF), static_cast<size_t>(end - begin));
    else
      for (int64_t i = 0; i + 4 <= end - begin; i += 4) std::memcpy(at + i, &pattern, 4);
  });
}

Status fill_on(Stream& stream, void* dst, uint32_t pattern, size_t bytes) {
  if (bytes == 0) return {};
  return stream.enqueue(
      Task("fill", estimate_us(bytes), [=](TaskContext& context) { fill_now(context.team, dst, pattern, bytes); }));
}

}  // namespace cann
