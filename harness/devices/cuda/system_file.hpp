#pragma once
/// \file
/// Small files in which an operating system tells its state.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace warpbound::harness::cuda {

/// The first line of a file of at most 4096 bytes, without zeros, and blanks at its end; none: it
/// cannot be read, or it is empty.
std::optional<std::string> first_line(const std::filesystem::path& file);
/// None: the first line is no number.
std::optional<std::int64_t> number_in(const std::filesystem::path& file);
/// "1300.5 MHz"; none for what is no frequency.
std::optional<std::string> frequency_text(std::optional<std::int64_t> hertz);

} // namespace warpbound::harness::cuda
