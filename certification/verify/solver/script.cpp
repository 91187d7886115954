#include "certification/verify/solver/script.hpp"

#include "certification/verify/flow/pair_states.hpp"
#include "certification/verify/solver/table_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using models::Relation;

LinearSum constant(std::int64_t value) {
    return {{value, std::nullopt}};
}

/// The rows of a script, and its variables by what they count.
class Builder {
public:
    Builder(const KernelCase& kernel, const ControlFlow& flow, const Certificate& certificate)
        : facts_{facts_of_script(kernel.facts, certificate)}, flow_{flow},
          certificate_{certificate}, problem_{flow, certificate}, index_{flow, certificate} {
        for (const CheckedLoop& loop : flow.loops)
            if (!headers(loop).empty()) loops_.push_back(&loop);
        std::sort(loops_.begin(), loops_.end(),
                  [](const CheckedLoop* a, const CheckedLoop* b) { return a->header < b->header; });
    }

    Script build() {
        script_.id = certificate_.id;
        script_.text = certificate_.text;
        script_.upper = certificate_.upper;
        script_.bound = certificate_.bound;
        variables();
        conserve_flow();
        for (const CheckedLoop* loop : loops_)
            bound_iterations(*loop);
        if (certificate_.all_facts) assert_facts();
        connect_regions();
        goal();
        return std::move(script_);
    }

private:
    std::size_t variable(std::string name) {
        script_.variables.push_back(std::move(name));
        return script_.variables.size() - 1;
    }

    /// Edges come first: the variable of an edge has its number.
    void variables() {
        for (std::size_t edge = 0; edge < certificate_.edges.size(); ++edge)
            variable(fmt::format("x{}", edge));
        end_.resize(certificate_.nodes.size());
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
            if (certificate_.nodes[node].end) end_[node] = variable(fmt::format("e{}", node));
        for (const CheckedLoop* loop : loops_)
            for (const std::size_t header : headers(*loop)) {
                const TraversalCosts costs = problem_.traversal_from(header);
                Traversals& of_header = traversals_[header];
                for (const auto& [exit, cost] : costs.exits)
                    of_header.exits[exit] = {cost, variable(fmt::format("s{}_{}", header, exit))};
                if (costs.end)
                    of_header.end = {*costs.end, variable(fmt::format("s{}_end", header))};
            }
    }

    void row(std::string label, Relation relation, LinearSum left, LinearSum right,
             std::int64_t factor = 1) {
        script_.rows.push_back(
            {std::move(label), Constraint{relation, std::move(left), std::move(right), factor}});
    }
    void either(std::string label, Constraint first, Constraint second) {
        script_.rows.push_back(
            {std::move(label), Disjunction{std::move(first), std::move(second)}});
    }

    static void add_cost(LinearSum& sum, std::int64_t cost, std::size_t variable) {
        if (cost != 0) sum.emplace_back(cost, variable);
    }

    [[nodiscard]] bool in(const CheckedLoop& loop, std::size_t node) const {
        return loop.blocks.count(certificate_.nodes[node].block) != 0;
    }
    [[nodiscard]] const std::vector<std::size_t>& headers(const CheckedLoop& loop) const {
        return index_.nodes_of(loop.header);
    }

