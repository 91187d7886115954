#include "harness/devices/cuda/shared_library.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <span>
#include <string>

namespace warpbound::harness::cuda {

Result<SharedLibrary> SharedLibrary::open(const char* variable,
                                          std::span<const char* const> names) {
    const char* const chosen = std::getenv(variable);
    if (chosen != nullptr && *chosen != '\0') names = {&chosen, 1};
    std::string why;
    for (const char* name : names) {
        SharedLibrary library;
        library.name_ = name;
        library.library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library.library_ != nullptr) return library;
        const char* const text = dlerror();
        const std::string reason = text != nullptr ? text : "cannot be loaded";
        // One that is there, but lacks another library, is the one to name.
        if (why.empty() || !reason.starts_with(name)) why = reason;
    }
    return Failure{why, ""};
}

void* SharedLibrary::symbol_of(const std::string& symbol) const {
    return dlsym(library_, symbol.c_str());
}

} // namespace warpbound::harness::cuda
