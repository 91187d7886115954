#pragma once
/// \file
/// A user's kernel in the memory of a card: its code, its buffers and its launch.

#include "harness/devices/cuda/session.hpp"
#include "harness/user_kernel.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::cuda {

/// Machine code in the memory of a card, which the driver loaded. Requires: the caller holds the
/// session lock, also during destruction.
class LoadedCode {
public:
    static Result<LoadedCode> load(std::shared_ptr<Session> session, const std::string& image,
                                   const std::string& entry);
    LoadedCode(LoadedCode&& other) noexcept;
    LoadedCode& operator=(LoadedCode&& other) noexcept;
    LoadedCode(const LoadedCode&) = delete;
    LoadedCode& operator=(const LoadedCode&) = delete;
    ~LoadedCode();
    [[nodiscard]] Function function() const { return function_; }

private:
    LoadedCode() = default;

    std::shared_ptr<Session> session_;
    Module module_ = nullptr;
    Function function_ = nullptr;
};

/// Requires: as for `LoadedCode`.
class LoadedKernel {
public:
    /// Refuses code that the driver refuses, buffers that do not fit, and a block that has more
    /// shared memory than the card allows.
    static Result<LoadedKernel> load(std::shared_ptr<Session> session, UserKernel kernel);

    /// Loads the code anew.
    Result<void> reload();
    /// Issues a launch.
    Status launch(Stream stream);
    /// Writes the inputs.
    [[nodiscard]] Status restore() const;
    [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

private:
    LoadedKernel(std::shared_ptr<Session> session, UserKernel kernel)
        : session_{std::move(session)}, kernel_{std::move(kernel)} {}
    [[nodiscard]] Result<void> set_shared_memory() const;

    std::shared_ptr<Session> session_;
    UserKernel kernel_;
    std::optional<LoadedCode> code_;
    std::vector<Buffer> buffers_;
};

} // namespace warpbound::harness::cuda
