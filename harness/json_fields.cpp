#include "harness/json_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warpbound::harness {

namespace {

const nlohmann::json& nothing() {
    static const nlohmann::json null;
    return null;
}

} // namespace

Result<nlohmann::json> parse_json(const assembly::SourceText& source) {
    try {
        return nlohmann::json::parse(source.text);
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t at =
            std::min(std::max<std::size_t>(error.byte, 1) - 1, source.text.size());
        const std::string_view before = std::string_view{source.text}.substr(0, at);
        const auto line = std::count(before.begin(), before.end(), '\n');
        const std::size_t begin = before.rfind('\n');
        const std::size_t column = begin == std::string_view::npos ? at : at - begin - 1;
        return Failure{"this is no JSON, or not all of it", source.name,
                       static_cast<std::int64_t>(line) + 1, static_cast<std::int64_t>(column) + 1};
    }
}

bool JsonField::is_array() const {
    return value_->is_array();
}

bool JsonField::is_object() const {
    return value_->is_object();
}

bool JsonField::is_null() const {
    return value_->is_null();
}

bool JsonField::has(std::string_view key) const {
    return value_->is_object() && value_->contains(key);
}

JsonField JsonField::member(std::string_view key) const {
    JsonField found{nothing(), fmt::format("{}/{}", path_, key), *failure_};
    if (has(key))
        found.value_ = &value_->at(std::string{key});
    else
        found.fail("is missing");
    return found;
}

JsonField JsonField::item(std::size_t index) const {
    JsonField found{nothing(), fmt::format("{}/{}", path_, index), *failure_};
    if (value_->is_array() && index < value_->size())
        found.value_ = &value_->at(index);
    else
        found.fail("is missing");
    return found;
}

std::size_t JsonField::size() const {
    if (value_->is_array()) return value_->size();
    fail("expected an array");
    return 0;
}

std::int64_t JsonField::integer(std::int64_t least, std::int64_t most) const {
    const bool fits = value_->is_number_integer() &&
                      (!value_->is_number_unsigned() ||
                       value_->get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX));
    const std::int64_t read = fits ? value_->get<std::int64_t>() : least;
    if (!fits || read < least || read > most)
        fail(fmt::format("expected a whole number from {} to {}", least, most));
    return std::clamp(read, least, most);
}

double JsonField::number() const {
    if (value_->is_number() && std::isfinite(value_->get<double>())) return value_->get<double>();
    fail("expected a number");
    return 0;
}

std::string JsonField::text() const {
    if (value_->is_string()) return value_->get<std::string>();
    fail("expected a text");
    return {};
}

bool JsonField::boolean() const {
    if (value_->is_boolean()) return value_->get<bool>();
    fail("expected true or false");
    return false;
}

void JsonField::fail(std::string what) const {
    if (!*failure_) *failure_ = Failure{fmt::format("{}: {}", path_.empty() ? "/" : path_, what)};
}

} // namespace warpbound::harness
