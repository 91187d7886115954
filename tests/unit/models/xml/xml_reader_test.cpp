#include "models/xml/xml_reader.hpp"
#include "models/xml/xml_writer.hpp"
#include "tests/unit/models/refusal.hpp"

namespace warpbound::models {
namespace {

Result<XmlElement> read(const assembly::SourceText& source) {
    return read_xml(source, "a");
}

std::string nested(int depth) {
    std::string text;
    for (int level = 0; level < depth; ++level)
        text += "<a>";
    for (int level = 0; level < depth; ++level)
        text += "</a>";
    return text;
}

TEST(XmlReader, KeepsElementsAttributesAndLines) {
    const auto root =
        read(as_source("<?xml version=\"1.0\"?>\n<!-- c -->\n<a x='1'>\n <b y=\"&lt;\"/>\n</a>\n"));
    ASSERT_TRUE(root.has_value());
    EXPECT_EQ(root.value().line, 3);
    ASSERT_EQ(root.value().children.size(), 1U);
    EXPECT_EQ(root.value().children[0].line, 4);
    EXPECT_EQ(*root.value().children[0].find("y"), "<");
    EXPECT_EQ(root.value().find("z"), nullptr);
}

TEST(XmlReader, TakesSixteenLevels) {
    EXPECT_TRUE(read(as_source(nested(16))).has_value());
}

TEST(XmlReader, TakesALongComment) {
    EXPECT_TRUE(read(as_source("<a><!--" + std::string(100'000, 'x') + "--></a>")).has_value());
}

TEST(XmlReader, RefusesWithALine) {
    const std::vector<Refusal> refusals{
        {"empty", "", 0, "empty document"},
        {"not XML", "hello", 1, ""},
        {"only a comment", "<!-- -->", 1, "no <a>"},
        {"another root", "\n<b/>", 2, "no <a>"},
        {"open element", "<a>\n<b>", 2, ""},
        {"mismatch", "<a>\n<b></c>\n</a>", 2, "not closed by its own name"},
        {"repeated attribute", "<a>\n<b x='1' x='2'/></a>", 2, "repeated attribute"},
        {"no quotes", "<a x=1/>", 1, "attribute"},
        {"text", "<a>\nhello</a>", 2, "text inside <a>"},
        {"CDATA", "<a>\n<![CDATA[x]]></a>", 2, "CDATA"},
        {"document type", "\n<!DOCTYPE a>\n<a/>", 2, "document type"},
        {"entity bomb", "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;\">]>\n<a x='&c;'/>",
         1, "entity definition"},
        {"trailing element", "<a/>\n<a/>", 2, "more than one element"},
        {"trailing text", "<a/>\nx", 2, "not well-formed"},
        {"instruction in the middle", "<a>\n<?xml version='1.0'?></a>", 2, ""},
        {"deep", "<a>\n" + nested(16) + "</a>", 2, "nested too deep"},
        {"very deep", nested(5000), 1, "nested too deep"},
        {"NUL", std::string{"<a>\n\0</a>", 10}, 2, "control character"},
        {"broken UTF-8", "<a x='\xC3'/>", 1, "UTF-8"},
        {"overlong UTF-8", "<a x='\xC0\x80'/>", 1, "UTF-8"},
        {"surrogate", "<a x='\xED\xA0\x80'/>", 1, "UTF-8"},
        {"control reference", "<a>\n<b x='&#1;'/></a>", 2, "control character"},
        {"surrogate reference", "<a>\n<b x='&#xD800;'/></a>", 2, "UTF-8"},
        {"large tag", "\n<a x='" + std::string(5000, 'x') + "'/>", 2, "expected at most 4096"},
        {"large file", "<a>" + std::string(xml_size_limit, ' ') + "</a>", 0, "bytes of XML"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read);
}

TEST(XmlReader, RefusesTooManyElements) {
    std::string text = "<a>";
    for (std::size_t count = 0; count < xml_element_limit; ++count)
        text += "<b/>";
    expect_refusal({"many", text + "</a>", 1, "too many elements"}, read);
}

TEST(XmlWriter, IsReadBack) {
    XmlElement root;
    root.name = "a";
    root.attributes = {{"x", "<&>\"' \xC3\xA9"}};
    root.children.push_back({.name = "b", .line = 0, .attributes = {{"y", "1"}}, .children = {}});
    const auto again = read(as_source(write_xml(root)));
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again.value().find("x"), "<&>\"' \xC3\xA9");
    EXPECT_EQ(again.value().children[0].name, "b");
}

TEST(XmlIntegers, AreDecimalOrHexadecimal) {
    EXPECT_EQ(parse_integer("0x00d0"), 208);
    EXPECT_EQ(parse_integer("-12"), -12);
    for (const char* const text : {"", "0x", "-0x1", "0x-1", "1 ", " 1", "+1", "1.0", "1e3",
                                   "9223372036854775808", "twelve"})
        EXPECT_FALSE(parse_integer(text).has_value()) << text;
}

} // namespace
} // namespace warpbound::models
