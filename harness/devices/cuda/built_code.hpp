#pragma once
/// \file
/// PTX compiled by the driver, with the machine code in hand.

#include "harness/devices/cuda/session.hpp"

#include <string>

namespace warpbound::harness::cuda {

/// Machine code with one kernel, loaded. Requires: the session is busy with the caller, also at its
/// end.
class BuiltCode {
public:
    /// Refuses PTX that the driver's compiler refuses, with its log, and an entry that is not
    /// there.
    static Result<BuiltCode> build(std::shared_ptr<Session> session, const std::string& ptx,
                                   const std::string& entry);
    BuiltCode(BuiltCode&& other) noexcept;
    BuiltCode& operator=(BuiltCode&&) = delete;
    BuiltCode(const BuiltCode&) = delete;
    BuiltCode& operator=(const BuiltCode&) = delete;
    ~BuiltCode();

    [[nodiscard]] Function function() const { return function_; }
    /// The cubin that runs.
    [[nodiscard]] const std::string& image() const { return image_; }
    /// Nothing: the driver does not say.
    [[nodiscard]] std::optional<int> attribute(FunctionAttribute attribute) const;

private:
    BuiltCode() = default;

    std::shared_ptr<Session> session_;
    std::string image_;
    Module module_ = nullptr;
    Function function_ = nullptr;
};

} // namespace warpbound::harness::cuda
