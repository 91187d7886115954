#include "models/facts/address_pattern_xml.hpp"

#include <fmt/core.h>

#include <array>

namespace warpbound::models {
namespace {

constexpr std::int64_t largest_address = 0xFFFF'FFFF'FFFF;
constexpr std::int64_t largest_seed = 1'000'000'000'000;
constexpr std::int64_t largest_stride = std::int64_t{1} << 40;

} // namespace

Result<AddressPattern> read_pattern(const assembly::SourceText& source, const XmlElement& element) {
    const auto known =
        check_attributes(source, element, {},
                         {"base", "thread-stride", "row", "row-stride", "warp-stride",
                          "block-stride", "iteration-stride", "footprint", "random"});
    if (!known) return known.as_failure();
    if (const auto leaf = check_no_children(source, element); !leaf) return leaf.as_failure();
    struct Part {
        std::string_view name;
        std::uint64_t AddressPattern::*member;
        std::int64_t minimum;
        std::int64_t maximum;
    };
    constexpr auto parts = std::to_array<Part>({
        {"base", &AddressPattern::base, 0, largest_address},
        {"thread-stride", &AddressPattern::thread_stride, 0, largest_stride},
        {"row", &AddressPattern::row, 1, most_lanes},
        {"row-stride", &AddressPattern::row_stride, 0, largest_stride},
        {"warp-stride", &AddressPattern::warp_stride, 0, largest_stride},
        {"block-stride", &AddressPattern::block_stride, 0, largest_stride},
        {"iteration-stride", &AddressPattern::iteration_stride, 0, largest_stride},
        {"footprint", &AddressPattern::footprint, 1, largest_stride},
    });
    AddressPattern read;
    for (const Part& part : parts) {
        if (element.find(part.name) == nullptr) continue;
        const auto number =
            integer_attribute(source, element, part.name, part.minimum, part.maximum);
        if (!number) return number.as_failure();
        read.*part.member = static_cast<std::uint64_t>(number.value());
    }
    if ((element.find("row") == nullptr) != (element.find("row-stride") == nullptr))
        return refuse(source, element, "one of 'row' and 'row-stride'; expected both or neither");
    if (element.find("random") == nullptr) return read;
    for (const std::string_view name :
         {"thread-stride", "row", "warp-stride", "block-stride", "iteration-stride"})
        if (element.find(name) != nullptr)
            return refuse(
                source, element,
                fmt::format("'{}' combined with 'random'; expected base and footprint only", name));
    if (element.find("footprint") == nullptr)
        return refuse(source, element, "'random' without 'footprint'; expected both");
    const auto seed = integer_attribute(source, element, "random", 0, largest_seed);
    if (!seed) return seed.as_failure();
    read.random = static_cast<std::uint64_t>(seed.value());
    return read;
}

XmlElement pattern_element(const AddressPattern& pattern) {
    XmlElement element;
    element.name = "pattern";
    const AddressPattern none;
    const auto add = [&](std::string_view name, std::uint64_t value, std::uint64_t absent) {
        if (value != absent)
            element.attributes.push_back({std::string{name}, fmt::format("{}", value)});
    };
    element.attributes.push_back({"base", fmt::format("0x{:x}", pattern.base)});
    if (pattern.random) { // Random patterns have no strides.
        element.attributes.push_back({"footprint", fmt::format("{}", pattern.footprint)});
        element.attributes.push_back({"random", fmt::format("{}", *pattern.random)});
        return element;
    }
    add("thread-stride", pattern.thread_stride, none.thread_stride);
    if (pattern.row != none.row || pattern.row_stride != none.row_stride) {
        element.attributes.push_back({"row", fmt::format("{}", pattern.row)});
        element.attributes.push_back({"row-stride", fmt::format("{}", pattern.row_stride)});
    }
    add("warp-stride", pattern.warp_stride, none.warp_stride);
    add("block-stride", pattern.block_stride, none.block_stride);
    add("iteration-stride", pattern.iteration_stride, none.iteration_stride);
    add("footprint", pattern.footprint, none.footprint);
    return element;
}

} // namespace warpbound::models
