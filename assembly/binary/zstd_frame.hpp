#pragma once
/// \file
/// One frame of Zstandard, with the dictionary that it was packed with.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace warpbound::assembly {

/// Unpacks frames that share a dictionary.
/// Source: RFC 8878 (Zstandard).
class ZstdFrames {
public:
    /// `dictionary` may be empty.
    explicit ZstdFrames(std::string_view dictionary);
    ~ZstdFrames();
    ZstdFrames(const ZstdFrames&) = delete;
    ZstdFrames& operator=(const ZstdFrames&) = delete;

    /// The contents of one frame that states its size. Refuses damage, another dictionary, a frame
    /// that states no size, and more than `limit` bytes.
    Result<std::string> unpack(std::string_view frame, std::size_t limit);

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace warpbound::assembly