    void conserve_flow() {
        std::vector<LinearSum> into(certificate_.nodes.size());
        std::vector<LinearSum> out(certificate_.nodes.size());
        for (std::size_t edge = 0; edge < certificate_.edges.size(); ++edge) {
            into[certificate_.edges[edge].to].emplace_back(1, edge);
            out[certificate_.edges[edge].from].emplace_back(1, edge);
        }
        into[0].emplace_back(1, std::nullopt);
        LinearSum ends;
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node) {
            if (end_[node]) {
                out[node].emplace_back(1, end_[node]);
                ends.emplace_back(1, end_[node]);
            }
            row(fmt::format("flow_{}", node), Relation::Equal, std::move(into[node]),
                std::move(out[node]));
        }
        row("once", Relation::Equal, std::move(ends), constant(1));
    }

    void bound_iterations(const CheckedLoop& loop) {
        LinearSum back_edges;
        LinearSum entries;
        std::map<std::size_t, LinearSum> entered; // by header node
        for (const std::size_t edge : index_.incoming_edges(headers(loop))) {
            const auto& [from, to, unused] = certificate_.edges[edge];
            const bool inside = in(loop, from);
            (inside ? back_edges : entries).emplace_back(1, edge);
            if (!inside) entered[to].emplace_back(1, edge);
        }
        if (certificate_.nodes[0].block == loop.header) {
            entries.emplace_back(1, std::nullopt);
            entered[0].emplace_back(1, std::nullopt);
        }
        const std::string name = fmt::format("b{}", loop.header);
        row("iterations_at_most_" + name, Relation::AtMost, back_edges, entries,
            loop.max_back_edges);
        row("iterations_at_least_" + name, Relation::AtLeast, std::move(back_edges),
            std::move(entries), loop.min_back_edges);
        for (const std::size_t header : headers(loop))
            row(fmt::format("traversals_into_{}", header), Relation::Equal, traversals_of(header),
                std::move(entered[header]));
        leaving_rows(loop, name);
    }

    [[nodiscard]] LinearSum traversals_of(std::size_t header) const {
        LinearSum all;
        const Traversals& traversals = traversals_.at(header);
        for (const auto& [unused, traversal] : traversals.exits)
            all.emplace_back(1, traversal.second);
        if (traversals.end) all.emplace_back(1, traversals.end->second);
        return all;
    }

    void leaving_rows(const CheckedLoop& loop, const std::string& name) {
        std::map<std::size_t, LinearSum> left; // by exit node
        LinearSum ended;
        LinearSum cost;
        const std::vector<std::size_t> nodes = index_.nodes_in(loop);
        for (const std::size_t edge : index_.outgoing_edges(nodes)) {
            const auto& [from, to, edge_cost] = certificate_.edges[edge];
            if (!in(loop, to)) left[to].emplace_back(1, edge);
            add_cost(cost, edge_cost, edge);
        }
        for (const std::size_t node : nodes)
            if (end_[node]) {
                ended.emplace_back(1, end_[node]);
                add_cost(cost, *certificate_.nodes[node].end, *end_[node]);
            }
        std::map<std::size_t, LinearSum> traversals_to; // by exit node
        LinearSum traversals_to_end;
        LinearSum limit;
        for (const std::size_t header : headers(loop)) {
            const Traversals& traversals = traversals_.at(header);
            for (const auto& [exit, traversal] : traversals.exits) {
                traversals_to[exit].emplace_back(1, traversal.second);
                add_cost(limit, traversal.first, traversal.second);
            }
            if (!traversals.end) continue;
            traversals_to_end.emplace_back(1, traversals.end->second);
            add_cost(limit, traversals.end->first, traversals.end->second);
        }
        for (auto& [exit, edges] : left)
            row(fmt::format("traversals_{}_to_{}", name, exit), Relation::Equal,
                std::move(traversals_to[exit]), std::move(edges));
        row(fmt::format("traversals_{}_to_end", name), Relation::Equal,
            std::move(traversals_to_end), std::move(ended));
        row("cut_" + name, certificate_.upper ? Relation::AtMost : Relation::AtLeast,
            std::move(cost), std::move(limit));
    }

    /// Adds how often a block, or an edge of the control flow, is executed.
    void count(LinearSum& sum, std::int64_t factor, const std::optional<std::int64_t>& from,
               std::int64_t block) const {
        for (const std::size_t edge : index_.incoming_edges(index_.nodes_at(block))) {
            const std::size_t source = certificate_.nodes[certificate_.edges[edge].from].block;
            if (!from || flow_.blocks[source].first == *from) sum.emplace_back(factor, edge);
        }
        const bool starts = flow_.blocks[certificate_.nodes[0].block].first == block;
        if (!from && starts) sum.emplace_back(factor, std::nullopt);
    }

    void assert_facts() {
        std::size_t number = 0;
        for (const auto& fact : facts_.exclusives) {
            LinearSum first;
            LinearSum second;
            count(first, 1, std::nullopt, fact.first);
            count(second, 1, std::nullopt, fact.second);
            LinearSum both = first;
            both.insert(both.end(), second.begin(), second.end());
            either(fmt::format("exclusive_{}", number++),
                   {Relation::Equal, std::move(first), constant(0)},
                   {Relation::Equal, std::move(second), constant(0)});
            if (index_.at_most_once(fact.first) && index_.at_most_once(fact.second))
                row(fmt::format("exclusive_once_{}", number - 1), Relation::AtMost, std::move(both),
                    constant(1));
        }
        number = 0;
        for (const auto& fact : facts_.constraints) {
            LinearSum sum;
            for (const auto& term : fact.terms)
                count(sum, term.coefficient, term.from, term.block);
            row(fmt::format("linear_{}", number++), fact.relation, std::move(sum),
                constant(fact.constant));
        }
    }

    /// Edges inside a region are taken only if one that leads into it is.
    void connect_regions() {
        std::size_t number = 0;
        for (const auto& nodes : certificate_.regions) {
            const std::set<std::size_t> region{nodes.begin(), nodes.end()};
            LinearSum inside;
            LinearSum entering;
            for (const std::size_t edge : index_.incoming_edges(nodes))
                (region.count(certificate_.edges[edge].from) != 0 ? inside : entering)
                    .emplace_back(1, edge);
            either(fmt::format("region_{}", number++),
                   {Relation::Equal, std::move(inside), constant(0)},
                   {Relation::AtLeast, std::move(entering), constant(1)});
        }
    }

    void goal() {
        LinearSum cost;
        for (std::size_t edge = 0; edge < certificate_.edges.size(); ++edge)
            add_cost(cost, certificate_.edges[edge].cost, edge);
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
            if (end_[node]) add_cost(cost, *certificate_.nodes[node].end, *end_[node]);
        row("goal", certificate_.upper ? Relation::AtLeast : Relation::AtMost, std::move(cost),
            constant(certificate_.upper ? certificate_.bound + 1 : certificate_.bound - 1));
    }

    /// Traversals of a loop from one of its headers: best cost and variable.
    struct Traversals {
        using Traversal = std::pair<std::int64_t, std::size_t>;
        std::map<std::size_t, Traversal> exits; ///< By exit node.
        std::optional<Traversal> end;
    };

    models::FlowFacts facts_; ///< That the script states.
    const ControlFlow& flow_;
    const Certificate& certificate_;
    PathProblem problem_;
    TableIndex index_;
    std::vector<const CheckedLoop*> loops_;
    std::vector<std::optional<std::size_t>> end_;  ///< Variable of the end of a node.
    std::map<std::size_t, Traversals> traversals_; ///< By header node.
    Script script_;
};

