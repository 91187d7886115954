#include "certification/verify/solver/script.hpp"

#include "certification/verify/solver/table_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification::verify {

namespace {

std::string literal(std::int64_t value) {
    const std::string text = std::to_string(value);
    return value < 0 ? "(- " + text.substr(1) + ")" : text;
}

std::string product(std::int64_t factor, const std::string& name) {
    return factor == 1 ? name : "(* " + literal(factor) + " " + name + ")";
}

/// A sum that grows term by term.
class Sum {
public:
    void add(const std::string& term) {
        text_ += (terms_ == 0 ? "" : " ") + term;
        ++terms_;
    }
    void add(std::int64_t factor, const std::string& name) {
        if (factor != 0) add(product(factor, name));
    }
    [[nodiscard]] std::string text() const {
        return terms_ == 0 ? "0" : terms_ == 1 ? text_ : "(+ " + text_ + ")";
    }

private:
    std::string text_;
    std::size_t terms_ = 0;
};

std::string edge_of(std::size_t edge) {
    return "x" + std::to_string(edge);
}
std::string end_of(std::size_t node) {
    return "e" + std::to_string(node);
}

class Writer {
public:
    Writer(const KernelCase& kernel, const ControlFlow& flow, const Certificate& certificate)
        : kernel_{kernel}, flow_{flow},
          certificate_{certificate}, problem_{flow, certificate}, index_{flow, certificate} {
        for (const CheckedLoop& loop : flow.loops)
            if (!headers(loop).empty()) loops_.push_back(&loop);
        std::sort(loops_.begin(), loops_.end(),
                  [](const CheckedLoop* a, const CheckedLoop* b) { return a->header < b->header; });
    }

    std::string write() {
        head();
        variables();
        flow_rows();
        for (const CheckedLoop* loop : loops_)
            loop_rows(*loop);
        if (certificate_.all_facts) fact_rows();
        region_rows();
        goal();
        return out_ + "(check-sat)\n(exit)\n";
    }

private:
    void head() {
        out_ += fmt::format("; {}: {}\n", certificate_.id, certificate_.text);
        out_ += fmt::format("; expected: unsat, no path costs {} than {} cycles\n",
                            certificate_.upper ? "more" : "less", certificate_.bound);
        out_ += "(set-info :smt-lib-version 2.6)\n(set-info :status unsat)\n(set-logic QF_LIA)\n";
    }

    void variables() {
        std::vector<std::string> names;
        for (std::size_t edge = 0; edge < certificate_.edges.size(); ++edge)
            names.push_back(edge_of(edge));
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
            if (certificate_.nodes[node].end) names.push_back(end_of(node));
        for (const CheckedLoop* loop : loops_)
            for (const std::size_t header : headers(*loop))
                for (const auto& [name, cost] : traversals(header))
                    names.push_back(name);
        for (const auto& name : names)
            out_ += "(declare-const " + name + " Int)\n";
        for (const auto& name : names)
            out_ += "(assert (>= " + name + " 0))\n";
    }

    void row(const std::string& label, const std::string& relation, const std::string& left,
             const std::string& right) {
        out_ += "(assert (! (" + relation + " " + left + " " + right + ") :named " + label + "))\n";
    }

    [[nodiscard]] bool in(const CheckedLoop& loop, std::size_t node) const {
        return loop.blocks.count(certificate_.nodes[node].block) != 0;
    }
    [[nodiscard]] const std::vector<std::size_t>& headers(const CheckedLoop& loop) const {
        return index_.nodes_of(loop.header);
    }
    /// Variables of the traversals of a loop from one of its headers, with their best costs.
    [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>>
    traversals(std::size_t header) const {
        const TraversalCosts costs = problem_.traversal_from(header);
        std::vector<std::pair<std::string, std::int64_t>> list;
        for (const auto& [exit, cost] : costs.exits)
            list.emplace_back(fmt::format("s{}_{}", header, exit), cost);
        if (costs.end) list.emplace_back(fmt::format("s{}_end", header), *costs.end);
        return list;
    }

    void flow_rows() {
        std::vector<Sum> into(certificate_.nodes.size());
        std::vector<Sum> out(certificate_.nodes.size());
        for (std::size_t edge = 0; edge < certificate_.edges.size(); ++edge) {
            into[certificate_.edges[edge].to].add(edge_of(edge));
            out[certificate_.edges[edge].from].add(edge_of(edge));
        }
        into[0].add("1");
        Sum ends;
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node) {
            if (certificate_.nodes[node].end) {
                out[node].add(end_of(node));
                ends.add(end_of(node));
            }
            row(fmt::format("flow_{}", node), "=", into[node].text(), out[node].text());
        }
        row("once", "=", ends.text(), "1");
    }

