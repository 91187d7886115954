#pragma once
/// \file
/// A shared library that is loaded at run time.

#include "assembly/support/result.hpp"

#include <span>
#include <string>

namespace warpbound::harness::cuda {

/// It stays loaded until the program ends, because drivers do not survive being unloaded.
class SharedLibrary {
public:
    /// The first of the names that can be loaded. `variable`: of the environment; where it is set,
    /// its value is loaded instead. Refuses what cannot be loaded, with the loader's message.
    static Result<SharedLibrary> open(const char* variable, std::span<const char* const> names);

    /// Sets a function pointer. Returns false where the library has no such symbol.
    template <typename Pointer> bool find(const std::string& symbol, Pointer& function) const {
        function = reinterpret_cast<Pointer>(symbol_of(symbol));
        return function != nullptr;
    }
    /// The requested name.
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    [[nodiscard]] void* symbol_of(const std::string& symbol) const;

    std::string name_;
    void* library_ = nullptr;
};

} // namespace warpbound::harness::cuda
