#include "certification/verify/facts_in_use.hpp"

#include "assembly/flow/control_flow_graph.hpp"
#include "certification/verify/verdict.hpp"
#include "models/facts/divergence_default.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification::verify {

namespace {

using models::CountRange;
using models::FlowFacts;

/// By address; the first of several counts.
template <class Fact>
std::map<std::int64_t, const Fact*> by_address(const std::vector<Fact>& facts,
                                               std::int64_t Fact::*address) {
    std::map<std::int64_t, const Fact*> found;
    for (const Fact& fact : facts)
        found.emplace(fact.*address, &fact);
    return found;
}

template <class Fact> std::set<std::int64_t> addresses_of(const std::vector<Fact>& facts) {
    std::set<std::int64_t> addresses;
    for (const Fact& fact : facts)
        addresses.insert(fact.at);
    return addresses;
}

template <class Fact>
const Fact* find_at(const std::map<std::int64_t, const Fact*>& facts, std::int64_t address) {
    const auto found = facts.find(address);
    return found == facts.end() ? nullptr : found->second;
}

/// Compares the facts in use with the stated ones, kind by kind.
class FactComparison {
public:
    FactComparison(const assembly::Function& function, const FlowFacts& in_use,
                   const FlowFacts& stated, const std::string& path)
        : function_{function}, in_use_{in_use}, stated_{stated}, path_{path} {}

    DerivedFacts derived() {
        check_path_facts();
        check_loops();
        check_memory();
        check_lanes();
        compare_represented_threads();
        return {derived_, loops_};
    }

private:
    [[noreturn]] void fail(const std::string& what) const { refuted(path_ + ": " + what); }

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
        check_relations(in_use_.exclusives, stated_.exclusives, "<exclusive>",
                        [](const models::ExclusiveFact&) { return true; });
        check_relations(in_use_.constraints, stated_.constraints, "<constraint>",
                        [](const models::LinearFact& fact) {
                            return excludes_a_way(fact) || excludes_two_ways(fact);
                        });
    }

    /// In use are the stated facts and those that may follow from the code.
    template <class Fact, class MayFollow>
    void check_relations(const std::vector<Fact>& in_use, const std::vector<Fact>& stated,
                         const char* element, MayFollow may_follow) {
        std::vector<Fact> of_inputs;
        for (const Fact& fact : in_use)
            if (may_follow(fact) &&
                !std::any_of(stated.begin(), stated.end(),
                             [&](const Fact& one) { return same_facts<Fact>({one}, {fact}); }))
                ++derived_;
            else
                of_inputs.push_back(fact);
        if (!same_facts(of_inputs, stated))
            fail(fmt::format("its {} facts are not those that the inputs state", element));
    }

    /// An edge that is never taken, or a block whose EXIT ends no thread.
    static bool excludes_a_way(const models::LinearFact& fact) {
        const auto& terms = fact.terms;
        if (fact.constant != 0 || terms.empty() || !terms[0].from || terms[0].coefficient != 1)
            return false;
        if (terms.size() == 1) return fact.relation == models::LinearFact{}.relation;
        return terms.size() == 2 && fact.relation == models::Relation::AtLeast &&
               terms[1].coefficient == -1 && !terms[1].from && terms[1].block == *terms[0].from;
    }

    /// Two edges, or an edge and a block, of which a run takes one at most.
    static bool excludes_two_ways(const models::LinearFact& fact) {
        const auto& terms = fact.terms;
        return fact.relation == models::Relation::AtMost && fact.constant == 1 &&
               terms.size() == 2 && terms[0].coefficient == 1 && terms[1].coefficient == 1 &&
               (terms[0].from || terms[1].from);
    }

