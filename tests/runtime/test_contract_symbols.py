"""Every function that include/acl declares is in the library, and so is every symbol that the genuine adapter links."""

import ctypes
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIBRARIES = ROOT / "torch_npu" / "cann" / "lib64"

# reference: what `nm -D --undefined-only` shows of the genuine wheel's libtorch_npu.so
GENUINE = """
    MsprofGetHashId MsprofRegisterCallback MsprofReportAdditionalInfo MsprofReportApi MsprofReportCompactInfo
    MsprofSysCycleTime aclAppLog aclCreateDataBuffer aclCreateTensorDesc aclDestroyDataBuffer aclDestroyTensorDesc
    aclFinalize aclGetDeviceCapability aclGetRecentErrMsg aclGetTensorDescDimV2 aclGetTensorDescFormat
    aclGetTensorDescNumDims aclGetTensorDescType aclInit aclSetTensorDescName aclSetTensorFormat aclSetTensorPlaceMent
    aclSetTensorShape aclmdlFinalizeDump aclmdlInitDump aclmdlSetDump aclopCompileAndExecute aclopCreateAttr
    aclopDestroyAttr aclopSetAttrBool aclopSetAttrDataType aclopSetAttrFloat aclopSetAttrInt aclopSetAttrListBool
    aclopSetAttrListFloat aclopSetAttrListInt aclopSetAttrListListInt aclopSetAttrString aclrtBinaryGetFunction
    aclrtBinaryLoadFromData aclrtCreateEventExWithFlag aclrtCreateStream aclrtCreateStreamWithConfig aclrtDestroyEvent
    aclrtDestroyStream aclrtDeviceCanAccessPeer aclrtDeviceEnablePeerAccess aclrtDeviceGetBareTgid aclrtEventElapsedTime
    aclrtFree aclrtFreeHost aclrtFreePhysical aclrtGetCurrentContext aclrtGetDevice aclrtGetDeviceCount aclrtGetFunctionAddr
    aclrtGetMemInfo aclrtGetSocName aclrtMalloc aclrtMallocHost aclrtMallocPhysical aclrtMapMem
    aclrtMemExportToShareableHandle aclrtMemImportFromShareableHandle aclrtMemSetPidToShareableHandle aclrtMemcpy
    aclrtMemcpyAsync aclrtMemset aclrtProcessReport aclrtRecordEvent aclrtReleaseMemAddress aclrtReserveMemAddress
    aclrtResetDevice aclrtResetEvent aclrtSetCurrentContext aclrtSetDevice aclrtStreamWaitEvent aclrtSynchronizeEvent
    aclrtSynchronizeStream aclrtUnmapMem rtDevBinaryRegister rtFunctionRegister rtGetC2cCtrlAddr rtKernelLaunch
    aclrtSetDeviceSatMode aclrtSetOpExecuteTimeOut aclrtSetOpExecuteTimeOutV2 aclrtCreateEventWithFlag
    aclrtSynchronizeDeviceWithTimeout aclrtQueryEventStatus aclrtStreamQuery aclrtSetStreamAttribute aclmdlRICaptureBegin
    aclmdlRICaptureGetInfo aclmdlRICaptureEnd aclmdlRICaptureThreadExchangeMode aclmdlRIExecuteAsync aclmdlRIDestroy
""".split()


def declared() -> list[str]:
    names = []
    for header in sorted((ROOT / "include" / "acl").glob("*.h")):
        names += re.findall(r"^(?:const )?\w+\*? (acl\w+)\(", header.read_text(), re.MULTILINE)
    return names


@pytest.fixture(scope="module")
def ascendcl() -> ctypes.CDLL:
    return ctypes.CDLL(str(LIBRARIES / "libascendcl.so"))


def test_every_declared_function_is_there(ascendcl):
    names = declared()
    assert len(names) > 200
    assert [name for name in names if not hasattr(ascendcl, name)] == []


def test_every_symbol_of_the_genuine_adapter_is_there(ascendcl):
    assert [name for name in GENUINE if not hasattr(ascendcl, name)] == []


def test_the_operator_compiler_answers_for_libascendcl(ascendcl):
    compiler = ctypes.CDLL(str(LIBRARIES / "libacl_op_compiler.so"))
    assert hasattr(compiler, "aclSetCompileopt") and hasattr(compiler, "aclrtGetSysParamOpt")


def test_what_has_nothing_behind_it_says_so(ascendcl):
    ascendcl.aclGetRecentErrMsg.restype = ctypes.c_char_p
    assert ascendcl.aclrtBinaryLoadFromData(None, 0, None, None) == 207000  # ACL_ERROR_RT_FEATURE_NOT_SUPPORT
    assert ascendcl.aclGetRecentErrMsg() == b"aclrtBinaryLoadFromData: the embedded CANN has nothing behind this function"
