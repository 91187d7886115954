#pragma once
/// \file
/// Inputs of an executed launch, as the user describes them, and outputs compared with a reference.

#include "assembly/support/result.hpp"
#include "harness/execution/device_memory.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace warpbound::harness::execution {

/// Help text of the forms that `read_buffer` reads.
inline constexpr const char* buffer_forms =
    "buffer:TYPE:SIZES:zero, :iota, :constant=V, :random[,seed=N][,from=A][,to=B] or :file=PATH "
    "(types u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64; sizes as 1024x1024), or file:PATH";

/// Whether the text describes a buffer rather than a number.
bool is_buffer_form(std::string_view text);
/// The buffer that the text describes. Random numbers lie in [0, 1), integers are any of the type;
/// `from` and `to` (inclusive for integers) restrict them. Refuses other forms, sizes beyond
/// 2^32 bytes, and files that are missing or shorter than the buffer.
Result<Buffer> read_buffer(const std::string& name, std::string_view text);
/// Refuses a text whose form `read_buffer` refuses. Opens no file and makes no values.
Result<void> check_buffer_form(const std::string& name, std::string_view text);

/// The bits of a number of so many bytes, as text of a whole number: 512, -1, 0x10, 1.5, f32:2,
/// f64:0.1, f16:1. Nothing: it is no number of this size. `Unit:` bytes.
std::optional<std::string> scalar_text(std::string_view text, std::int64_t bytes);

/// The i-th element, as text.
std::string element_text(const Buffer& buffer, std::size_t i);

/// Why the buffer differs from the reference: another size, or the first element that differs by
/// more than `tolerance` x max(1, |reference|). Nothing: it does not.
std::optional<std::string> difference(const Buffer& buffer, const std::string& reference,
                                      double tolerance);

} // namespace warpbound::harness::execution
