#pragma once
/// \file
/// Text of an input, read with a size limit, and its name.

#include "assembly/support/result.hpp"

#include <cstddef>
#include <string>

namespace warpbound::assembly {

/// No reader takes a larger input: 64 MiB.
inline constexpr std::size_t source_size_limit = std::size_t{64} << 20U;

/// An input as it was given. `name` is used in messages only.
struct SourceText {
    std::string name;
    std::string text;
};

/// Reads a file, or standard input when `path` is "-". Refuses a missing file, a folder and more
/// than `limit` bytes.
Result<SourceText> read_source(const std::string& path, std::size_t limit = source_size_limit);

/// SHA-256 of the bytes, written `sha256:<64 hexadecimal digits>`.
std::string digest_of(const std::string& bytes);

} // namespace warpbound::assembly
