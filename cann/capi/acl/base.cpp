// Element types, data buffers, attributes, the application's log.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "acl/acl.h"
#include "cann/base/dtype.h"
#include "cann/capi/acl/guarded.h"

using namespace cann;
using capi::guarded;

struct aclDataBuffer {
  void* data;
  size_t size;
};

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0: return 1;
    default: return static_cast<size_t>(size_of(static_cast<DType>(dataType)));
  }
}

float aclFloat16ToFloat(aclFloat16 value) {
  const uint32_t sign = (value & 0x8000u) << 16, exponent = (value >> 10) & 0x1F, mantissa = value & 0x3FFu;
  float magnitude;
  if (exponent == 0) {
    magnitude = static_cast<float>(mantissa) * 0x1p-24f;
  } else {
    const uint32_t bits = exponent == 31 ? 0x7F800000u | mantissa << 13 : (exponent + 112) << 23 | mantissa << 13;
    std::memcpy(&magnitude, &bits, sizeof bits);
  }
  uint32_t bits;
  std::memcpy(&bits, &magnitude, sizeof bits);
  bits |= sign;
  std::memcpy(&magnitude, &bits, sizeof bits);
  return magnitude;
}

// To the nearest, ties to even.
aclFloat16 aclFloatToFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  bits &= 0x7FFFFFFFu;
  if (bits > 0x7F800000u) return sign | 0x7E00;
  if (bits >= 0x477FF000u) return sign | 0x7C00;  // 65520 and more round to infinity
  if (bits < 0x38800000u) {  // below the least normal half: adding 0.5 leaves its multiple of 2^-24 in the last bits
    float magnitude;
    std::memcpy(&magnitude, &bits, sizeof bits);
    magnitude += 0.5f;
    std::memcpy(&bits, &magnitude, sizeof bits);
    return static_cast<aclFloat16>(sign | (bits - 0x3F000000u));
  }
  bits += 0xC8000FFFu + ((bits >> 13) & 1);
  return static_cast<aclFloat16>(sign | (bits >> 13));
}

aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) { return new (std::nothrow) aclDataBuffer{data, size}; }

aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return guarded("aclDestroyDataBuffer", [&]() -> Status {
    CANN_REQUIRE(dataBuffer);
    delete dataBuffer;
    return {};
  });
}

aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data, size_t size) {
  return guarded("aclUpdateDataBuffer", [&]() -> Status {
    CANN_REQUIRE(dataBuffer);
    *dataBuffer = {data, size};
    return {};
  });
}

void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) { return dataBuffer ? dataBuffer->data : nullptr; }
size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) { return dataBuffer ? dataBuffer->size : 0; }
uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return static_cast<uint32_t>(aclGetDataBufferSizeV2(dataBuffer));
}

aclError aclGetCannAttribute(aclCannAttr cannAttr, int32_t* value) {
  return guarded("aclGetCannAttribute", [&]() -> Status {
    CANN_REQUIRE(value);
    *value = cannAttr == ACL_CANN_ATTR_INF_NAN || cannAttr == ACL_CANN_ATTR_BF16;
    return {};
  });
}

aclError aclGetCannAttributeList(const aclCannAttr** cannAttrList, size_t* num) {
  return guarded("aclGetCannAttributeList", [&]() -> Status {
    CANN_REQUIRE(cannAttrList);
    CANN_REQUIRE(num);
    static constexpr aclCannAttr kAttributes[] = {ACL_CANN_ATTR_INF_NAN, ACL_CANN_ATTR_BF16};
    *cannAttrList = kAttributes;
    *num = std::size(kAttributes);
    return {};
  });
}

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
  static const int least = [] {
    const char* level = std::getenv("ASCEND_GLOBAL_LOG_LEVEL");
    return level && *level ? std::atoi(level)
                           : static_cast<int>(ACL_ERROR) + 1;  // an adapter logs as errors what it raises anyway
  }();
  if (static_cast<int>(logLevel) < least) return;
  char text[2048];
  va_list arguments;
  va_start(arguments, fmt);
  std::vsnprintf(text, sizeof text, fmt ? fmt : "", arguments);
  va_end(arguments);
  static constexpr const char* kNames[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
  std::fprintf(stderr, "[%s] %s:%u %s: %s\n", kNames[static_cast<unsigned>(logLevel) & 3], file ? file : "?", line,
               func ? func : "?", text);
}
