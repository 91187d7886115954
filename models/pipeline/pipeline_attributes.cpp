#include "models/pipeline/pipeline_attributes.hpp"

#include "models/time/scaled_number.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::models {

namespace {

constexpr Nanoseconds longest_stated{std::int64_t{86'400} * 1'000'000'000};
constexpr std::int64_t most_bytes = std::int64_t{1} << 50U;
constexpr std::array<DecimalUnit, 4> byte_units{{{"B", 0}, {"kB", 3}, {"MB", 6}, {"GB", 9}}};
constexpr std::array<DecimalUnit, 4> rate_units{
    {{"B/s", 0}, {"kB/s", 3}, {"MB/s", 6}, {"GB/s", 9}}};

} // namespace

Result<std::string> PipelineAttributes::text(const XmlElement& element,
                                             std::string_view attribute) const {
    const std::string& found = *element.find(attribute);
    if (found.empty())
        return refuse(element, fmt::format("'{}' is empty; expected a name", attribute));
    return found;
}

Result<Nanoseconds> PipelineAttributes::time(const XmlElement& element,
                                             std::string_view attribute) const {
    const auto read = parse_duration(*element.find(attribute));
    if (!read) return refuse(element, fmt::format("'{}': {}", attribute, read.error().what));
    if (read.value() > longest_stated)
        return refuse(element, fmt::format("'{}' is {}; expected at most a day", attribute,
                                           to_string(read.value())));
    return read.value();
}

Result<std::int64_t> PipelineAttributes::bytes(const XmlElement& element,
                                               std::string_view attribute) const {
    const std::string& found = *element.find(attribute);
    const auto read = read_scaled(found, byte_units);
    if (read.defect || read.value > most_bytes)
        return refuse(element,
                      fmt::format("'{}' is \"{}\"; expected a whole number of bytes up to 2^50 "
                                  "with its unit, B, kB, MB or GB, as in 4MB",
                                  attribute, found));
    return read.value;
}

Result<std::int64_t> PipelineAttributes::rate(const XmlElement& element,
                                              std::string_view attribute) const {
    const std::string& found = *element.find(attribute);
    const auto read = read_scaled(found, rate_units);
    if (read.defect || read.value > most_bytes)
        return refuse(element,
                      fmt::format("'{}' is \"{}\"; expected a whole number of bytes per second "
                                  "with its unit, B/s, kB/s, MB/s or GB/s, as in 20GB/s",
                                  attribute, found));
    return read.value;
}

Result<std::size_t> PipelineAttributes::word(const XmlElement& element, std::string_view attribute,
                                             const std::vector<std::string_view>& words,
                                             std::size_t missing) const {
    const std::string* const found = element.find(attribute);
    if (found == nullptr) return missing;
    const auto same = std::find(words.begin(), words.end(), *found);
    if (same == words.end())
        return refuse(element,
                      fmt::format("'{}' is \"{}\"; expected {}", attribute, *found, one_of(words)));
    return static_cast<std::size_t>(same - words.begin());
}

Result<std::optional<Bounds<Nanoseconds>>>
PipelineAttributes::times(const XmlElement& element, const std::string& prefix) const {
    const std::string least = prefix + "at-least";
    const std::string most = prefix + "at-most";
    if (element.find(most) == nullptr) {
        if (element.find(least) != nullptr)
            return refuse(element, fmt::format("'{}' without '{}'; expected both, or the second "
                                               "alone",
                                               least, most));
        return std::optional<Bounds<Nanoseconds>>{};
    }
    const auto hi = time(element, most);
    if (!hi) return hi.as_failure();
    Nanoseconds lo;
    if (element.find(least) != nullptr) {
        const auto read = time(element, least);
        if (!read) return read.as_failure();
        lo = read.value();
    }
    if (hi.value() < lo)
        return refuse(element, fmt::format("'{}' is {}, above '{}', {}", least, to_string(lo), most,
                                           to_string(hi.value())));
    return std::optional{Bounds{lo, hi.value()}};
}

} // namespace warpbound::models
