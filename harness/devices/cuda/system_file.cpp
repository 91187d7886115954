#include "harness/devices/cuda/system_file.hpp"

#include "assembly/support/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace warpbound::harness::cuda {

std::optional<std::string> first_line(const std::filesystem::path& file) {
    constexpr std::size_t most = 4096;
    auto source = assembly::read_source(file, most);
    if (!source) return std::nullopt;
    std::string text = std::move(source.value().text);
    text.resize(std::min(text.find('\n'), text.size()));
    std::erase(text, '\0');
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0)
        text.pop_back();
    if (text.empty()) return std::nullopt;
    return text;
}

std::optional<std::int64_t> number_in(const std::filesystem::path& file) {
    const auto text = first_line(file);
    if (!text) return std::nullopt;
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return number;
}

std::optional<std::string> frequency_text(std::optional<std::int64_t> hertz) {
    if (!hertz || *hertz <= 0) return std::nullopt;
    return fmt::format("{} MHz", static_cast<double>(*hertz) / 1e6);
}

} // namespace warpbound::harness::cuda
