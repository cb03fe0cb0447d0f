"""torch_npu/cann is laid out as a CANN toolkit: a C program written for AscendCL builds and runs on it, without torch."""

from __future__ import annotations

import os
import subprocess

import pytest

PROGRAM = r"""
#include <stdio.h>
#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

#define CHECK(call) do { int status = (call); if (status != 0) { \
  printf("%s: %d %s\n", #call, status, aclGetRecentErrMsg()); return 1; } } while (0)

static aclTensor* on_device(float* host, int64_t n, void** memory) {
  int64_t stride = 1;
  if (aclrtMalloc(memory, n * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST) != 0) return NULL;
  if (aclrtMemcpy(*memory, n * sizeof(float), host, n * sizeof(float), ACL_MEMCPY_HOST_TO_DEVICE) != 0) return NULL;
  return aclCreateTensor(&n, 1, ACL_FLOAT, &stride, 0, ACL_FORMAT_ND, &n, 1, *memory);
}

int main(void) {
  float a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40}, sum[4] = {0}, two = 2;
  void *memory[3], *workspace = NULL;
  uint64_t bytes = 0;
  aclOpExecutor* executor = NULL;
  aclrtStream stream;
  CHECK(aclInit(NULL));
  CHECK(aclrtSetDevice(0));
  CHECK(aclrtCreateStream(&stream));
  aclTensor* self = on_device(a, 4, &memory[0]);
  aclTensor* other = on_device(b, 4, &memory[1]);
  aclTensor* out = on_device(sum, 4, &memory[2]);
  aclScalar* alpha = aclCreateScalar(&two, ACL_FLOAT);
  CHECK(aclnnAddGetWorkspaceSize(self, other, alpha, out, &bytes, &executor));
  if (bytes > 0) CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(aclnnAdd(workspace, bytes, executor, stream));
  CHECK(aclrtSynchronizeStream(stream));
  CHECK(aclrtMemcpy(sum, sizeof sum, memory[2], sizeof sum, ACL_MEMCPY_DEVICE_TO_HOST));
  printf("%g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
"""


@pytest.fixture
def toolkit(package_dir):
    return package_dir / "cann"


def test_the_layout_is_a_toolkits(toolkit):
    for part in ("lib64/libascendcl.so", "lib64/libopapi.so", "runtime", "compiler", "opp", "version.info"):
        assert (toolkit / part).exists(), part


def test_its_version_is_the_one_it_was_built_with(toolkit, root):
    from torch_npu import versions

    assert versions.cann_version_of(toolkit) == (root / "cmake" / "cann_version.txt").read_text().strip()


def test_an_ascendcl_program_builds_and_runs(toolkit, tmp_path, build_dir):
    (tmp_path / "add.c").write_text(PROGRAM)
    # In a development tree the headers stand where they are written, not in the package.
    includes = [toolkit / "include"] if (toolkit / "include" / "acl").exists() else []
    includes = includes or [toolkit.parent.parent / "include", build_dir / "generated" / "include"]
    lib = toolkit / "lib64"
    command = ["gcc", "-std=c11", "-Wall", "-Werror", "add.c", "-o", "add", *(f"-I{folder}" for folder in includes)]
    done = subprocess.run([*command, f"-L{lib}", "-lascendcl", "-lopapi"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    environment = {**os.environ, "LD_LIBRARY_PATH": str(lib)}
    ran = subprocess.run([tmp_path / "add"], env=environment, capture_output=True, text=True)
    assert (ran.stdout, ran.returncode) == ("21 42 63 84\n", 0), ran.stdout + ran.stderr
