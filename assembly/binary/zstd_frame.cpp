#include "assembly/binary/zstd_frame.hpp"

#include <fmt/format.h>

#include <zstd.h>

namespace warpbound::assembly {

struct ZstdFrames::State {
    struct Free {
        void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
        void operator()(ZSTD_DDict* dictionary) const { ZSTD_freeDDict(dictionary); }
    };
    std::unique_ptr<ZSTD_DCtx, Free> context{ZSTD_createDCtx()};
    std::unique_ptr<ZSTD_DDict, Free> dictionary;
};

ZstdFrames::ZstdFrames(std::string_view dictionary) : state_{std::make_unique<State>()} {
    if (!dictionary.empty())
        state_->dictionary.reset(ZSTD_createDDict(dictionary.data(), dictionary.size()));
}
ZstdFrames::~ZstdFrames() = default;

Result<std::string> ZstdFrames::unpack(std::string_view frame, std::size_t limit) {
    const unsigned long long size = ZSTD_getFrameContentSize(frame.data(), frame.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN)
        return Failure{"damaged zstd data; expected a frame that states its size"};
    if (size > limit) return Failure{fmt::format("holds more than the limit of {} bytes", limit)};
    std::string out(static_cast<std::size_t>(size), '\0');
    const std::size_t got =
        state_->dictionary
            ? ZSTD_decompress_usingDDict(state_->context.get(), out.data(), out.size(),
                                         frame.data(), frame.size(), state_->dictionary.get())
            : ZSTD_decompressDCtx(state_->context.get(), out.data(), out.size(), frame.data(),
                                  frame.size());
    if (ZSTD_isError(got) != 0U || got != out.size())
        return Failure{fmt::format("damaged zstd data: {}", ZSTD_isError(got) != 0U
                                                                ? ZSTD_getErrorName(got)
                                                                : "it ends too early")};
    return out;
}

} // namespace warpbound::assembly
