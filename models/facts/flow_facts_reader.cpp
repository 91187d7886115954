#include "models/facts/address_pattern_xml.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

namespace warpbound::models {
namespace {

using assembly::SourceText;

constexpr std::int64_t largest_code_address = 0xFFFF'FFFF'FFFF;
constexpr std::int64_t largest_count = 1'000'000'000'000;
constexpr std::int64_t most_passes = 128; // Of a wavefront of 64 lanes with two addresses each.
constexpr std::size_t most_terms = 10'000;
constexpr std::size_t most_sources = 1000;

/// `sha256:` and 64 digits.
bool is_digest(std::string_view text) {
    constexpr std::string_view prefix = "sha256:";
    if (!text.starts_with(prefix) || text.size() != prefix.size() + 64) return false;
    return text.find_first_not_of("0123456789abcdef", prefix.size()) == std::string_view::npos;
}

/// Reads the elements one after the other; the first refusal ends it.
class FlowFactsReader {
public:
    explicit FlowFactsReader(const SourceText& source) : source_{source} {}

    Result<FlowFacts> read(const XmlElement& root);

private:
    template <typename Choice, std::size_t count>
    Result<Choice> choice(const XmlElement& element, std::string_view attribute,
                          const std::array<Choice, count>& choices, Choice fallback);
    Result<std::int64_t> address(const XmlElement& element, std::string_view attribute);
    Result<FactSource> from(const XmlElement& element);
    Result<void> source_file(const XmlElement& element);
    /// `FILE:LINE` with the file of a `<source>` before.
    Result<void> source_place(const XmlElement& element, const std::string& text, FactSource& from);
    Result<std::optional<CountRange>> passes(const XmlElement& element, std::string_view attribute);
    Result<void> check_unique(const XmlElement& element, std::int64_t first,
                              std::int64_t second = -1);
    Result<void> fact(const XmlElement& element);
    Result<void> loop(const XmlElement& element);
    Result<void> never(const XmlElement& element);
    Result<void> exclusive(const XmlElement& element);
    Result<void> constraint(const XmlElement& element);
    Result<LinearTerm> term(const XmlElement& element);
    Result<void> memory(const XmlElement& element);
    Result<std::array<std::int64_t, 3>> block_index(const XmlElement& element,
                                                    std::string_view attribute);
    Result<void> representative(const XmlElement& element);
    /// A fact about the lanes of a warp at one instruction.
    template <class Fact> Result<void> lanes(const XmlElement& element, std::vector<Fact>& facts);

