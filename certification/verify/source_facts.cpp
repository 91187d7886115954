#include "certification/verify/source_facts.hpp"

#include "certification/verify/verdict.hpp"
#include "models/facts/source_comments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <variant>

namespace warpbound::certification::verify {

namespace {

using models::FactComment;
using models::FactSource;
using models::FlowFacts;

/// The fact comments of each source file, and the facts that name them.
class CommentedFacts {
public:
    CommentedFacts(const FlowFacts& facts, const std::string& path) : facts_{facts}, path_{path} {}

    void read(const std::vector<std::string>& texts) {
        if (texts.size() != facts_.sources.size())
            fail(fmt::format("it names {} source files, the launch {}", facts_.sources.size(),
                             texts.size()));
        for (std::size_t file = 0; file < texts.size(); ++file) {
            const auto& named = facts_.sources[file];
            if (assembly::digest_of(texts[file]) != named.digest)
                fail(fmt::format("source file {} of the bundle is not {} ({})", file + 1,
                                 named.name, named.digest));
            auto comments = models::read_fact_comments({named.name, texts[file]});
            if (!comments) fail(to_string(comments.error()));
            auto& by_line = comments_.emplace_back();
            for (FactComment& comment : comments.value())
                by_line.emplace(comment.line, std::move(comment));
        }
    }

    void check() const {
        for (const auto& fact : facts_.loops)
            if (fact.from.file != 0) check_loop(fact);
        for (const auto& fact : facts_.uniforms)
            if (fact.from.file != 0) comment_of<models::UniformComment>(fact.from);
        const auto refuse = [&](const auto& list, const char* what) {
            for (const auto& fact : list)
                if (fact.from.file != 0)
                    fail(fmt::format("{}: no comment can state a <{}>", place(fact.from), what));
        };
        refuse(facts_.nevers, "never");
        refuse(facts_.exclusives, "exclusive");
        refuse(facts_.constraints, "constraint");
        refuse(facts_.memory, "memory");
        refuse(facts_.divergents, "divergent");
    }

private:
    [[noreturn]] void fail(const std::string& what) const { refuted(path_ + ": " + what); }

    [[nodiscard]] std::string place(const FactSource& from) const {
        return fmt::format("{}:{}", facts_.sources[from.file - 1].name, from.line);
    }

    template <class Form> const Form& comment_of(const FactSource& from) const {
        const auto [first, last] = comments_[from.file - 1].equal_range(from.line);
        for (auto comment = first; comment != last; ++comment)
            if (const auto* form = std::get_if<Form>(&comment->second.fact)) return *form;
        fail(fmt::format("{}: no comment there states this fact", place(from)));
    }

    /// A header executes as often as the body, or once more; at least once.
    void check_loop(const models::LoopFact& fact) const {
        const auto& comment = comment_of<models::LoopComment>(fact.from);
        const std::int64_t least = std::max<std::int64_t>(comment.max, 1);
        if (fact.min > 1 || fact.max < least || fact.max > std::max(least, comment.max + 1))
            fail(fmt::format("{}: the comment states at most {} iterations, the fact of the loop "
                             "at 0x{:04x} {}..{} executions of its header",
                             place(fact.from), comment.max, fact.header, fact.min, fact.max));
    }

    const FlowFacts& facts_;
    const std::string& path_;
    std::vector<std::multimap<std::int64_t, FactComment>> comments_; ///< Per source file, by line.
};

} // namespace

void check_source_facts(const FlowFacts& facts, const std::vector<std::string>& texts,
                        const std::string& path) {
    CommentedFacts commented{facts, path};
    commented.read(texts);
    commented.check();
}

} // namespace warpbound::certification::verify