std::string literal(std::int64_t value) {
    const std::string text = std::to_string(value);
    return value < 0 ? "(- " + text.substr(1) + ")" : text;
}

std::string product(std::int64_t factor, const std::string& text) {
    return factor == 1 ? text : "(* " + literal(factor) + " " + text + ")";
}

/// Rows as SMT-LIB terms.
class Writer {
public:
    explicit Writer(const Script& script) : script_{script} {}

    [[nodiscard]] std::string term(const LinearSum& sum) const {
        if (sum.empty()) return "0";
        std::string terms;
        for (const auto& [factor, variable] : sum) {
            if (!terms.empty()) terms += " ";
            terms += variable ? product(factor, script_.variables[*variable]) : literal(factor);
        }
        return sum.size() == 1 ? terms : "(+ " + terms + ")";
    }
    [[nodiscard]] std::string term(const Constraint& constraint) const {
        const char* relation = constraint.relation == Relation::AtMost    ? "<="
                               : constraint.relation == Relation::AtLeast ? ">="
                                                                          : "=";
        return fmt::format("({} {} {})", relation, term(constraint.left),
                           product(constraint.factor, term(constraint.right)));
    }
    [[nodiscard]] std::string term(const Disjunction& disjunction) const {
        return fmt::format("(or {} {})", term(disjunction.first), term(disjunction.second));
    }

private:
    const Script& script_;
};

} // namespace

Script script_of(const KernelCase& kernel, const ControlFlow& flow,
                 const Certificate& certificate) {
    return Builder{kernel, flow, certificate}.build();
}

std::string text_of(const Script& script) {
    const Writer writer{script};
    std::string text = fmt::format("; {}: {}\n", script.id, script.text);
    text += fmt::format("; expected: unsat, no path costs {} than {} cycles\n",
                        script.upper ? "more" : "less", script.bound);
    text += "(set-info :smt-lib-version 2.6)\n(set-info :status unsat)\n(set-logic QF_LIA)\n";
    for (const auto& name : script.variables)
        text += "(declare-const " + name + " Int)\n";
    for (const auto& name : script.variables)
        text += "(assert (>= " + name + " 0))\n";
    for (const ScriptRow& row : script.rows)
        text += fmt::format(
            "(assert (! {} :named {}))\n",
            std::visit([&](const auto& content) { return writer.term(content); }, row.content),
            row.label);
    return text + "(check-sat)\n(exit)\n";
}

std::string first_difference(const std::string& expected, const std::string& shipped) {
    std::size_t line = 1;
    std::size_t start = 0;
    std::size_t i = 0;
    for (; i < expected.size() && i < shipped.size() && expected[i] == shipped[i]; ++i)
        if (expected[i] == '\n') {
            ++line;
            start = i + 1;
        }
    constexpr std::size_t shown = 120;
    const auto rest = [&](const std::string& text) {
        const std::string whole = text.substr(start, text.find('\n', start) - start);
        return whole.size() > shown ? whole.substr(0, shown) + ".." : whole;
    };
    return fmt::format("line {} is '{}', expected '{}'", line, rest(shipped), rest(expected));
}

} // namespace warpbound::certification::verify
