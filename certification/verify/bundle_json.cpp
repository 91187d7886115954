#include "certification/verify/bundle_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification::verify {

using nlohmann::json;

json read_json(const std::string& text, const std::string& path, Verdict otherwise) {
    constexpr int deepest = 32;
    const auto limit = [&](int depth, json::parse_event_t, json&) {
        if (depth > deepest) throw Finding{otherwise, path + ": nested too deeply"};
        return true;
    };
    try {
        return json::parse(text, limit);
    } catch (const json::exception& error) {
        throw Finding{otherwise, path + ": " + error.what()};
    }
}

std::int64_t whole_number(const json& value) {
    constexpr auto largest = static_cast<std::uint64_t>(largest_number);
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= largest
                                                 : value.is_number_integer() &&
                                                       value.get<std::int64_t>() >= -largest_number;
    if (!fits)
        incomplete("'" + value.dump().substr(0, 40) +
                   "': a whole number within +-2^62 was expected");
    return value.get<std::int64_t>();
}

std::size_t index_of(const json& value) {
    const std::int64_t number = whole_number(value);
    if (number < 0) incomplete("'" + std::to_string(number) + "': a place in a list was expected");
    return static_cast<std::size_t>(number);
}

std::string line_text(const json& value, const std::string& what) {
    auto text = value.get<std::string>();
    if (std::any_of(text.begin(), text.end(),
                    [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
        incomplete(what + ": a control character");
    return text;
}

} // namespace warpbound::certification::verify