    void loop_rows(const CheckedLoop& loop) {
        Sum back_edges;
        Sum entries;
        std::map<std::size_t, Sum> left;    // by exit node
        std::map<std::size_t, Sum> entered; // by header node
        Sum cost;
        for (const std::size_t edge : index_.edges_into(headers(loop))) {
            const auto& [from, to, unused] = certificate_.edges[edge];
            const bool inside = in(loop, from);
            (inside ? back_edges : entries).add(edge_of(edge));
            if (!inside) entered[to].add(edge_of(edge));
        }
        const std::vector<std::size_t> nodes = index_.nodes_in(loop);
        for (const std::size_t edge : index_.edges_from(nodes)) {
            const auto& [from, to, edge_cost] = certificate_.edges[edge];
            if (!in(loop, to)) left[to].add(edge_of(edge));
            cost.add(edge_cost, edge_of(edge));
        }
        Sum ended;
        for (const std::size_t node : nodes)
            if (certificate_.nodes[node].end) {
                ended.add(end_of(node));
                cost.add(*certificate_.nodes[node].end, end_of(node));
            }
        if (certificate_.nodes[0].block == loop.header) {
            entries.add("1");
            entered[0].add("1");
        }
        const std::string name = fmt::format("b{}", loop.header);
        row("iterations_at_most_" + name, "<=", back_edges.text(),
            product(loop.max_back_edges, entries.text()));
        row("iterations_at_least_" + name, ">=", back_edges.text(),
            product(loop.min_back_edges, entries.text()));
        std::map<std::size_t, Sum> traversals_to; // by exit node
        Sum traversals_to_end;
        Sum limit;
        for (const std::size_t header : headers(loop)) {
            Sum parts;
            const TraversalCosts costs = problem_.traversal_from(header);
            for (const auto& [exit, traversal_cost] : costs.exits) {
                const std::string variable = fmt::format("s{}_{}", header, exit);
                parts.add(variable);
                traversals_to[exit].add(variable);
                limit.add(traversal_cost, variable);
            }
            if (costs.end) {
                const std::string variable = fmt::format("s{}_end", header);
                parts.add(variable);
                traversals_to_end.add(variable);
                limit.add(*costs.end, variable);
            }
            row(fmt::format("traversals_into_{}", header), "=", parts.text(),
                entered[header].text());
        }
        for (const auto& [exit, edges] : left)
            row(fmt::format("traversals_{}_to_{}", name, exit), "=", traversals_to[exit].text(),
                edges.text());
        row(fmt::format("traversals_{}_to_end", name), "=", traversals_to_end.text(), ended.text());
        row("cut_" + name, certificate_.upper ? "<=" : ">=", cost.text(), limit.text());
    }

    /// Adds how often a block, or an edge of the control flow, is executed.
    void count(Sum& sum, std::int64_t factor, const std::optional<std::int64_t>& from,
               std::int64_t block) const {
        for (const std::size_t edge : index_.edges_into(index_.nodes_at(block))) {
            const std::size_t source = certificate_.nodes[certificate_.edges[edge].from].block;
            if (!from || flow_.blocks[source].first == *from)
                sum.add(product(factor, edge_of(edge)));
        }
        const bool starts = flow_.blocks[certificate_.nodes[0].block].first == block;
        if (!from && starts) sum.add(literal(factor));
    }

    void fact_rows() {
        std::size_t number = 0;
        for (const auto& fact : kernel_.facts.exclusives) {
            Sum first;
            Sum second;
            count(first, 1, std::nullopt, fact.first);
            count(second, 1, std::nullopt, fact.second);
            row(fmt::format("exclusive_{}", number++), "or", "(= " + first.text() + " 0)",
                "(= " + second.text() + " 0)");
            if (!index_.at_most_once(fact.first) || !index_.at_most_once(fact.second)) continue;
            Sum both;
            count(both, 1, std::nullopt, fact.first);
            count(both, 1, std::nullopt, fact.second);
            row(fmt::format("exclusive_once_{}", number - 1), "<=", both.text(), "1");
        }
        number = 0;
        for (const auto& fact : kernel_.facts.constraints) {
            Sum sum;
            for (const auto& term : fact.terms)
                count(sum, term.coefficient, term.from, term.block);
            std::string relation = "=";
            if (fact.relation == models::Relation::AtMost) relation = "<=";
            if (fact.relation == models::Relation::AtLeast) relation = ">=";
            row(fmt::format("linear_{}", number++), relation, sum.text(), literal(fact.constant));
        }
    }

    /// Edges inside a region are taken only if one that leads into it is.
    void region_rows() {
        std::size_t number = 0;
        for (const auto& nodes : certificate_.regions) {
            const std::set<std::size_t> region{nodes.begin(), nodes.end()};
            Sum inside;
            Sum entering;
            for (const std::size_t edge : index_.edges_into(nodes))
                (region.count(certificate_.edges[edge].from) != 0 ? inside : entering)
                    .add(edge_of(edge));
            row(fmt::format("region_{}", number++), "or", "(= " + inside.text() + " 0)",
                "(>= " + entering.text() + " 1)");
        }
    }

    void goal() {
        Sum cost;
        for (std::size_t edge = 0; edge < certificate_.edges.size(); ++edge)
            cost.add(certificate_.edges[edge].cost, edge_of(edge));
        for (std::size_t node = 0; node < certificate_.nodes.size(); ++node)
            if (certificate_.nodes[node].end) cost.add(*certificate_.nodes[node].end, end_of(node));
        row("goal", certificate_.upper ? ">=" : "<=", cost.text(),
            literal(certificate_.upper ? certificate_.bound + 1 : certificate_.bound - 1));
    }

    const KernelCase& kernel_;
    const ControlFlow& flow_;
    const Certificate& certificate_;
    PathProblem problem_;
    TableIndex index_;
    std::vector<const CheckedLoop*> loops_;
    std::string out_;
};

} // namespace

std::string expected_script(const KernelCase& kernel, const ControlFlow& flow,
                            const Certificate& certificate) {
    return Writer{kernel, flow, certificate}.write();
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
