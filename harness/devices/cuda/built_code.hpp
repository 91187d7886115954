#pragma once
/// \file
/// Generated code, compiled by the driver (PTX) or assembled (of AMD), with its machine code.

#include "harness/devices/cuda/session.hpp"

#include <string>

namespace warpbound::harness::cuda {

/// Loaded machine code with one kernel. Requires: the caller holds the session lock, also during
/// destruction.
class BuiltCode {
public:
    /// `text`: PTX, or assembly on a card of AMD. Refuses what the driver's compiler or the
    /// assembler refuses, with its log, and a missing entry.
    static Result<BuiltCode> build(std::shared_ptr<Session> session, const std::string& text,
                                   const std::string& entry);
    BuiltCode(BuiltCode&& other) noexcept;
    BuiltCode& operator=(BuiltCode&&) = delete;
    BuiltCode(const BuiltCode&) = delete;
    BuiltCode& operator=(const BuiltCode&) = delete;
    ~BuiltCode();

    [[nodiscard]] Function function() const { return function_; }
    /// The executed cubin or code object.
    [[nodiscard]] const std::string& image() const { return image_; }
    /// Empty: the driver does not report it.
    [[nodiscard]] std::optional<int> attribute(FunctionAttribute attribute) const;

private:
    BuiltCode() = default;

    std::shared_ptr<Session> session_;
    std::string image_;
    Module module_ = nullptr;
    Function function_ = nullptr;
};

} // namespace warpbound::harness::cuda
