#pragma once
/// \file
/// Arguments of a kernel as the user states them with --arg: by name, index or offset.

#include "assembly/binary/cubin.hpp"
#include "models/launch/argument_words.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::cli {

/// Help text of --arg.
inline constexpr const char* arguments_help =
    "Argument of the kernel: NAME=VALUE, INDEX=VALUE (from 0), or OFFSET=VALUE of a word of "
    "constant "
    "bank 0, as in 0x160=512; a floating-point number has its type, as f32:1.5; multiple:N in "
    "place of a value (an aligned pointer), or "
    "disjoint:N (an aligned pointer to a buffer that overlaps no other such one; a buffer with "
    "data, buffer:f32:1024:zero as for `simulate --execute`, is disjoint:256); may be repeated. "
    "Facts derived from it are marked unchecked";

/// Adds the words that these arguments are. `parameters`: the kernel's; none: not known, then only
/// offsets are accepted. Refuses an unknown parameter with those that there are, a value that does
/// not fit its size, and one that is stated twice.
Result<void>
add_arguments_to(models::ArgumentWords& words, const std::vector<std::string>& arguments,
                 const std::optional<std::vector<assembly::KernelParameterLayout>>& parameters);

/// The parameter with this index or name; null: there is none.
const assembly::KernelParameterLayout*
find_parameter(const std::vector<assembly::KernelParameterLayout>& parameters,
               std::string_view key);

/// "0: data, 8 bytes at 0x160; 1: n, 4 bytes at 0x168".
std::string parameter_list(const std::vector<assembly::KernelParameterLayout>& parameters);

/// How --arg names the parameter at an offset in constant bank 0: its name, its index, or the
/// offset where no parameter lies.
std::string parameter_key(const std::vector<assembly::KernelParameterLayout>& parameters,
                          std::int64_t offset);

} // namespace warpbound::cli
