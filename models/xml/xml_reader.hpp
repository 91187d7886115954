#pragma once
/// \file
/// The XML subset of all input files: elements and attributes, each with its line, and nothing
/// else.

#include "assembly/support/source_text.hpp"

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::models {

struct XmlAttribute {
    std::string name;
    std::string value;
};

/// An element with attributes and children; text and comments are not kept.
struct XmlElement {
    std::string name;
    std::int64_t line = 0;
    std::vector<XmlAttribute> attributes;
    std::vector<XmlElement> children;

    /// The value of an attribute; null when it is absent.
    [[nodiscard]] const std::string* find(std::string_view attribute) const;
};

inline constexpr std::size_t xml_size_limit = std::size_t{4} << 20U; ///< Unit: bytes.
inline constexpr int xml_depth_limit = 16;
inline constexpr std::size_t xml_tag_limit = 4096; ///< Unit: bytes of one tag with its attributes.
inline constexpr std::size_t xml_element_limit = 100'000;

/// The root element of a document. Refuses what is not well formed, a root of another name, text
/// between elements, document types, entity definitions, CDATA, control characters, broken UTF-8,
/// and anything above the limits.
Result<XmlElement> read_xml(const assembly::SourceText& source, std::string_view root);

/// A refusal at the line of the element.
Failure refuse(const assembly::SourceText& source, const XmlElement& element, std::string what);

/// Refuses an attribute that is in neither list and a required one that is absent.
Result<void> check_attributes(const assembly::SourceText& source, const XmlElement& element,
                              std::initializer_list<std::string_view> required,
                              std::initializer_list<std::string_view> optional = {});
/// Refuses an element that has children.
Result<void> check_no_children(const assembly::SourceText& source, const XmlElement& element);

/// A whole number, decimal or `0x` hexadecimal, with an optional minus sign before a decimal one;
/// nothing for other text.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// The number in an attribute that is present. Refuses other text and a number outside minimum ..
/// maximum.
Result<std::int64_t> integer_attribute(const assembly::SourceText& source,
                                       const XmlElement& element, std::string_view attribute,
                                       std::int64_t minimum,
                                       std::int64_t maximum = 1'000'000'000'000);

/// "a, b or c".
std::string one_of(const std::vector<std::string_view>& names);

} // namespace warpbound::models
