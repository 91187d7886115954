#include "models/facts/source_comments.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace warpbound::models {

namespace {

constexpr std::string_view mark = "warpbound:";
constexpr std::int64_t largest_iterations =
    999'999'999'999; ///< One more is the limit of flow facts.

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    constexpr std::string_view blanks = " \t\r\n\v\f";
    for (std::size_t at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(blanks, at), text.size());
        words.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(blanks, end);
    }
    return words;
}

std::optional<std::int64_t> count_of(std::string_view word) {
    std::int64_t count = 0;
    const char* const stop = word.data() + word.size();
    const auto [rest, error] = std::from_chars(word.data(), stop, count);
    if (error != std::errc{} || rest != stop || count < 0 || count > largest_iterations)
        return std::nullopt;
    return count;
}

/// The words after `loop`: `max N` or `min M max N`.
std::optional<LoopComment> loop_of(const std::vector<std::string_view>& words) {
    LoopComment loop;
    std::size_t next = 1;
    if (words.size() == 5 && words[1] == "min") {
        loop.min = count_of(words[2]);
        if (!loop.min) return std::nullopt;
        next = 3;
    }
    if (words.size() != next + 2 || words[next] != "max") return std::nullopt;
    const auto max = count_of(words[next + 1]);
    if (!max || loop.min.value_or(0) > *max) return std::nullopt;
    loop.max = *max;
    return loop;
}

class CommentReader {
public:
    explicit CommentReader(const assembly::SourceText& source)
        : source_{source}, code_{source.text} {}

    Result<std::vector<FactComment>> read() {
        for (const SourceComment& comment : code_.comments()) {
            const std::size_t begin = comment.text.find_first_not_of(" \t*!/");
            if (begin == std::string_view::npos || comment.text.substr(begin, mark.size()) != mark)
                continue;
            line_ = comment.line;
            if (auto read = fact(words_of(comment.text.substr(begin + mark.size()))); !read)
                return read.as_failure();
        }
        return std::move(facts_);
    }

private:
    [[nodiscard]] Failure refuse(std::string what) const {
        return Failure{std::move(what), source_.name, line_};
    }

    Result<void> fact(const std::vector<std::string_view>& words) {
        const std::string_view form = words.empty() ? std::string_view{} : words.front();
        if (form == "range")
            return refuse("no analysis uses ranges of parameters; expected `loop max N` at the "
                          "loops that depend on the parameter, or its value as `flow-facts "
                          "--constant OFFSET=VALUE`");
        const auto code_line = code_.code_from(line_);
        if (!code_line) return refuse("no code follows this fact; expected a loop or a branch");
        FactComment comment{line_, *code_line, UniformComment{}};
        if (form == "loop") {
            auto loop = loop_of(words);
            if (!loop)
                return refuse(fmt::format("expected `loop max N` or `loop min M max N`, with M <= "
                                          "N <= {}",
                                          largest_iterations));
            if (auto found = find_loop(*code_line, *loop); !found) return found;
            comment.fact = *loop;
        } else if (form != "uniform" || words.size() != 1) {
            return refuse("a fact of no known form; expected `loop max N`, `loop min M max N` or "
                          "`uniform`");
        }
        if (!seen_.insert({form == "loop", *code_line}).second)
            return refuse(
                fmt::format("a second {} fact about line {}; expected one", form, *code_line));
        if (facts_.size() == fact_comment_limit)
            return refuse(fmt::format("more than {} facts in comments", fact_comment_limit));
        facts_.push_back(std::move(comment));
        return boost::outcome_v2::success();
    }

    /// Whether the loop is the one that a comment about the line means, if it stands there.
    static bool begins_or_ends_at(const LoopExtent& loop, std::int64_t line) {
        return loop.first == line || (loop.is_do && loop.branch_line == line);
    }

    Result<void> find_loop(std::int64_t line, LoopComment& comment) {
        if (!loops_) loops_ = loop_statements(code_, loop_statement_limit);
        if (!loops_) return refuse(fmt::format("more than {} loops", loop_statement_limit));
        const LoopExtent* found = nullptr;
        std::size_t here = 0;
        for (const LoopExtent& loop : *loops_) {
            if (begins_or_ends_at(loop, line)) {
                if (++here > 1)
                    return refuse(fmt::format("line {} has several loops; expected each on a line "
                                              "of its own",
                                              line));
                found = &loop;
            } else if (here == 0 && loop.contains(line)) {
                found = &loop; // Later ones begin further inside.
            }
        }
        comment.branch_line = here == 1 && found != nullptr ? found->branch_line : line;
        if (found == nullptr) return boost::outcome_v2::success();
        for (const LoopExtent& loop : *loops_) {
            if (&loop == found) continue;
            if (begins_or_ends_at(loop, found->branch_line))
                return refuse(fmt::format("line {} has several loops; expected each on a line of "
                                          "its own",
                                          found->branch_line));
            if (found->contains(loop)) comment.inner.push_back(loop);
            if (loop.contains(*found)) ++comment.enclosing;
        }
        comment.loop = *found;
        return boost::outcome_v2::success();
    }

    const assembly::SourceText& source_;
    CodeText code_;
    std::optional<std::vector<LoopExtent>> loops_;
    std::int64_t line_ = 0;
    std::set<std::pair<bool, std::int64_t>> seen_;
    std::vector<FactComment> facts_;
};

} // namespace

Result<std::vector<FactComment>> read_fact_comments(const assembly::SourceText& source) {
    if (source.text.size() > source_file_limit)
        return Failure{fmt::format("a source file of more than {} bytes", source_file_limit),
                       source.name};
    if (source.text.find(mark) == std::string::npos) return std::vector<FactComment>{};
    return CommentReader{source}.read();
}

} // namespace warpbound::models
