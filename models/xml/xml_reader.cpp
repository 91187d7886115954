#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>
#include <tinyxml2.h>

#include <algorithm>
#include <charconv>

namespace warpbound::models {
namespace {

using assembly::SourceText;

Failure refuse_at(const SourceText& source, std::int64_t line, std::string what) {
    return Failure{.what = std::move(what), .where = source.name, .line = line};
}

std::int64_t line_of(std::string_view text, std::size_t offset) {
    return 1 + std::ranges::count(text.substr(0, offset), '\n');
}

/// Bytes of the UTF-8 character at the front; 0 when it is broken or a control character XML does
/// not have.
std::size_t character_length(std::string_view text) {
    const auto byte = [text](std::size_t index) {
        return index < text.size() ? static_cast<unsigned char>(text[index]) : 0U;
    };
    const unsigned first = byte(0);
    if (first < 0x20) return first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
    if (first < 0x80) return first == 0x7F ? 0 : 1;
    const std::size_t length = first >= 0xF5 ? 0 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || length == 0) return 0;
    for (std::size_t index = 1; index < length; ++index)
        if ((byte(index) & 0xC0U) != 0x80U) return 0;
    const unsigned second = byte(1);
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second >= 0xA0;
    const bool beyond = first == 0xF4 && second >= 0x90;
    return overlong || surrogate || beyond ? 0 : length;
}

/// Offset of the first character that is none; nothing when all are.
std::optional<std::size_t> broken_character(std::string_view text) {
    for (std::size_t offset = 0; offset < text.size();) {
        const std::size_t length = character_length(text.substr(offset));
        if (length == 0) return offset;
        offset += length;
    }
    return std::nullopt;
}

/// End of the tag that begins at `open`: the first '>' outside quotes.
std::size_t end_of_tag(std::string_view text, std::size_t open) {
    char quote = 0;
    for (std::size_t at = open + 1; at < text.size(); ++at) {
        const char c = text[at];
        if (quote != 0)
            quote = c == quote ? '\0' : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '>')
            return at;
    }
    return text.size();
}

/// Looks at the raw text before the parser does: the parser compares all attributes of a tag with
/// each other and keeps document types without a word.
Result<void> check_tags(const SourceText& source) {
    const std::string_view text = source.text;
    for (std::size_t open = text.find('<'); open != std::string_view::npos;) {
        const std::string_view rest = text.substr(open);
        std::size_t end = 0;
        if (rest.starts_with("<!--")) {
            end = text.find("-->", open + 4);
        } else if (rest.starts_with("<!")) {
            return refuse_at(source, line_of(text, open),
                             "a document type, entity definition or CDATA section; expected only "
                             "elements and comments");
        } else {
            end = end_of_tag(text, open);
            if (end - open > xml_tag_limit)
                return refuse_at(source, line_of(text, open),
                                 fmt::format("a tag of {} bytes; expected at most {}", end - open,
                                             xml_tag_limit));
        }
        if (end >= text.size()) break;
        open = text.find('<', end);
    }
    return boost::outcome_v2::success();
}

std::string parser_message(tinyxml2::XMLError error) {
    switch (error) {
    case tinyxml2::XML_ERROR_EMPTY_DOCUMENT:
        return "an empty document; expected one element";
    case tinyxml2::XML_ERROR_MISMATCHED_ELEMENT:
        return "an element is not closed by its own name; expected matching tags";
    case tinyxml2::XML_ERROR_PARSING_ATTRIBUTE:
        return "a broken or repeated attribute; expected name=\"value\", each name once";
    case tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED:
        return fmt::format("elements nested too deep; expected at most {} levels", xml_depth_limit);
    default:
        return "not well-formed XML; expected elements, attributes and comments";
    }
}

/// Copies the parser's tree, refusing what the readers do not know.
class Copier {
public:
    explicit Copier(const SourceText& source) : source_{source} {}

    Result<XmlElement> copy(const tinyxml2::XMLElement& from, int depth) {
        if (depth > xml_depth_limit)
            return refuse_at(source_, from.GetLineNum(),
                             parser_message(tinyxml2::XML_ELEMENT_DEPTH_EXCEEDED));
        if (++elements_ > xml_element_limit)
            return refuse_at(
                source_, from.GetLineNum(),
                fmt::format("too many elements; expected at most {}", xml_element_limit));
        XmlElement element;
        element.name = from.Name();
        element.line = from.GetLineNum();
        for (const auto* at = from.FirstAttribute(); at != nullptr; at = at->Next()) {
            element.attributes.push_back({.name = at->Name(), .value = at->Value()});
            // A character reference can still make what the text itself may not hold.
            if (broken_character(element.attributes.back().value))
                return refuse_at(source_, at->GetLineNum(),
                                 fmt::format("a control character or broken UTF-8 in '{}'; "
                                             "expected text",
                                             at->Name()));
        }
        for (const auto* node = from.FirstChild(); node != nullptr; node = node->NextSibling()) {
            if (node->ToComment() != nullptr) continue;
            const auto* child = node->ToElement();
            if (child == nullptr)
                return refuse_at(
                    source_, node->GetLineNum(),
                    fmt::format("text inside <{}>; expected elements and comments", element.name));
            auto copied = copy(*child, depth + 1);
            if (!copied) return copied.as_failure();
            element.children.push_back(std::move(copied).value());
        }
        return element;
    }

private:
    const SourceText& source_;
    std::size_t elements_ = 0;
};

} // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
    const auto found = std::ranges::find(attributes, attribute, &XmlAttribute::name);
    return found == attributes.end() ? nullptr : &found->value;
}

