#include "models/facts/facts_merge.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace warpbound::models {
namespace {

constexpr std::string_view root_name = "flow-facts";

/// An element of the text below the root, or the root's start tag.
struct ElementText {
    std::string name;
    std::map<std::string, std::string> attributes; ///< Of a constraint without those of its terms.
    std::size_t begin = 0;
    std::size_t end = 0; ///< After the end tag.
    std::string inside;  ///< Between start and end tag.

    [[nodiscard]] std::string attribute(const std::string& wanted) const {
        const auto found = attributes.find(wanted);
        return found == attributes.end() ? std::string{} : found->second;
    }
    [[nodiscard]] bool is_open() const {
        return inside.find("\"?\"") != std::string::npos ||
               std::ranges::any_of(attributes, [](const auto& each) { return each.second == "?"; });
    }
};

/// The elements of a flow-facts file with their extents in the text. It need not be well formed:
/// the reader of facts checks that.
class FactsText {
public:
    explicit FactsText(const std::string& text) : text_{text} {
        std::size_t at = 0;
        while ((at = text_.find('<', at)) != std::string::npos) {
            if (text_.compare(at, 4, "<!--") == 0)
                at = after("-->", at);
            else if (text_.compare(at, 2, "<?") == 0)
                at = after("?>", at);
            else if (text_.compare(at, 2, "</") == 0)
                at = close(at);
            else
                at = element(at);
        }
    }

    [[nodiscard]] const ElementText& root() const { return root_; }
    [[nodiscard]] const std::vector<ElementText>& facts() const { return facts_; }
    /// Where the root ends: the position of its end tag; none: it has no contents.
    [[nodiscard]] std::optional<std::size_t> root_end() const { return root_end_; }

    /// The text with blanks in place of facts that are not complete, so that it can be read.
    [[nodiscard]] std::string without_open() const {
        std::string text = text_;
        for (const ElementText& fact : facts_)
            for (std::size_t i = fact.begin; fact.is_open() && i < fact.end; ++i)
                if (text[i] != '\n') text[i] = ' ';
        return text;
    }

    /// The lines of a fact, with the comments about it that stand above.
    [[nodiscard]] std::string lines_of(const ElementText& fact) const {
        std::size_t begin = line_of(fact.begin);
        while (begin > 0 && is_about_next(line_of(begin - 1)))
            begin = line_of(begin - 1);
        const std::size_t end = text_.find('\n', fact.end);
        return text_.substr(begin, end == std::string::npos ? end : end + 1 - begin);
    }

private:
    [[nodiscard]] std::size_t after(std::string_view mark, std::size_t from) const {
        const std::size_t found = text_.find(mark, from);
        return found == std::string::npos ? text_.size() : found + mark.size();
    }
    [[nodiscard]] std::size_t line_of(std::size_t at) const {
        const std::size_t newline = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
        return newline == std::string::npos ? 0 : newline + 1;
    }
    /// Whether the line is a comment that the template puts above a fact.
    [[nodiscard]] bool is_about_next(std::size_t line) const {
        const std::size_t begin = text_.find_first_not_of(' ', line);
        if (begin == std::string::npos) return false;
        const std::string_view rest = std::string_view{text_}.substr(begin);
        return rest.starts_with("<!-- loop at") ||
               (rest.starts_with("<!-- from the code") &&
                rest.substr(0, rest.find('\n')).find("no branch diverges") == std::string::npos);
    }

    std::size_t close(std::size_t at) {
        if (text_.compare(at + 2, root_name.size(), root_name) == 0) root_end_ = at;
        return after(">", at);
    }

    /// Reads an element at `at`; the position after it, or after the start tag of the root.
    std::size_t element(std::size_t at) {
        ElementText read;
        read.begin = at++;
        while (at < text_.size() && text_.find_first_of(" \t\r\n/>", at) != at)
            read.name += text_[at++];
        while (at < text_.size() && text_[at] != '>' && text_[at] != '/') {
            const std::size_t equals = text_.find_first_of("=>", at);
            if (equals == std::string::npos || text_[equals] == '>') break;
            std::string name = text_.substr(at, equals - at);
            std::erase_if(name, [](char c) { return c == ' ' || c == '\n' || c == '\t'; });
            const std::size_t open = text_.find_first_of("\"'", equals);
            if (open == std::string::npos) return text_.size();
            const std::size_t shut = text_.find(text_[open], open + 1);
            if (shut == std::string::npos) return text_.size();
            read.attributes[name] = text_.substr(open + 1, shut - open - 1);
            at = text_.find_first_not_of(" \t\r\n", shut + 1);
        }
        const std::size_t tag_end = after(">", at);
        const bool is_empty = tag_end >= 2 && text_[tag_end - 2] == '/';
        read.end = tag_end;
        if (read.name == root_name) {
            root_ = std::move(read);
            return tag_end;
        }
        if (!is_empty) {
            read.end = after("</" + read.name + ">", tag_end);
            read.inside = text_.substr(tag_end, read.end - tag_end);
        }
        facts_.push_back(std::move(read));
        return facts_.back().end;
    }

