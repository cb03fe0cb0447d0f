// The older operator interface (aclop*): descriptors and attributes can be built, running is refused.
#include <map>
#include <new>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "cann/capi/acl/guarded.h"

using namespace cann;
using capi::guarded;
using capi::not_supported;

struct aclTensorDesc {
  aclDataType dtype;
  aclFormat format;
  std::vector<int64_t> dims;
  std::string name;
};

struct aclopAttr {};  // nothing reads attributes, as nothing runs

aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims, const int64_t* dims, aclFormat format) {
  try {
    if (numDims < 0 || (numDims > 0 && !dims)) return nullptr;
    return new aclTensorDesc{dataType, format, std::vector<int64_t>(dims, dims + numDims), {}};
  } catch (...) {
    return nullptr;
  }
}

void aclDestroyTensorDesc(const aclTensorDesc* desc) { delete desc; }
aclDataType aclGetTensorDescType(const aclTensorDesc* desc) { return desc ? desc->dtype : ACL_DT_UNDEFINED; }
aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) { return desc ? desc->format : ACL_FORMAT_UNDEFINED; }
size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) { return desc ? desc->dims.size() : 0; }

aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index, int64_t* dimSize) {
  return guarded("aclGetTensorDescDimV2", [&]() -> Status {
    CANN_REQUIRE(desc);
    CANN_REQUIRE(dimSize);
    if (index >= desc->dims.size())
      return {error::kInvalidParam, "dimension " + std::to_string(index) + " of " + std::to_string(desc->dims.size())};
    *dimSize = desc->dims[index];
    return {};
  });
}

void aclSetTensorDescName(aclTensorDesc* desc, const char* name) {
  (void)guarded("aclSetTensorDescName", [&]() -> Status {
    if (desc) desc->name = name ? name : "";
    return {};
  });
}

aclError aclSetTensorFormat(aclTensorDesc* desc, aclFormat format) {
  return guarded("aclSetTensorFormat", [&]() -> Status {
    CANN_REQUIRE(desc);
    desc->format = format;
    return {};
  });
}

aclError aclSetTensorShape(aclTensorDesc* desc, int numDims, const int64_t* dims) {
  return guarded("aclSetTensorShape", [&]() -> Status {
    CANN_REQUIRE(desc);
    if (numDims < 0 || (numDims > 0 && !dims)) return {error::kInvalidParam, "dims is null or numDims is negative"};
    desc->dims.assign(dims, dims + numDims);
    return {};
  });
}

aclError aclSetTensorPlaceMent(aclTensorDesc* desc, aclMemType) {
  return guarded("aclSetTensorPlaceMent", [&]() -> Status {
    CANN_REQUIRE(desc);
    return {};
  });
}

aclopAttr* aclopCreateAttr() { return new (std::nothrow) aclopAttr; }
void aclopDestroyAttr(const aclopAttr* attr) { delete attr; }
aclError aclopSetAttrBool(aclopAttr*, const char*, uint8_t) { return ACL_SUCCESS; }
aclError aclopSetAttrInt(aclopAttr*, const char*, int64_t) { return ACL_SUCCESS; }
aclError aclopSetAttrFloat(aclopAttr*, const char*, float) { return ACL_SUCCESS; }
aclError aclopSetAttrString(aclopAttr*, const char*, const char*) { return ACL_SUCCESS; }
aclError aclopSetAttrDataType(aclopAttr*, const char*, aclDataType) { return ACL_SUCCESS; }
aclError aclopSetAttrListBool(aclopAttr*, const char*, int, const uint8_t*) { return ACL_SUCCESS; }
aclError aclopSetAttrListInt(aclopAttr*, const char*, int, const int64_t*) { return ACL_SUCCESS; }
aclError aclopSetAttrListFloat(aclopAttr*, const char*, int, const float*) { return ACL_SUCCESS; }
aclError aclopSetAttrListListInt(aclopAttr*, const char*, int, const int*, const int64_t* const[]) {
  return ACL_SUCCESS;
}

aclError aclopCompileAndExecute(const char* opType, int, const aclTensorDesc* const[], const aclDataBuffer* const[],
                                int, const aclTensorDesc* const[], aclDataBuffer* const[], const aclopAttr*,
                                aclopEngineType, aclopCompileType, const char*, aclrtStream) {
  return guarded("aclopCompileAndExecute", [&]() -> Status {
    return {error::kFeatureNotSupport,
            std::string(opType ? opType : "(null)") + ": the embedded CANN has aclnn operators only"};
  });
}

aclError aclSetCompileopt(aclCompileOpt, const char*) { return ACL_SUCCESS; }  // nothing is compiled