Result<XmlElement> read_xml(const SourceText& source, std::string_view root) {
    if (source.text.size() > xml_size_limit)
        return refuse_at(source, 0,
                         fmt::format("{} bytes of XML; expected at most {}", source.text.size(),
                                     xml_size_limit));
    if (const auto broken = broken_character(source.text))
        return refuse_at(source, line_of(source.text, *broken),
                         "a control character or broken UTF-8; expected text");
    if (const auto tags = check_tags(source); !tags) return tags.as_failure();

    tinyxml2::XMLDocument document;
    if (document.Parse(source.text.data(), source.text.size()) != tinyxml2::XML_SUCCESS)
        return refuse_at(source, document.ErrorLineNum(), parser_message(document.ErrorID()));

    const tinyxml2::XMLElement* top = nullptr;
    for (const auto* node = document.FirstChild(); node != nullptr; node = node->NextSibling()) {
        if (node->ToComment() != nullptr) continue;
        if (node->ToDeclaration() != nullptr && node == document.FirstChild()) continue;
        if (node->ToElement() == nullptr || top != nullptr)
            return refuse_at(source, node->GetLineNum(),
                             fmt::format("more than one element; expected <{}> alone", root));
        top = node->ToElement();
    }
    if (top == nullptr || top->Name() != root)
        return refuse_at(source, top == nullptr ? 1 : top->GetLineNum(),
                         fmt::format("no <{}>; expected it as the outermost element", root));
    return Copier{source}.copy(*top, 1);
}

Failure refuse(const SourceText& source, const XmlElement& element, std::string what) {
    return refuse_at(source, element.line, std::move(what));
}

std::string one_of(const std::vector<std::string_view>& names) {
    std::string text;
    for (std::size_t index = 0; index < names.size(); ++index) {
        if (index > 0) text += index + 1 == names.size() ? " or " : ", ";
        text += names[index];
    }
    return text;
}

Result<void> check_attributes(const SourceText& source, const XmlElement& element,
                              std::initializer_list<std::string_view> required,
                              std::initializer_list<std::string_view> optional) {
    for (const auto& attribute : element.attributes) {
        if (std::ranges::count(required, attribute.name) > 0) continue;
        if (std::ranges::count(optional, attribute.name) > 0) continue;
        std::vector<std::string_view> names{required};
        names.insert(names.end(), optional.begin(), optional.end());
        return refuse(source, element,
                      fmt::format("unknown attribute '{}' of <{}>; expected {}", attribute.name,
                                  element.name, one_of(names)));
    }
    for (const std::string_view name : required)
        if (element.find(name) == nullptr)
            return refuse(source, element,
                          fmt::format("<{}> without '{}'; expected {}", element.name, name,
                                      one_of(required)));
    return boost::outcome_v2::success();
}

Result<void> check_no_children(const SourceText& source, const XmlElement& element) {
    if (element.children.empty()) return boost::outcome_v2::success();
    const XmlElement& child = element.children.front();
    return refuse(
        source, child,
        fmt::format("<{}> inside <{}>; expected nothing there", child.name, element.name));
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) text.remove_prefix(2);
    if (text.empty() || (hexadecimal && text.front() == '-')) return std::nullopt;
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, hexadecimal ? 16 : 10);
    if (error != std::errc{} || stop != end) return std::nullopt;
    return number;
}

Result<std::int64_t> integer_attribute(const SourceText& source, const XmlElement& element,
                                       std::string_view attribute, std::int64_t minimum,
                                       std::int64_t maximum) {
    const std::string* const text = element.find(attribute);
    const auto number = text == nullptr ? std::nullopt : parse_integer(*text);
    if (!number || *number < minimum || *number > maximum)
        return refuse(source, element,
                      fmt::format("'{}' is \"{}\"; expected a whole number from {} to {}",
                                  attribute, text == nullptr ? "" : *text, minimum, maximum));
    return *number;
}

} // namespace warpbound::models