    const SourceText& source_;
    FlowFacts facts_;
    std::set<std::tuple<std::string, std::int64_t, std::int64_t>> addresses_;
};

template <typename Choice, std::size_t count>
Result<Choice> FlowFactsReader::choice(const XmlElement& element, std::string_view attribute,
                                       const std::array<Choice, count>& choices, Choice fallback) {
    const std::string* const text = element.find(attribute);
    if (text == nullptr) return fallback;
    std::vector<std::string_view> names;
    for (const Choice candidate : choices) {
        if (*text == to_string(candidate)) return candidate;
        names.push_back(to_string(candidate));
    }
    return refuse(source_, element,
                  fmt::format("'{}' is \"{}\"; expected {}", attribute, *text, one_of(names)));
}

Result<std::int64_t> FlowFactsReader::address(const XmlElement& element,
                                              std::string_view attribute) {
    return integer_attribute(source_, element, attribute, 0, largest_code_address);
}

Result<FactSource> FlowFactsReader::from(const XmlElement& element) {
    const auto origin = choice(element, "origin",
                               std::array{FactOrigin::User, FactOrigin::Static, FactOrigin::Trace,
                                          FactOrigin::Arguments, FactOrigin::BarrierRule,
                                          FactOrigin::Statements, FactOrigin::NormalEnd},
                               FactOrigin::User);
    if (!origin) return origin.as_failure();
    const auto status = choice(element, "status",
                               std::array{FactStatus::Unchecked, FactStatus::TraceConsistent,
                                          FactStatus::Proved, FactStatus::Refuted},
                               FactStatus::Unchecked);
    if (!status) return status.as_failure();
    if (status.value() == FactStatus::Refuted)
        return refuse(
            source_, element,
            fmt::format("this <{}> is marked refuted; expected facts that may hold", element.name));
    FactSource from{.origin = origin.value(), .line = element.line, .claimed = status.value()};
    if (const std::string* const place = element.find("source"))
        if (auto found = source_place(element, *place, from); !found) return found.as_failure();
    return from;
}

Result<void> FlowFactsReader::source_place(const XmlElement& element, const std::string& text,
                                           FactSource& from) {
    const std::size_t colon = std::min(text.rfind(':'), text.size());
    const auto line =
        parse_integer(std::string_view{text}.substr(std::min(colon + 1, text.size())));
    const auto file = std::ranges::find(facts_.sources, text.substr(0, colon), &FactFile::name);
    if (!line || *line < 1 || *line > assembly::source_line_limit || file == facts_.sources.end())
        return refuse(source_, element,
                      fmt::format("'source' is \"{}\"; expected FILE:LINE with the file of a "
                                  "<source> before",
                                  text));
    from.line = *line;
    from.file = static_cast<std::size_t>(file - facts_.sources.begin()) + 1;
    return boost::outcome_v2::success();
}

Result<void> FlowFactsReader::source_file(const XmlElement& element) {
    const auto known = check_attributes(source_, element, {"file", "digest"}, {});
    if (!known) return known.as_failure();
    const std::string& digest = *element.find("digest");
    if (!is_digest(digest))
        return refuse(source_, element,
                      fmt::format("'digest' is \"{}\"; expected sha256: and 64 hexadecimal "
                                  "digits of the source file",
                                  digest));
    if (facts_.sources.size() == most_sources)
        return refuse(source_, element, fmt::format("more than {} source files", most_sources));
    facts_.sources.push_back({*element.find("file"), digest});
    return boost::outcome_v2::success();
}

Result<std::optional<CountRange>> FlowFactsReader::passes(const XmlElement& element,
                                                          std::string_view attribute) {
    const std::string* const text = element.find(attribute);
    if (text == nullptr) return std::optional<CountRange>{};
    const std::string_view whole = *text;
    const std::size_t dots = whole.find("..");
    const auto low = parse_integer(whole.substr(0, dots));
    const auto high = dots == std::string_view::npos ? low : parse_integer(whole.substr(dots + 2));
    if (!low || !high || *low < 1 || *high > most_passes || *low > *high)
        return refuse(source_, element,
                      fmt::format("'{}' is \"{}\"; expected a number or a range within 1..{}",
                                  attribute, *text, most_passes));
    return std::optional{CountRange{.min = *low, .max = *high}};
}

/// Refuses a second fact of one element name at the same address (or pair of addresses).
Result<void> FlowFactsReader::check_unique(const XmlElement& element, std::int64_t first,
                                           std::int64_t second) {
    if (addresses_.emplace(element.name, first, second).second) return boost::outcome_v2::success();
    return refuse(source_, element,
                  fmt::format("a second <{}> at 0x{:04x}; expected one fact for one address",
                              element.name, first));
}

Result<void> FlowFactsReader::loop(const XmlElement& element) {
    const auto known = check_attributes(source_, element, {"header", "min", "max"},
                                        {"origin", "status", "source"});
    if (!known) return known.as_failure();
    const auto header = address(element, "header");
    if (!header) return header.as_failure();
    const auto min = integer_attribute(source_, element, "min", 0, largest_count);
    if (!min) return min.as_failure();
    const auto max = integer_attribute(source_, element, "max", 0, largest_count);
    if (!max) return max.as_failure();
    if (min.value() > max.value())
        return refuse(
            source_, element,
            fmt::format("min {} is above max {}; expected min <= max", min.value(), max.value()));
    const auto source = from(element);
    if (!source) return source.as_failure();
    facts_.loops.push_back(
        {.header = header.value(), .min = min.value(), .max = max.value(), .from = source.value()});
    return check_unique(element, header.value());
}

Result<void> FlowFactsReader::never(const XmlElement& element) {
    const auto known =
        check_attributes(source_, element, {"block"}, {"origin", "status", "source"});
    if (!known) return known.as_failure();
    const auto block = address(element, "block");
    if (!block) return block.as_failure();
    const auto source = from(element);
    if (!source) return source.as_failure();
    facts_.nevers.push_back({.block = block.value(), .from = source.value()});
    return check_unique(element, block.value());
}

Result<void> FlowFactsReader::exclusive(const XmlElement& element) {
    const auto known =
        check_attributes(source_, element, {"first", "second"}, {"origin", "status", "source"});
    if (!known) return known.as_failure();
    const auto first = address(element, "first");
    if (!first) return first.as_failure();
    const auto second = address(element, "second");
    if (!second) return second.as_failure();
    if (first.value() == second.value())
        return refuse(source_, element, "a block excludes itself; expected two blocks, or <never>");
    const auto source = from(element);
    if (!source) return source.as_failure();
    facts_.exclusives.push_back(
        {.first = first.value(), .second = second.value(), .from = source.value()});
    return check_unique(element, std::min(first.value(), second.value()),
                        std::max(first.value(), second.value()));
}

Result<LinearTerm> FlowFactsReader::term(const XmlElement& element) {
    if (element.name != "term")
        return refuse(source_, element,
                      fmt::format("<{}> inside <constraint>; expected <term>", element.name));
    const auto known = check_attributes(source_, element, {"coefficient", "block"}, {"from"});
    if (!known) return known.as_failure();
    if (const auto leaf = check_no_children(source_, element); !leaf) return leaf.as_failure();
    LinearTerm read;
    const auto coefficient =
        integer_attribute(source_, element, "coefficient", -largest_count, largest_count);
    if (!coefficient) return coefficient.as_failure();
    read.coefficient = coefficient.value();
    const auto block = address(element, "block");
    if (!block) return block.as_failure();
    read.block = block.value();
    if (element.find("from") != nullptr) {
        const auto source = address(element, "from");
        if (!source) return source.as_failure();
        read.from = source.value();
    }
    return read;
}

Result<void> FlowFactsReader::constraint(const XmlElement& element) {
    const auto known = check_attributes(source_, element, {"relation", "constant"},
                                        {"origin", "status", "source"});
    if (!known) return known.as_failure();
    LinearFact fact;
    const std::string& relation = *element.find("relation");
    if (relation == "at-most")
        fact.relation = Relation::AtMost;
    else if (relation == "at-least")
        fact.relation = Relation::AtLeast;
    else if (relation == "equal")
        fact.relation = Relation::Equal;
    else
        return refuse(
            source_, element,
            fmt::format("'relation' is \"{}\"; expected at-most, at-least or equal", relation));
    const auto constant =
        integer_attribute(source_, element, "constant", -largest_count, largest_count);
    if (!constant) return constant.as_failure();
    fact.constant = constant.value();
    const auto source = from(element);
    if (!source) return source.as_failure();
    fact.from = source.value();
    if (element.children.empty() || element.children.size() > most_terms)
        return refuse(source_, element,
                      fmt::format("a <constraint> of {} terms; expected 1 to {}",
                                  element.children.size(), most_terms));
    for (const auto& child : element.children) {
        const auto read = term(child);
        if (!read) return read.as_failure();
        fact.terms.push_back(read.value());
    }
    facts_.constraints.push_back(std::move(fact));
    return boost::outcome_v2::success();
}

Result<void> FlowFactsReader::memory(const XmlElement& element) {
    const auto known = check_attributes(
        source_, element, {"at"},
        {"transactions", "conflict-degree", "sectors", "level", "origin", "status", "source"});
    if (!known) return known.as_failure();
    MemoryFact fact;
    const auto at = address(element, "at");
    if (!at) return at.as_failure();
    fact.at = at.value();
    auto transactions = passes(element, "transactions");
    if (!transactions) return transactions.as_failure();
    fact.transactions = transactions.value();
    auto degree = passes(element, "conflict-degree");
    if (!degree) return degree.as_failure();
    fact.conflict_degree = degree.value();
    auto sectors = passes(element, "sectors");
    if (!sectors) return sectors.as_failure();
    fact.sectors = sectors.value();
    const auto level =
        choice(element, "level",
               std::array{MemoryLevel::Any, MemoryLevel::L1, MemoryLevel::L2, MemoryLevel::Dram},
               MemoryLevel::Any);
    if (!level) return level.as_failure();
    fact.level = level.value();
    const auto source = from(element);
    if (!source) return source.as_failure();
    fact.from = source.value();
    if (element.children.size() > 1 ||
        (!element.children.empty() && element.children.front().name != "pattern"))
        return refuse(source_, element.children.back(),
                      fmt::format("<{}> inside <memory>; expected at most one <pattern>",
                                  element.children.back().name));
    if (!element.children.empty()) {
        if (fact.transactions || fact.conflict_degree || fact.sectors)
            return refuse(source_, element,
                          "a <memory> with both passes and a <pattern>; expected one of them: the "
                          "pattern gives the passes");
        const auto read = read_pattern(source_, element.children.front());
        if (!read) return read.as_failure();
        fact.pattern = read.value();
    }
    facts_.memory.push_back(fact);
    return check_unique(element, fact.at);
}

/// Three numbers, as in 0,0,0.
Result<std::array<std::int64_t, 3>> FlowFactsReader::block_index(const XmlElement& element,
                                                                 std::string_view attribute) {
    std::string_view rest = *element.find(attribute);
    std::array<std::int64_t, 3> index{};
    for (std::size_t dimension = 0; dimension < index.size(); ++dimension) {
        const std::size_t comma = rest.find(',');
        const bool is_last = dimension + 1 == index.size();
        const auto number = parse_integer(rest.substr(0, comma));
        if (!number || *number < 0 || *number > largest_count ||
            is_last != (comma == std::string_view::npos))
            return refuse(source_, element,
                          fmt::format("'{}' is \"{}\"; expected the indices of a thread block in "
                                      "x, y and z, as in 0,0,0",
                                      attribute, *element.find(attribute)));
        index[dimension] = *number;
        if (!is_last) rest.remove_prefix(comma + 1);
    }
    return index;
}

Result<void> FlowFactsReader::representative(const XmlElement& element) {
    const auto known =
        check_attributes(source_, element, {"first-block", "last-block"}, {"origin", "status"});
    if (!known) return known.as_failure();
    if (facts_.representative)
        return refuse(source_, element, "a second <representative>; expected one");
    RepresentativeFact fact;
    const auto first = block_index(element, "first-block");
    if (!first) return first.as_failure();
    const auto last = block_index(element, "last-block");
    if (!last) return last.as_failure();
    fact.first = first.value();
    fact.last = last.value();
    for (std::size_t dimension = 0; dimension < fact.first.size(); ++dimension)
        if (fact.first[dimension] > fact.last[dimension])
            return refuse(source_, element,
                          "'first-block' lies beyond 'last-block'; expected a box of blocks");
    const auto source = from(element);
    if (!source) return source.as_failure();
    fact.from = source.value();
    if (element.children.empty() || element.children.size() > most_terms)
        return refuse(source_, element,
                      fmt::format("a <representative> of {} edges and ends; expected 1 to {}",
                                  element.children.size(), most_terms));
    for (const auto& child : element.children) {
        if (child.name != "edge" && child.name != "end")
            return refuse(
                source_, child,
                fmt::format("<{}> inside <representative>; expected <edge> or <end>", child.name));
        if (const auto leaf = check_no_children(source_, child); !leaf) return leaf.as_failure();
        if (child.name == "edge") {
            const auto attributes = check_attributes(source_, child, {"from", "to"}, {});
            if (!attributes) return attributes.as_failure();
            const auto begin = address(child, "from");
            if (!begin) return begin.as_failure();
            const auto end = address(child, "to");
            if (!end) return end.as_failure();
            fact.edges.emplace_back(begin.value(), end.value());
        } else {
            const auto attributes = check_attributes(source_, child, {"block"}, {});
            if (!attributes) return attributes.as_failure();
            const auto block = address(child, "block");
            if (!block) return block.as_failure();
            fact.ends.push_back(block.value());
        }
    }
    facts_.representative = std::move(fact);
    return boost::outcome_v2::success();
}

template <class Fact>
Result<void> FlowFactsReader::lanes(const XmlElement& element, std::vector<Fact>& facts) {
    const auto known = check_attributes(source_, element, {"at"}, {"origin", "status", "source"});
    if (!known) return known.as_failure();
    const auto at = address(element, "at");
    if (!at) return at.as_failure();
    const auto source = from(element);
    if (!source) return source.as_failure();
    facts.push_back({.at = at.value(), .from = source.value()});
    if (facts_.is_divergent(at.value()) && facts_.is_uniform(at.value()))
        return refuse(source_, element,
                      fmt::format("0x{:04x} is stated both <divergent> and <uniform>; expected one "
                                  "of them",
                                  at.value()));
    return check_unique(element, at.value());
}

Result<void> FlowFactsReader::fact(const XmlElement& element) {
    if (element.name == "constraint") return constraint(element);
    if (element.name == "memory") return memory(element);
    if (element.name == "representative") return representative(element);
    if (const auto leaf = check_no_children(source_, element); !leaf) return leaf.as_failure();
    if (element.name == "source") return source_file(element);
    if (element.name == "loop") return loop(element);
    if (element.name == "never") return never(element);
    if (element.name == "exclusive") return exclusive(element);
    if (element.name == "divergent") return lanes(element, facts_.divergents);
    if (element.name == "uniform") return lanes(element, facts_.uniforms);
    return refuse(source_, element,
                  fmt::format("unknown element <{}>; expected <loop>, <never>, <exclusive>, "
                              "<constraint>, <memory>, <divergent>, <uniform>, "
                              "<representative> or <source>",
                              element.name));
}

Result<FlowFacts> FlowFactsReader::read(const XmlElement& root) {
    const auto known = check_attributes(source_, root, {"kernel"},
                                        {"digest", "block", "grid", "blocks", "arguments"});
    if (!known) return known.as_failure();
    facts_.kernel = *root.find("kernel");
    if (const std::string* const digest = root.find("digest"); digest != nullptr) {
        if (!digest->empty() && !is_digest(*digest))
            return refuse(source_, root,
                          fmt::format("'digest' is \"{}\"; expected sha256: and 64 hexadecimal "
                                      "digits of the listing",
                                      *digest));
        facts_.program_digest = *digest;
    }
    auto conditions = read_conditions(root);
    if (!conditions) return refuse(source_, root, conditions.error().what);
    facts_.conditions = std::move(conditions).value();
    for (const auto& child : root.children)
        if (const auto read = fact(child); !read) return read.as_failure();
    facts_.name = source_.name;
    facts_.digest = assembly::digest_of(source_.text);
    return std::move(facts_);
}

} // namespace

Result<FlowFacts> read_flow_facts(const SourceText& source) {
    const auto root = read_xml(source, "flow-facts");
    if (!root) return root.as_failure();
    return FlowFactsReader{source}.read(root.value());
}

} // namespace warpbound::models
