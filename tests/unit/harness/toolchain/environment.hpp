#pragma once
/// \file
/// Environment variables that are set for the duration of a test.

#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

namespace warpbound::harness::toolchain {

class Variable {
public:
    Variable(std::string name, const std::string& value) : name_{std::move(name)} {
        if (const char* before = std::getenv(name_.c_str())) before_ = before;
        setenv(name_.c_str(), value.c_str(), 1);
    }
    ~Variable() {
        if (before_)
            setenv(name_.c_str(), before_->c_str(), 1);
        else
            unsetenv(name_.c_str());
    }
    Variable(const Variable&) = delete;
    Variable& operator=(const Variable&) = delete;

private:
    std::string name_;
    std::optional<std::string> before_;
};

inline std::string binary_path(const std::string& name) {
    return std::string{WARPBOUND_TEST_BINARIES} + "/" + name;
}

} // namespace warpbound::harness::toolchain
