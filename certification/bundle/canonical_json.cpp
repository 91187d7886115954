#include "certification/bundle/canonical_json.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace warpbound::certification {

namespace {

bool has_fraction(const Json& json) {
    if (json.is_number_float()) return true;
    if (!json.is_structured()) return false;
    for (const auto& part : json)
        if (has_fraction(part)) return true;
    return false;
}

} // namespace

std::string canonical(const Json& json) {
    if (has_fraction(json))
        throw std::logic_error{
            "a number in evidence is not an integer: its text would not be unique"};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text(const Json& json, const char* key) {
    return json.at(key).get<std::string>();
}

std::string number(const Json& json, const char* key) {
    return std::to_string(json.at(key).get<std::int64_t>());
}

Result<Json> read_json(const std::string& text, const std::string& path) {
    constexpr int deepest = 32;
    const auto limit = [&](int depth, Json::parse_event_t, Json&) {
        if (depth > deepest) throw Failure{"nested too deeply", path};
        return true;
    };
    try {
        return Json::parse(text, limit);
    } catch (const Json::exception& error) {
        return Failure{error.what(), path};
    } catch (const Failure& failure) {
        return failure;
    }
}

} // namespace warpbound::certification
