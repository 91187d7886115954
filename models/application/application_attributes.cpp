#include "models/application/application_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::models::application {

Result<std::string> ApplicationReader::new_name(const XmlElement& element) {
    const std::string& name = *element.find("name");
    if (name.empty()) return refuse(element, "'name' is empty; expected a name");
    if (!names_.insert(name).second)
        return refuse(element, fmt::format("a second '{}'; expected names that differ", name));
    return name;
}

Result<void> ApplicationReader::check_names(const XmlElement& element, std::string_view attribute,
                                            const std::vector<std::string>& names) const {
    for (const std::string& name : names)
        if (std::ranges::find(variables_, name) == variables_.end()) {
            const std::vector<std::string_view> known{variables_.begin(), variables_.end()};
            return refuse(element,
                          fmt::format("'{}': there is no '{}' here; expected {}", attribute, name,
                                      known.empty() ? "a number: no <parameter> is "
                                                      "declared before"
                                                    : one_of(known)));
        }
    return boost::outcome_v2::success();
}

Result<Expression> ApplicationReader::expression(const XmlElement& element,
                                                 std::string_view attribute,
                                                 std::optional<std::int64_t> missing) const {
    const std::string* const text = element.find(attribute);
    if (text == nullptr) return Expression::constant(missing.value_or(0));
    auto read = Expression::parse(*text);
    if (!read)
        return refuse(element,
                      fmt::format("'{}' is \"{}\": {}", attribute, *text, read.error().what));
    if (const auto known = check_names(element, attribute, read.value().names()); !known)
        return known.as_failure();
    return read;
}

Result<std::optional<Expression>>
ApplicationReader::optional_expression(const XmlElement& element,
                                       std::string_view attribute) const {
    if (element.find(attribute) == nullptr) return std::optional<Expression>{};
    auto read = expression(element, attribute);
    if (!read) return read.as_failure();
    return std::optional{std::move(read).value()};
}

Result<std::vector<Expression>> ApplicationReader::expressions(const XmlElement& element,
                                                               std::string_view attribute) const {
    std::vector<Expression> found;
    const std::string* const text = element.find(attribute);
    if (text == nullptr) return found;
    for (std::string_view rest = *text;;) {
        std::size_t end = 0;
        auto read = Expression::read(rest, end);
        if (!read)
            return refuse(element,
                          fmt::format("'{}' is \"{}\": {}", attribute, *text, read.error().what));
        if (const auto known = check_names(element, attribute, read.value().names()); !known)
            return known.as_failure();
        found.push_back(std::move(read).value());
        end = std::min(rest.find_first_not_of(' ', end), rest.size());
        if (end == rest.size()) break;
        if (rest[end] != ',' || found.size() == 3)
            return refuse(element,
                          fmt::format("'{}' is \"{}\"; expected one number, or up to three "
                                      "separated by commas",
                                      attribute, *text));
        rest.remove_prefix(end + 1);
    }
    return found;
}

Result<Quantity> ApplicationReader::quantity(const XmlElement& element, std::string_view attribute,
                                             std::span<const DecimalUnit> units) const {
    const std::string& text = *element.find(attribute);
    auto read = Quantity::parse(text, units);
    if (!read)
        return refuse(element,
                      fmt::format("'{}' is \"{}\": {}", attribute, text, read.error().what));
    if (const auto known = check_names(element, attribute, read.value().names()); !known)
        return known.as_failure();
    return read;
}

Result<std::size_t> ApplicationReader::word(const XmlElement& element, std::string_view attribute,
                                            const std::vector<std::string_view>& words,
                                            std::size_t missing) const {
    const std::string* const found = element.find(attribute);
    if (found == nullptr) return missing;
    const auto same = std::ranges::find(words, *found);
    if (same == words.end())
        return refuse(element,
                      fmt::format("'{}' is \"{}\"; expected {}", attribute, *found, one_of(words)));
    return static_cast<std::size_t>(same - words.begin());
}

Result<std::pair<Basis, std::string>> ApplicationReader::basis(const XmlElement& element) const {
    const auto found = word(element, "basis", {"estimate", "measured", "bounds"}, 0);
    if (!found) return found.as_failure();
    const auto basis = static_cast<Basis>(found.value());
    std::string source = text_or_empty(element, "source");
    if (basis != Basis::Estimate && source.empty())
        return refuse(element, fmt::format("'source' is missing: where does the {} come from?",
                                           basis == Basis::Measured ? "measurement" : "bound"));
    return std::pair{basis, std::move(source)};
}

Result<StatedTime> ApplicationReader::stated_time(const XmlElement& element,
                                                  std::string_view attribute) const {
    auto time = quantity(element, attribute, time_units);
    if (!time) return time.as_failure();
    auto claimed = basis(element);
    if (!claimed) return claimed.as_failure();
    return StatedTime{std::move(time).value(), claimed.value().first,
                      std::move(claimed.value().second)};
}

std::string ApplicationReader::text_or_empty(const XmlElement& element,
                                             std::string_view attribute) const {
    const std::string* const found = element.find(attribute);
    return found == nullptr ? std::string{} : *found;
}

} // namespace warpbound::models::application