    const std::string& text_;
    ElementText root_;
    std::vector<ElementText> facts_;
    std::optional<std::size_t> root_end_;
};

/// Addresses are compared as numbers.
std::string canonical(const std::string& value) {
    std::uint64_t number = 0;
    const bool is_hexadecimal = value.starts_with("0x");
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data() + (is_hexadecimal ? 2 : 0), end, number,
                                               is_hexadecimal ? 16 : 10);
    return error == std::errc{} && stop == end ? fmt::format("0x{:04x}", number) : value;
}

/// What a fact is about: "loop 0x0100". Two facts of a file never share it.
std::string subject_of(const ElementText& fact) {
    std::string text = fact.name;
    for (const char* key : {"header", "block", "at", "file"})
        if (const std::string value = fact.attribute(key); !value.empty())
            text += " " + canonical(value);
    if (fact.name == "exclusive") {
        auto blocks =
            std::minmax(canonical(fact.attribute("first")), canonical(fact.attribute("second")));
        text += fmt::format(" {} {}", std::string{blocks.first}, std::string{blocks.second});
    }
    if (fact.name == "constraint") {
        text += fmt::format(" {} {}", fact.attribute("relation"), fact.attribute("constant"));
        const FactsText terms{fact.inside};
        for (const ElementText& term : terms.facts())
            text += fmt::format(
                " {}*{}{}", term.attribute("coefficient"),
                term.attribute("from").empty() ? "" : canonical(term.attribute("from")) + ">",
                canonical(term.attribute("block")));
    }
    return text;
}

/// Whether nobody has written a value of it yet.
bool is_unedited(const ElementText& fact) {
    if (!fact.inside.empty() || !fact.is_open()) return false;
    return std::ranges::all_of(fact.attributes, [](const auto& each) {
        const auto& [name, value] = each;
        return value == "?" || name == "header" || name == "at" || name == "block" ||
               (name == "level" && value == "any");
    });
}

template <class Number> bool disjoint(Number lo, Number hi, Number other_lo, Number other_hi) {
    return hi < other_lo || other_hi < lo;
}

/// "1..4", and "4" for one number.
std::string range_text(std::int64_t lo, std::int64_t hi) {
    return lo == hi ? std::to_string(lo) : fmt::format("{}..{}", lo, hi);
}

/// Compares the facts of the file with those made.
class Comparison {
public:
    Comparison(const FlowFacts& file, const FlowFacts& made) : file_{file} {
        for (const LoopFact& fact : made.loops)
            if (const LoopFact* known = file.loop_at(fact.header))
                compare(known->from, fmt::format("loop 0x{:04x}", fact.header),
                        CountRange{known->min, known->max}, CountRange{fact.min, fact.max});
        for (const MemoryFact& fact : made.memory)
            if (const MemoryFact* known = file.memory_at(fact.at)) {
                const std::string subject = fmt::format("memory 0x{:04x}", fact.at);
                compare(known->from, subject + " transactions", known->transactions,
                        fact.transactions);
                compare(known->from, subject + " conflict-degree", known->conflict_degree,
                        fact.conflict_degree);
                compare(known->from, subject + " sectors", known->sectors, fact.sectors);
            }
        for (const DivergentFact& fact : made.divergents)
            for (const UniformFact& known : file.uniforms)
                if (known.at == fact.at)
                    contradict(known.from, fmt::format("0x{:04x} is stated to be uniform; the "
                                                       "lanes of a warp diverge there",
                                                       fact.at));
        for (const NeverFact& fact : file.nevers)
            for (const LoopFact& loop : made.loops)
                if (loop.header == fact.block && loop.min > 1)
                    contradict(fact.from, fmt::format("block 0x{:04x} is stated to be never "
                                                      "executed; it is the header of a loop",
                                                      fact.block));
    }

