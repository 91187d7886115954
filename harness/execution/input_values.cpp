#include "harness/execution/input_values.hpp"

#include "assembly/support/source_text.hpp"
#include "harness/execution/half_float.hpp"
#include "harness/simulator/clock/random.hpp"
#include "models/launch/argument_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace warpbound::harness::execution {

namespace {

constexpr std::size_t buffer_limit = std::size_t{1} << 32U;

struct NamedType {
    std::string_view name;
    ElementType type;
};
constexpr std::array named_types{
    NamedType{"u8", ElementType::U8},   NamedType{"i8", ElementType::I8},
    NamedType{"u16", ElementType::U16}, NamedType{"i16", ElementType::I16},
    NamedType{"u32", ElementType::U32}, NamedType{"i32", ElementType::I32},
    NamedType{"u64", ElementType::U64}, NamedType{"i64", ElementType::I64},
    NamedType{"f16", ElementType::F16}, NamedType{"f32", ElementType::F32},
    NamedType{"f64", ElementType::F64}};

bool is_real(ElementType type) {
    return type == ElementType::F16 || type == ElementType::F32 || type == ElementType::F64;
}
bool is_signed_integer(ElementType type) {
    return type == ElementType::I8 || type == ElementType::I16 || type == ElementType::I32 ||
           type == ElementType::I64;
}

std::optional<ElementType> type_named(std::string_view name) {
    const auto* const found = std::find_if(named_types.begin(), named_types.end(),
                                           [&](const NamedType& one) { return one.name == name; });
    return found == named_types.end() ? std::nullopt : std::optional{found->type};
}

std::optional<double> read_double(std::string_view text) {
    const std::string whole{text};
    char* end = nullptr;
    const double value = std::strtod(whole.c_str(), &end);
    if (whole.empty() || end != whole.c_str() + whole.size()) return std::nullopt;
    return value;
}

/// A whole number in two's complement.
std::optional<std::uint64_t> read_whole(std::string_view text) {
    const bool is_negative = !text.empty() && text.front() == '-';
    const auto number = models::read_number(text.substr(is_negative ? 1 : 0));
    if (!number) return std::nullopt;
    return is_negative ? 0 - *number : *number;
}

/// The bits of a number of this type.
std::optional<std::uint64_t> bits_of(std::string_view text, ElementType type) {
    if (!is_real(type)) return read_whole(text);
    const auto value = read_double(text);
    if (!value) return std::nullopt;
    if (type == ElementType::F64) return std::bit_cast<std::uint64_t>(*value);
    const auto single = static_cast<float>(*value);
    if (type == ElementType::F16) return half_of(single);
    return std::bit_cast<std::uint32_t>(single);
}

void set_element(Buffer& buffer, std::size_t i, std::uint64_t bits) {
    const std::size_t size = size_of(buffer.type);
    std::memcpy(buffer.bytes.data() + i * size, &bits, size); // Little-endian, as the device.
}

/// Takes the text up to the next `:`.
std::string_view take_field(std::string_view& text) {
    const std::size_t colon = text.find(':');
    const std::string_view field = text.substr(0, colon);
    text = colon == std::string_view::npos ? std::string_view{} : text.substr(colon + 1);
    return field;
}

std::optional<std::size_t> read_sizes(std::string_view text) {
    std::size_t count = 1;
    while (true) {
        const std::size_t cross = text.find('x');
        const auto size = models::read_number(text.substr(0, cross));
        if (!size || *size == 0 || *size > buffer_limit || count > buffer_limit / *size)
            return std::nullopt;
        count *= *size;
        if (cross == std::string_view::npos) return count;
        text.remove_prefix(cross + 1);
    }
}

/// `random,seed=7,from=0,to=9`: options after a fill, by name.
struct FillOptions {
    std::uint64_t seed = 1;
    std::optional<std::string> from;
    std::optional<std::string> to;
};

std::optional<FillOptions> read_fill_options(std::string_view text) {
    FillOptions options;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        const std::string_view option = text.substr(0, comma);
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
        const std::size_t equals = option.find('=');
        if (equals == std::string_view::npos) return std::nullopt;
        const std::string_view name = option.substr(0, equals);
        const std::string value{option.substr(equals + 1)};
        if (name == "seed") {
            const auto seed = models::read_number(value);
            if (!seed) return std::nullopt;
            options.seed = *seed;
        } else if (name == "from") {
            options.from = value;
        } else if (name == "to") {
            options.to = value;
        } else {
            return std::nullopt;
        }
    }
    return options;
}

