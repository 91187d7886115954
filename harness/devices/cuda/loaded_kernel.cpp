#include "harness/devices/cuda/loaded_kernel.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <utility>

namespace warpbound::harness::cuda {

Result<LoadedCode> LoadedCode::load(std::shared_ptr<Session> session, const std::string& image,
                                    const std::string& entry) {
    LoadedCode code;
    Status status = session->call().ModuleLoadData(&code.module_, image.data());
    if (status != Status::Success) return session->failure(status, "cuModuleLoadData");
    code.session_ = std::move(session);
    status = code.session_->call().ModuleGetFunction(&code.function_, code.module_, entry.c_str());
    if (status != Status::Success) return code.session_->failure(status, "cuModuleGetFunction");
    return code;
}

LoadedCode::LoadedCode(LoadedCode&& other) noexcept
    : session_{std::move(other.session_)}, module_{other.module_}, function_{other.function_} {}

LoadedCode& LoadedCode::operator=(LoadedCode&& other) noexcept {
    std::swap(session_, other.session_);
    std::swap(module_, other.module_);
    std::swap(function_, other.function_);
    return *this;
}

LoadedCode::~LoadedCode() {
    if (session_ && !session_->lost()) session_->call().ModuleUnload(module_);
}

Result<LoadedKernel> LoadedKernel::load(std::shared_ptr<Session> session, UserKernel kernel) {
    LoadedKernel loaded{std::move(session), std::move(kernel)};
    if (auto code = loaded.reload(); !code) return code.as_failure();
    for (const UserBuffer& input : loaded.kernel_.buffers) {
        auto buffer = Buffer::make(loaded.session_, static_cast<std::int64_t>(input.bytes.size()));
        if (!buffer) return buffer.as_failure();
        const Address address = buffer.value().address();
        if (address % buffer_alignment != 0)
            return Failure{fmt::format("the driver gave memory at {:#x}; expected a multiple of {}",
                                       address, buffer_alignment),
                           loaded.session_->name()};
        std::memcpy(loaded.kernel_.parameters.data() + input.parameter, &address, sizeof(address));
        loaded.buffers_.push_back(std::move(buffer).value());
    }
    return loaded;
}

Result<void> LoadedKernel::reload() {
    auto code = LoadedCode::load(session_, kernel_.image, kernel_.name);
    if (!code) return code.as_failure();
    code_.reset();
    code_.emplace(std::move(code).value());
    return set_shared_memory();
}

Result<void> LoadedKernel::set_shared_memory() const {
    // The HIP runtime gives a launch what its block takes, up to the limit of the device.
    if (kernel_.dynamic_shared_memory == 0 || session_->is_amd())
        return boost::outcome_v2::success();
    const Status status = session_->call().FuncSetAttribute(
        code_->function(), FunctionAttribute::MaxDynamicSharedSizeBytes,
        static_cast<int>(kernel_.dynamic_shared_memory));
    if (status == Status::Success) return boost::outcome_v2::success();
    Failure why = session_->failure(status, "cuFuncSetAttribute");
    why.what += fmt::format(" ({} bytes of dynamic shared memory)", kernel_.dynamic_shared_memory);
    return why;
}

Status LoadedKernel::launch(Stream stream) {
    std::size_t size = kernel_.parameters.size();
    std::array<void*, 5> packed{launch_parameters, kernel_.parameters.data(),
                                launch_parameters_size, &size,
                                session_->driver().launch_parameters_end()};
    const auto count = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
    return session_->call().LaunchKernel(
        code_->function(), count(kernel_.grid[0]), count(kernel_.grid[1]), count(kernel_.grid[2]),
        count(kernel_.block[0]), count(kernel_.block[1]), count(kernel_.block[2]),
        count(kernel_.dynamic_shared_memory), stream, nullptr, size == 0 ? nullptr : packed.data());
}

Status LoadedKernel::restore() const {
    for (std::size_t i = 0; i < buffers_.size(); ++i)
        if (!kernel_.buffers[i].bytes.empty())
            if (const Status status = buffers_[i].write(kernel_.buffers[i].bytes.data());
                status != Status::Success)
                return status;
    return Status::Success;
}

} // namespace warpbound::harness::cuda
