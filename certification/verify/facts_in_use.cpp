#include "certification/verify/facts_in_use.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "certification/verify/verdict.hpp"
#include "models/facts/divergence_default.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using models::CountRange;
using models::FlowFacts;

/// Compares the facts in use with the stated ones, kind by kind.
class FactComparison {
public:
    FactComparison(const assembly::Function& function, const FlowFacts& in_use,
                   const FlowFacts& stated, const std::string& path)
        : function_{function}, in_use_{in_use}, stated_{stated}, path_{path} {}

    std::size_t derived() {
        check_path_facts();
        check_loops();
        check_memory();
        check_lanes();
        return derived_;
    }

private:
    [[noreturn]] void fail(const std::string& what) const {
        throw Finding{Verdict::Failed, path_ + ": " + what};
    }

    /// Equal but for who says so.
    template <class Fact> static bool same_facts(std::vector<Fact> one, std::vector<Fact> other) {
        const auto forget = [](Fact& fact) { fact.from = {}; };
        std::for_each(one.begin(), one.end(), forget);
        std::for_each(other.begin(), other.end(), forget);
        return one == other;
    }

    void check_path_facts() {
        for (const auto& never : stated_.nevers)
            if (!in_use_.is_never(never.block))
                fail(fmt::format("0x{:04x} is stated never to be executed", never.block));
        for (const auto& never : in_use_.nevers)
            if (!stated_.is_never(never.block)) ++derived_;
        if (!same_facts(in_use_.exclusives, stated_.exclusives))
            fail("its <exclusive> facts are not those that the inputs state");
        if (!same_facts(in_use_.constraints, stated_.constraints))
            fail("its <constraint> facts are not those that the inputs state");
    }

    void check_loops() {
        for (const auto& loop : stated_.loops) {
            const auto* used = in_use_.loop_at(loop.header);
            if (used == nullptr || used->min < loop.min || used->max > loop.max)
                fail(fmt::format("the stated bound of the loop at 0x{:04x} is missing or wider",
                                 loop.header));
        }
        for (const auto& loop : in_use_.loops) {
            const auto* stated = stated_.loop_at(loop.header);
            if (stated == nullptr || stated->min != loop.min || stated->max != loop.max) ++derived_;
        }
    }

    static bool narrows(const std::optional<CountRange>& used,
                        const std::optional<CountRange>& stated) {
        return !stated || (used && used->min >= stated->min && used->max <= stated->max);
    }

    void check_memory() {
        for (const auto& access : stated_.memory) {
            const auto* used = in_use_.memory_at(access.at);
            if (used == nullptr || used->level != access.level || used->pattern != access.pattern ||
                !narrows(used->transactions, access.transactions) ||
                !narrows(used->conflict_degree, access.conflict_degree))
                fail(fmt::format("what is stated of the access at 0x{:04x} is missing or wider",
                                 access.at));
        }
        for (const auto& access : in_use_.memory) {
            const auto* stated = stated_.memory_at(access.at);
            if (stated == nullptr && (access.level != models::MemoryLevel::Any || access.pattern))
                fail(fmt::format(
                    "nobody states the level or the addresses of the access at 0x{:04x}",
                    access.at));
            if (stated == nullptr || stated->transactions != access.transactions ||
                stated->conflict_degree != access.conflict_degree)
                ++derived_;
        }
    }

    void check_lanes() {
        for (const auto& fact : stated_.divergents)
            if (!in_use_.is_divergent(fact.at))
                fail(fmt::format("0x{:04x} is stated to be divergent", fact.at));
        for (const auto& fact : in_use_.uniforms)
            if (!stated_.is_uniform(fact.at)) ++derived_;
        const auto graph = assembly::build_control_flow_graph(function_);
        if (!graph) throw Finding{Verdict::Incomplete, path_ + ": " + to_string(graph.error())};
        const auto deciding = models::deciding_instructions(function_, graph.value());
        for (std::size_t i = 0; i < deciding.size(); ++i) {
            const std::int64_t at = function_.instructions[i].address;
            if (deciding[i] && in_use_.is_uniform(at) == in_use_.is_divergent(at))
                fail(fmt::format("0x{:04x} must be either uniform or divergent", at));
        }
    }

    const assembly::Function& function_;
    const FlowFacts& in_use_;
    const FlowFacts& stated_;
    const std::string& path_;
    std::size_t derived_ = 0;
};

} // namespace

std::size_t derived_facts(const assembly::Function& function, const std::string& listing,
                          const FlowFacts& in_use, const FlowFacts& stated,
                          const std::string& path) {
    if (in_use.kernel != function.name || in_use.program_digest != listing)
        throw Finding{Verdict::Failed, path + ": of another listing or kernel"};
    return FactComparison{function, in_use, stated, path}.derived();
}

} // namespace warpbound::certification::verify