/// The least and the greatest integer of a type, as far as signed 64 bits hold them.
std::pair<std::int64_t, std::int64_t> limits_of(ElementType type) {
    const auto bits = static_cast<unsigned>(8 * size_of(type));
    if (bits == 64) return {is_signed_integer(type) ? INT64_MIN : 0, INT64_MAX};
    if (!is_signed_integer(type)) return {0, static_cast<std::int64_t>((1ULL << bits) - 1)};
    return {-static_cast<std::int64_t>(1ULL << (bits - 1)),
            static_cast<std::int64_t>((1ULL << (bits - 1)) - 1)};
}

bool fill_random(Buffer& buffer, std::size_t count, const FillOptions& options) {
    simulator::RandomStream stream{options.seed, simulator::StreamOf::Choices, 0};
    if (!is_real(buffer.type)) {
        auto [least, greatest] = limits_of(buffer.type);
        const auto from = options.from ? read_whole(*options.from) : std::nullopt;
        const auto to = options.to ? read_whole(*options.to) : std::nullopt;
        if ((options.from && !from) || (options.to && !to)) return false;
        if (from) least = static_cast<std::int64_t>(*from);
        if (to) greatest = static_cast<std::int64_t>(*to);
        if (least > greatest) return false;
        for (std::size_t i = 0; i < count; ++i)
            set_element(buffer, i, static_cast<std::uint64_t>(stream.uniform(least, greatest)));
        return true;
    }
    const auto from = options.from ? read_double(*options.from) : std::optional{0.0};
    const auto to = options.to ? read_double(*options.to) : std::optional{1.0};
    if (!from || !to) return false;
    // 24 bits, so that single precision holds every number of [0, 1).
    constexpr double step = 1.0 / 16777216.0;
    for (std::size_t i = 0; i < count; ++i) {
        const double unit = static_cast<double>(stream.next() >> 40U) * step;
        set_element(buffer, i,
                    *bits_of(fmt::format("{:.17g}", *from + unit * (*to - *from)), buffer.type));
    }
    return true;
}

Result<void> fill(Buffer& buffer, std::size_t count, std::string_view text) {
    const auto refuse = [&] {
        return Failure{
            fmt::format("--arg {}: no values '{}'; expected {}", buffer.name, text, buffer_forms)};
    };
    buffer.bytes.resize(count * size_of(buffer.type));
    if (text == "zero") return boost::outcome_v2::success();
    if (text.rfind("constant=", 0) == 0) {
        const auto bits = bits_of(text.substr(9), buffer.type);
        if (!bits) return refuse();
        for (std::size_t i = 0; i < count; ++i)
            set_element(buffer, i, *bits);
        return boost::outcome_v2::success();
    }
    if (text == "iota") {
        for (std::size_t i = 0; i < count; ++i)
            set_element(buffer, i, *bits_of(std::to_string(i), buffer.type));
        return boost::outcome_v2::success();
    }
    if (text.rfind("file=", 0) == 0) {
        const auto source = assembly::read_source(std::string{text.substr(5)}, buffer_limit);
        if (!source) return source.as_failure();
        const std::string& bytes = source.value().text;
        if (bytes.size() != buffer.bytes.size())
            return Failure{fmt::format("--arg {}: the file has {} bytes; expected {}", buffer.name,
                                       bytes.size(), buffer.bytes.size()),
                           source.value().name};
        std::memcpy(buffer.bytes.data(), bytes.data(), bytes.size());
        return boost::outcome_v2::success();
    }
    if (text.rfind("random", 0) != 0 || (text.size() > 6 && text[6] != ',')) return refuse();
    const auto options = read_fill_options(text.size() > 6 ? text.substr(7) : std::string_view{});
    if (!options || !fill_random(buffer, count, *options)) return refuse();
    return boost::outcome_v2::success();
}

double real_element(const Buffer& buffer, std::size_t i) {
    const std::size_t size = size_of(buffer.type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, buffer.bytes.data() + i * size, size);
    if (buffer.type == ElementType::F64) return std::bit_cast<double>(bits);
    const auto word = static_cast<std::uint32_t>(bits);
    return double{buffer.type == ElementType::F16 ? float_of_half(word)
                                                  : std::bit_cast<float>(word)};
}