    void check_loops() {
        const auto used_loops = by_address(in_use_.loops, &models::LoopFact::header);
        const auto stated_loops = by_address(stated_.loops, &models::LoopFact::header);
        for (const auto& loop : stated_.loops) {
            const auto* used = find_at(used_loops, loop.header);
            if (used == nullptr || used->min < loop.min || used->max > loop.max)
                fail(fmt::format("the stated bound of the loop at 0x{:04x} is missing or wider",
                                 loop.header));
        }
        for (const auto& loop : in_use_.loops) {
            const auto* stated = find_at(stated_loops, loop.header);
            if (stated != nullptr && stated->min == loop.min && stated->max == loop.max) continue;
            ++derived_;
            loops_.insert(loop.header);
        }
    }

    static bool narrows(const std::optional<CountRange>& used,
                        const std::optional<CountRange>& stated) {
        return !stated || (used && used->min >= stated->min && used->max <= stated->max);
    }

    void check_memory() {
        const auto used_accesses = by_address(in_use_.memory, &models::MemoryFact::at);
        const auto stated_accesses = by_address(stated_.memory, &models::MemoryFact::at);
        for (const auto& access : stated_.memory) {
            const auto* used = find_at(used_accesses, access.at);
            if (used == nullptr || used->level != access.level || used->pattern != access.pattern ||
                !narrows(used->transactions, access.transactions) ||
                !narrows(used->conflict_degree, access.conflict_degree) ||
                !narrows(used->sectors, access.sectors))
                fail(fmt::format("what is stated of the access at 0x{:04x} is missing or wider",
                                 access.at));
        }
        for (const auto& access : in_use_.memory) {
            const auto* stated = find_at(stated_accesses, access.at);
            if (stated == nullptr && (access.level != models::MemoryLevel::Any || access.pattern))
                fail(fmt::format(
                    "nobody states the level or the addresses of the access at 0x{:04x}",
                    access.at));
            if (stated == nullptr || stated->transactions != access.transactions ||
                stated->conflict_degree != access.conflict_degree ||
                stated->sectors != access.sectors)
                ++derived_;
        }
    }

    void check_lanes() {
        const auto uniform = addresses_of(in_use_.uniforms);
        const auto divergent = addresses_of(in_use_.divergents);
        const auto stated_uniform = addresses_of(stated_.uniforms);
        for (const auto& fact : stated_.divergents)
            if (divergent.count(fact.at) == 0)
                fail(fmt::format("0x{:04x} is stated to be divergent", fact.at));
        for (const auto& fact : in_use_.uniforms)
            if (stated_uniform.count(fact.at) == 0) ++derived_;
        const auto graph = assembly::build_control_flow_graph(function_);
        if (!graph) incomplete(path_ + ": " + to_string(graph.error()));
        const auto deciding = models::deciding_instructions(function_, graph.value());
        for (std::size_t i = 0; i < deciding.size(); ++i) {
            const std::int64_t at = function_.instructions[i].address;
            if (deciding[i] && uniform.count(at) == divergent.count(at))
                fail(fmt::format("0x{:04x} must be either uniform or divergent", at));
        }
    }

    void compare_represented_threads() {
        if (!stated_.representative) {
            derived_ += in_use_.representative ? 1U : 0U;
            return;
        }
        const auto said = [](models::RepresentativeFact fact) {
            fact.from = {};
            return fact;
        };
        if (!in_use_.representative ||
            said(*in_use_.representative) != said(*stated_.representative))
            fail("what is stated of representative threads is missing or differs");
    }

    const assembly::Function& function_;
    const FlowFacts& in_use_;
    const FlowFacts& stated_;
    const std::string& path_;
    std::size_t derived_ = 0;
    std::set<std::int64_t> loops_;
};

} // namespace

DerivedFacts derived_facts(const assembly::Function& function, const std::string& listing,
                           const FlowFacts& in_use, const FlowFacts& stated,
                           const std::string& path) {
    if (in_use.kernel != function.name || in_use.program_digest != listing)
        refuted(path + ": of another listing or kernel");
    return FactComparison{function, in_use, stated, path}.derived();
}

} // namespace warpbound::certification::verify