    [[nodiscard]] const std::vector<std::string>& differing() const { return differing_; }
    [[nodiscard]] std::optional<Failure> failure() const {
        if (contradictions_.empty()) return std::nullopt;
        Failure all = contradictions_.front();
        for (std::size_t i = 1; i < contradictions_.size(); ++i)
            all.what += "\n  " + to_string(contradictions_[i]);
        return all;
    }

private:
    void contradict(const FactSource& from, std::string what) {
        contradictions_.push_back(refused(file_, from, std::move(what)));
    }
    void compare(const FactSource& from, const std::string& subject,
                 const std::optional<CountRange>& known, const std::optional<CountRange>& made) {
        if (!known || !made || *known == *made) return;
        const std::string stated = range_text(known->min, known->max);
        const std::string follows = range_text(made->min, made->max);
        if (disjoint(known->min, known->max, made->min, made->max))
            contradict(from, fmt::format("{}: {} is stated, {} follows from the code; both cannot "
                                         "hold",
                                         subject, stated, follows));
        else
            differing_.push_back(fmt::format("{}: {} is stated, {} follows from the code", subject,
                                             stated, follows));
    }

    const FlowFacts& file_;
    std::vector<std::string> differing_;
    std::vector<Failure> contradictions_;
};

/// Refuses files whose facts are about other code or another launch.
Result<void> check_same_subject(const FlowFacts& file, const FlowFacts& made) {
    if (auto same = check_written_for(file, made.kernel, made.program_digest); !same) return same;
    if (auto differs = contradiction(file.conditions, made.conditions))
        return Failure{*std::move(differs), file.name};
    return boost::outcome_v2::success();
}

/// Edits of a text, applied from its end so that positions stay.
struct Edit {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string text;
};

std::string edited(std::string text, std::vector<Edit> edits) {
    std::ranges::stable_sort(edits, std::greater{}, &Edit::begin);
    for (const Edit& edit : edits)
        text.replace(edit.begin, edit.end - edit.begin, edit.text);
    return text;
}

} // namespace

Result<MergedFile> merge_flow_facts(const assembly::SourceText& file, const std::string& made) {
    const FactsText old_text{file.text};
    const FactsText new_text{made};
    const auto known = read_flow_facts({file.name, old_text.without_open()});
    if (!known) return known.as_failure();
    const auto follows = read_flow_facts({file.name, new_text.without_open()});
    if (!follows) return follows.as_failure();
    if (auto same = check_same_subject(known.value(), follows.value()); !same)
        return same.as_failure();
    const Comparison comparison{known.value(), follows.value()};
    if (auto failure = comparison.failure()) return *std::move(failure);

    MergedFile merged;
    merged.differing = comparison.differing();
    std::map<std::string, const ElementText*> subjects;
    for (const ElementText& fact : old_text.facts()) {
        subjects.emplace(subject_of(fact), &fact);
        if (!fact.is_open() && fact.name != "source") ++merged.kept;
    }
    std::vector<Edit> edits;
    std::string more;
    for (const ElementText& fact : new_text.facts()) {
        const std::string subject = subject_of(fact);
        const auto found = subjects.find(subject);
        if (found == subjects.end()) {
            if (fact.is_open() && fact.name != "loop") continue;
            more += new_text.lines_of(fact);
        } else if (!fact.is_open() && is_unedited(*found->second)) {
            edits.push_back({found->second->begin, found->second->end,
                             made.substr(fact.begin, fact.end - fact.begin)});
        } else {
            continue;
        }
        merged.added.push_back(subject);
    }
    std::string attributes;
    for (const auto& [name, text] : attributes_of(follows.value().conditions))
        if (old_text.root().attribute(name).empty())
            attributes += fmt::format(" {}=\"{}\"", name, text);
    if (!attributes.empty()) {
        const std::size_t name_end = old_text.root().begin + 1 + root_name.size();
        edits.push_back({name_end, name_end, attributes});
    }
    if (const auto end = old_text.root_end())
        edits.push_back({*end, *end, more});
    else if (!more.empty())
        edits.push_back({old_text.root().end - 2, old_text.root().end,
                         fmt::format(">\n{}</{}>", more, root_name)});
    merged.text = edited(file.text, std::move(edits));
    return merged;
}

} // namespace warpbound::models