std::int64_t integer_element(const Buffer& buffer, std::size_t i) {
    const std::size_t size = size_of(buffer.type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, buffer.bytes.data() + i * size, size);
    const auto unused = static_cast<unsigned>(64 - 8 * size);
    if (!is_signed_integer(buffer.type)) return static_cast<std::int64_t>(bits);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

bool is_file_form(std::string_view text) {
    return text.rfind("file:", 0) == 0;
}

struct Shape {
    Buffer empty; ///< Its name and type.
    std::size_t count;
};

/// Takes `buffer:TYPE:SIZES:` from the text.
Result<Shape> read_shape(const std::string& name, std::string_view& text) {
    take_field(text); // "buffer"
    const auto type = type_named(take_field(text));
    const auto count = read_sizes(take_field(text));
    if (!type || !count || *count > buffer_limit / size_of(*type))
        return Failure{fmt::format("--arg {}: expected {}", name, buffer_forms)};
    Shape shape{{}, *count};
    shape.empty.name = name;
    shape.empty.type = *type;
    return shape;
}

} // namespace

bool is_buffer_form(std::string_view text) {
    return text.rfind("buffer:", 0) == 0 || is_file_form(text);
}

Result<void> check_buffer_form(const std::string& name, std::string_view text) {
    if (is_file_form(text)) return boost::outcome_v2::success();
    auto shape = read_shape(name, text);
    if (!shape) return shape.as_failure();
    if (text.rfind("file=", 0) == 0) return boost::outcome_v2::success();
    return fill(shape.value().empty, 1, text);
}

Result<Buffer> read_buffer(const std::string& name, std::string_view text) {
    if (is_file_form(text)) {
        Buffer buffer;
        buffer.name = name;
        const auto source = assembly::read_source(std::string{text.substr(5)}, buffer_limit);
        if (!source) return source.as_failure();
        const auto* const first = reinterpret_cast<const std::byte*>(source.value().text.data());
        buffer.bytes.assign(first, first + source.value().text.size());
        return buffer;
    }
    auto shape = read_shape(name, text);
    if (!shape) return shape.as_failure();
    auto& [buffer, count] = shape.value();
    if (auto filled = fill(buffer, count, text); !filled) return filled.as_failure();
    return std::move(buffer);
}

std::optional<std::string> scalar_text(std::string_view text, std::int64_t bytes) {
    if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
        const auto type = type_named(text.substr(0, colon));
        if (!type || static_cast<std::int64_t>(size_of(*type)) > bytes) return std::nullopt;
        const auto bits = bits_of(text.substr(colon + 1), *type);
        if (!bits) return std::nullopt;
        return std::to_string(size_of(*type) == 8 ? *bits
                                                  : *bits & ((1ULL << (8 * size_of(*type))) - 1));
    }
    if (read_whole(text)) return std::string{text};
    const auto bits = bits_of(text, bytes == 8 ? ElementType::F64 : ElementType::F32);
    return bits ? std::optional{std::to_string(*bits)} : std::nullopt;
}

std::string element_text(const Buffer& buffer, std::size_t i) {
    if (buffer.type == ElementType::F64) return fmt::format("{:.17g}", real_element(buffer, i));
    if (is_real(buffer.type)) return fmt::format("{:.9g}", real_element(buffer, i));
    return std::to_string(integer_element(buffer, i));
}

std::optional<std::string> difference(const Buffer& buffer, const std::string& reference,
                                      double tolerance) {
    if (reference.size() != buffer.bytes.size())
        return fmt::format("the reference has {} bytes; the buffer has {}", reference.size(),
                           buffer.bytes.size());
    Buffer expected = buffer;
    std::memcpy(expected.bytes.data(), reference.data(), reference.size());
    const std::size_t count = buffer.bytes.size() / size_of(buffer.type);
    for (std::size_t i = 0; i < count; ++i) {
        bool differs = false;
        if (is_real(buffer.type)) {
            const double found = real_element(buffer, i);
            const double wanted = real_element(expected, i);
            const bool both_nan = std::isnan(found) && std::isnan(wanted);
            differs = !both_nan && found != wanted &&
                      !(std::fabs(found - wanted) <= tolerance * std::max(1.0, std::fabs(wanted)));
        } else {
            differs = integer_element(buffer, i) != integer_element(expected, i);
        }
        if (differs)
            return fmt::format("element {} is {}; expected {}", i, element_text(buffer, i),
                               element_text(expected, i));
    }
    return std::nullopt;
}

} // namespace warpbound::harness::execution
