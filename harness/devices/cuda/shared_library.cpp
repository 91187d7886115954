#include "harness/devices/cuda/shared_library.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace warpbound::harness::cuda {

Result<SharedLibrary> SharedLibrary::open(const char* variable, const char* name) {
    SharedLibrary library;
    const char* chosen = std::getenv(variable);
    library.name_ = chosen != nullptr && *chosen != '\0' ? chosen : name;
    library.library_ = dlopen(library.name_.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.library_ == nullptr) {
        const char* why = dlerror();
        return Failure{why != nullptr ? why : "cannot be loaded", ""};
    }
    return library;
}

void* SharedLibrary::symbol_of(const std::string& symbol) const {
    return dlsym(library_, symbol.c_str());
}

} // namespace warpbound::harness::cuda
