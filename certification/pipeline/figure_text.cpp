#include "certification/pipeline/figure_text.hpp"

#include <algorithm>

namespace warpbound::certification {

std::string shortened(const std::string& text, std::size_t letters) {
    const auto begins_letter = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; // UTF-8: no continuation.
    };
    const auto count =
        static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_letter));
    if (count <= letters) return text;
    const std::size_t kept = letters < 2 ? 0 : letters - 2;
    std::size_t seen = 0;
    std::size_t end = 0;
    for (; end < text.size(); ++end)
        if (begins_letter(text[end]) && ++seen > kept) break;
    return text.substr(0, end) + "..";
}

} // namespace warpbound::certification
