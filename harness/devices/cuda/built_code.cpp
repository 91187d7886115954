#include "harness/devices/cuda/built_code.hpp"

#include "harness/toolchain/amd_assembler.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace warpbound::harness::cuda {

namespace {

constexpr std::size_t log_bytes = 4096;

/// The first non-empty line of a compiler's log.
std::string first_line(const char* log) {
    const std::string text{log};
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string::npos) return "";
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
}

/// Links one PTX text; the destructor frees the driver's link state.
class Link {
public:
    explicit Link(Session& session) : session_{session} {}
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() {
        if (state_ != nullptr && !session_.lost()) session_.call().LinkDestroy(state_);
    }

    Result<std::string> image_of(const std::string& ptx) {
        std::array<LinkOption, 2> options{LinkOption::ErrorLogBuffer,
                                          LinkOption::ErrorLogBufferSizeBytes};
        Status status = session_.call().LinkCreate_v2(static_cast<unsigned>(options.size()),
                                                      options.data(), values_.data(), &state_);
        if (status != Status::Success) return refused(status, "cuLinkCreate_v2");
        std::string text = ptx; // The driver takes a mutable text with its terminating zero.
        status =
            session_.call().LinkAddData_v2(state_, LinkInput::Ptx, text.data(), text.size() + 1,
                                           "microbenchmark", 0, nullptr, nullptr);
        if (status != Status::Success) return refused(status, "cuLinkAddData_v2");
        void* image = nullptr;
        std::size_t size = 0;
        status = session_.call().LinkComplete(state_, &image, &size);
        if (status != Status::Success) return refused(status, "cuLinkComplete");
        return std::string{static_cast<const char*>(image), size};
    }

private:
    Failure refused(Status status, const char* call) {
        Failure why{fmt::format("the PTX was not compiled: {} failed: {}", call,
                                session_.driver().message(status)),
                    session_.name()};
        if (const std::string line = first_line(errors_.data()); !line.empty())
            why.what += fmt::format(" ({})", line);
        return why;
    }

    Session& session_;
    LinkState state_ = nullptr;
    std::array<char, log_bytes> errors_{};
    /// Numbers are passed in the pointer array. Until the link is destroyed the driver writes into
    /// the log, and overwrites the size with the log's length (CUDA Driver API, cuLinkCreate).
    std::array<void*, 2> values_{errors_.data(), reinterpret_cast<void*>(log_bytes - 1)};
};

} // namespace

Result<BuiltCode> BuiltCode::build(std::shared_ptr<Session> session, const std::string& text,
                                   const std::string& entry) {
    if (session->lost()) return Failure{"the device is lost: " + *session->lost(), session->name()};
    Link link{*session};
    auto image = session->is_amd() ? toolchain::assemble_amd(text, session->device().target)
                                   : link.image_of(text);
    if (!image) return image.as_failure();
    BuiltCode built;
    built.image_ = std::move(image).value();
    Status status = session->call().ModuleLoadData(&built.module_, built.image_.data());
    if (status != Status::Success) return session->failure(status, "cuModuleLoadData");
    built.session_ = std::move(session);
    status =
        built.session_->call().ModuleGetFunction(&built.function_, built.module_, entry.c_str());
    if (status != Status::Success) return built.session_->failure(status, "cuModuleGetFunction");
    return built;
}

BuiltCode::BuiltCode(BuiltCode&& other) noexcept
    : session_{std::move(other.session_)}, image_{std::move(other.image_)}, module_{other.module_},
      function_{other.function_} {}

BuiltCode::~BuiltCode() {
    if (session_ && !session_->lost()) session_->call().ModuleUnload(module_);
}

std::optional<int> BuiltCode::attribute(FunctionAttribute attribute) const {
    int value = 0;
    if (session_->call().FuncGetAttribute(&value, attribute, function_) != Status::Success)
        return std::nullopt;
    return value;
}

} // namespace warpbound::harness::cuda
