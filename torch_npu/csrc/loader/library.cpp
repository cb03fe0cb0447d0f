// Which CANN: TORCH_NPU_CANN=embedded or a folder wins; else a real CANN under ASCEND_HOME_PATH; else one on the
// library path; else the embedded one. libascendcl is opened first and globally, so that a library path cannot mix two
// CANNs.
#include "torch_npu/csrc/loader/library.h"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <sstream>
#include <vector>

#include <c10/util/Exception.h>

namespace torch_npu {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 5> kFileNames = {"libascendcl.so", "libopapi.so", "libacl_op_compiler.so",
                                                   "libge_runner.so", "libhccl.so"};

const char* file_name(Library library) { return kFileNames[static_cast<size_t>(library)]; }

// libtorch_npu.so stands in torch_npu/lib, the embedded CANN in torch_npu/cann.
fs::path embedded_root() {
  Dl_info info{};
  dladdr(reinterpret_cast<void*>(&embedded_root), &info);
  return fs::absolute(info.dli_fname).parent_path().parent_path() / "cann";
}

std::optional<fs::path> lib_dir_of(const fs::path& root) {
  std::error_code ignored;
  for (const char* sub : {"lib64", "runtime/lib64", "x86_64-linux/lib64", "aarch64-linux/lib64", "."}) {
    const fs::path dir = root / sub;
    if (fs::exists(dir / "libascendcl.so", ignored)) return dir.lexically_normal();
  }
  return std::nullopt;
}

const char* environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

// The toolkit that LD_LIBRARY_PATH leads to: the folder that holds the lib64 with libascendcl.so.
std::optional<fs::path> root_on_library_path() {
  const char* path = environment("LD_LIBRARY_PATH");
  std::istringstream entries(path != nullptr ? path : "");
  std::error_code ignored;
  for (std::string entry; std::getline(entries, entry, ':');) {
    if (entry.empty() || !fs::exists(fs::path(entry) / "libascendcl.so", ignored)) continue;
    const fs::path dir = fs::weakly_canonical(entry, ignored);
    return lib_dir_of(dir.parent_path()) ? dir.parent_path() : dir;
  }
  return std::nullopt;
}

struct Cann {
  CannLocation location;
  std::string error;  // why there is none
  void* ascendcl = nullptr;
};

void locate(Cann& cann) {
  const fs::path embedded = embedded_root();
  fs::path root = embedded;
  cann.location.chosen_by = "default";
  if (const char* choice = environment("TORCH_NPU_CANN")) {
    cann.location.chosen_by = "TORCH_NPU_CANN";
    if (std::string(choice) != "embedded") root = choice;
  } else if (const char* home = environment("ASCEND_HOME_PATH"); home != nullptr && lib_dir_of(home)) {
    cann.location.chosen_by = "ASCEND_HOME_PATH";
    root = home;
  } else if (const auto found = root_on_library_path()) {
    cann.location.chosen_by = "LD_LIBRARY_PATH";
    root = *found;
  }
  std::error_code ignored;
  cann.location.embedded = fs::equivalent(root, embedded, ignored);
  cann.location.root = root.string();
  if (auto dir = lib_dir_of(root)) {
    cann.location.lib_dir = dir->string();
    return;
  }
  if (root.filename() == root && !fs::exists(root, ignored)) {
    cann.error = "TORCH_NPU_CANN='" + root.string() +
                 "': needs embedded, or the folder of a CANN toolkit such as /usr/local/Ascend/ascend-toolkit/latest";
    return;
  }
  cann.error =
      root == embedded
          ? "the embedded CANN is missing: there is no libascendcl.so in " + (embedded / "lib64").string() +
                ". The installation of torch_npu is incomplete: reinstall it (pip install --force-reinstall torch_npu)."
          : "TORCH_NPU_CANN=" + root.string() + " holds no CANN: there is no lib64/libascendcl.so in it. " +
                "Give a CANN toolkit folder, or TORCH_NPU_CANN=embedded.";
}

Cann open_cann() {
  Cann cann;
  locate(cann);
  if (!cann.error.empty()) return cann;
  const std::string path = cann.location.lib_dir + "/libascendcl.so";
  cann.ascendcl = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (cann.ascendcl == nullptr) {
    cann.error =
        path + " cannot be opened: " + dlerror() +
        (cann.location.embedded
             ? ". The installation of torch_npu is broken: reinstall it (pip install --force-reinstall torch_npu)."
             : ". Check that CANN is installed completely and its set_env.sh was sourced, or set "
               "TORCH_NPU_CANN=embedded.");
  }
  return cann;
}

const Cann& cann() {
  static const Cann instance = open_cann();
  return instance;
}

struct Opened {
  std::once_flag once;
  void* handle = nullptr;
  std::vector<void*> parts;  // newer CANNs keep the operators of each domain in a libopapi_<domain>.so
  std::string error;
};

std::vector<void*> open_parts(const fs::path& lib_dir) {
  std::vector<void*> parts;
  std::error_code ignored;
  for (const auto& file : fs::directory_iterator(lib_dir, ignored)) {
    const std::string name = file.path().filename().string();
    if (name.rfind("libopapi_", 0) != 0 || file.path().extension() != ".so") continue;
    if (void* part = dlopen(file.path().c_str(), RTLD_NOW | RTLD_GLOBAL)) parts.push_back(part);
  }
  return parts;
}

Opened& open_library(Library library) {
  static auto& opened = *new std::array<Opened, kFileNames.size()>();  // never destroyed: used by exit handlers
  Opened& entry = opened[static_cast<size_t>(library)];
  std::call_once(entry.once, [&] {
    const Cann& base = cann();
    entry.error = base.error;
    if (base.ascendcl == nullptr) return;
    const std::string path = base.location.lib_dir + "/" + file_name(library);
    entry.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (entry.handle == nullptr) entry.error = path + " cannot be opened: " + dlerror();
    if (library == Library::Opapi) entry.parts = open_parts(base.location.lib_dir);
  });
  return entry;
}

}  // namespace

void* find_function(Library library, const char* name) noexcept {
  const Opened& opened = open_library(library);
  void* address = opened.handle == nullptr ? nullptr : dlsym(opened.handle, name);
  for (size_t i = 0; address == nullptr && i < opened.parts.size(); ++i) address = dlsym(opened.parts[i], name);
  return address;
}

void throw_missing(Library library, const char* name) {
  const Opened& opened = open_library(library);
  TORCH_CHECK(opened.handle != nullptr, "torch_npu: ", opened.error);
  TORCH_CHECK(false, "torch_npu: ", name, " not in ", file_name(library), ": the CANN in ", cann().location.root,
              " does not have this function. Install a CANN that has it, or set TORCH_NPU_CANN=embedded.");
}

std::pair<CannLocation, std::string> find_cann() {
  Cann found;
  locate(found);
  return {found.location, found.error};
}

const CannLocation& cann_location() {
  TORCH_CHECK(cann().error.empty(), "torch_npu: ", cann().error);
  return cann().location;
}

}  // namespace torch_npu
