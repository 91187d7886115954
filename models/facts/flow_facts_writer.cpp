#include "models/facts/address_pattern_xml.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/xml/xml_writer.hpp"

#include <fmt/core.h>

namespace warpbound::models {
namespace {

std::string address_text(std::int64_t address) {
    return fmt::format("0x{:04x}", address);
}

std::string range_text(const CountRange& range) {
    if (range.min == range.max) return fmt::format("{}", range.min);
    return fmt::format("{}..{}", range.min, range.max);
}

std::string_view relation_text(Relation relation) {
    switch (relation) {
    case Relation::AtMost:
        return "at-most";
    case Relation::AtLeast:
        return "at-least";
    case Relation::Equal:
        return "equal";
    }
    return "at-most";
}

/// Writes the elements of facts.
class FactWriter {
public:
    explicit FactWriter(const FlowFacts& facts) : facts_{facts} {}

    [[nodiscard]] XmlElement element(std::string_view name, std::vector<XmlAttribute> attributes,
                                     const FactSource& from) const;
    [[nodiscard]] XmlElement constraint(const LinearFact& fact) const;
    [[nodiscard]] XmlElement memory(const MemoryFact& fact) const;
    [[nodiscard]] XmlElement representative(const RepresentativeFact& fact) const;

private:
    const FlowFacts& facts_;
};

XmlElement FactWriter::element(std::string_view name, std::vector<XmlAttribute> attributes,
                               const FactSource& from) const {
    attributes.push_back({.name = "origin", .value = std::string{to_string(from.origin)}});
    const FactStatus status = from.status == FactStatus::Unchecked ? from.claimed : from.status;
    attributes.push_back({.name = "status", .value = std::string{to_string(status)}});
    if (from.file != 0)
        attributes.push_back(
            {.name = "source",
             .value = fmt::format("{}:{}", facts_.sources[from.file - 1].name, from.line)});
    XmlElement element;
    element.name = name;
    element.attributes = std::move(attributes);
    return element;
}

XmlElement FactWriter::constraint(const LinearFact& fact) const {
    XmlElement made = element("constraint",
                              {{"relation", std::string{relation_text(fact.relation)}},
                               {"constant", fmt::format("{}", fact.constant)}},
                              fact.from);
    for (const auto& term : fact.terms) {
        XmlElement child;
        child.name = "term";
        child.attributes = {{"coefficient", fmt::format("{}", term.coefficient)},
                            {"block", address_text(term.block)}};
        if (term.from) child.attributes.push_back({"from", address_text(*term.from)});
        made.children.push_back(std::move(child));
    }
    return made;
}

XmlElement FactWriter::memory(const MemoryFact& fact) const {
    std::vector<XmlAttribute> attributes{{"at", address_text(fact.at)}};
    if (fact.transactions) attributes.push_back({"transactions", range_text(*fact.transactions)});
    if (fact.conflict_degree)
        attributes.push_back({"conflict-degree", range_text(*fact.conflict_degree)});
    if (fact.sectors) attributes.push_back({"sectors", range_text(*fact.sectors)});
    attributes.push_back({"level", std::string{to_string(fact.level)}});
    XmlElement made = element("memory", std::move(attributes), fact.from);
    if (fact.pattern) made.children.push_back(pattern_element(*fact.pattern));
    return made;
}

std::string index_text(const std::array<std::int64_t, 3>& index) {
    return fmt::format("{},{},{}", index[0], index[1], index[2]);
}

XmlElement FactWriter::representative(const RepresentativeFact& fact) const {
    XmlElement made =
        element("representative",
                {{"first-block", index_text(fact.first)}, {"last-block", index_text(fact.last)}},
                fact.from);
    for (const auto& [from, to] : fact.edges) {
        XmlElement child;
        child.name = "edge";
        child.attributes = {{"from", address_text(from)}, {"to", address_text(to)}};
        made.children.push_back(std::move(child));
    }
    for (const std::int64_t block : fact.ends) {
        XmlElement child;
        child.name = "end";
        child.attributes = {{"block", address_text(block)}};
        made.children.push_back(std::move(child));
    }
    return made;
}

} // namespace

std::string write_flow_facts(const FlowFacts& facts) {
    const FactWriter writer{facts};
    XmlElement root;
    root.name = "flow-facts";
    root.attributes = {{"kernel", facts.kernel}};
    if (!facts.program_digest.empty()) root.attributes.push_back({"digest", facts.program_digest});
    for (auto& [name, text] : attributes_of(facts.conditions))
        root.attributes.push_back({name, text});
    for (const auto& file : facts.sources) {
        XmlElement source;
        source.name = "source";
        source.attributes = {{"file", file.name}, {"digest", file.digest}};
        root.children.push_back(std::move(source));
    }
    for (const auto& fact : facts.loops)
        root.children.push_back(writer.element("loop",
                                               {{"header", address_text(fact.header)},
                                                {"min", fmt::format("{}", fact.min)},
                                                {"max", fmt::format("{}", fact.max)}},
                                               fact.from));
    for (const auto& fact : facts.nevers)
        root.children.push_back(
            writer.element("never", {{"block", address_text(fact.block)}}, fact.from));
    for (const auto& fact : facts.exclusives)
        root.children.push_back(writer.element(
            "exclusive",
            {{"first", address_text(fact.first)}, {"second", address_text(fact.second)}},
            fact.from));
    for (const auto& fact : facts.constraints)
        root.children.push_back(writer.constraint(fact));
    for (const auto& fact : facts.memory)
        root.children.push_back(writer.memory(fact));
    for (const auto& fact : facts.divergents)
        root.children.push_back(
            writer.element("divergent", {{"at", address_text(fact.at)}}, fact.from));
    for (const auto& fact : facts.uniforms)
        root.children.push_back(
            writer.element("uniform", {{"at", address_text(fact.at)}}, fact.from));
    if (facts.representative) root.children.push_back(writer.representative(*facts.representative));
    return write_xml(root);
}

} // namespace warpbound::models
