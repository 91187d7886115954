#include "certification/verify/flow/register_values.hpp"

#include <algorithm>
#include <limits>

namespace warpbound::certification::verify {

namespace {

using assembly::Register;
using Numbers = std::map<Register, NumberSet>;

constexpr std::size_t most_registers = 24; ///< Of a loop, that are followed.

std::vector<Register> names_of(const Numbers& numbers) {
    std::vector<Register> names;
    for (const auto& [reg, unused] : numbers)
        names.push_back(reg);
    return names;
}

} // namespace

bool RegisterValues::is_in(std::size_t block, std::size_t loop) const {
    const auto& blocks = graph_.loops[loop].blocks;
    return std::binary_search(blocks.begin(), blocks.end(), block);
}

NumberSet RegisterValues::entry_value(std::size_t loop, Register reg) {
    if (graph_.loops[loop].header == 0) return anything(reg);
    NumberSet number = NumberSet::none();
    for (const std::size_t edge : graph_.loops[loop].entry_edges)
        if (may_take(edge)) number = joined(number, value_on(edge, reg));
    return number;
}

/// At the header of a loop: in the iteration that is executed, or over all.
NumberSet RegisterValues::header_value(std::size_t loop, const ValueSource& source) {
    if (!executions_.empty() && executions_.back().loop == loop) {
        ++reads_of_iterations_;
        const auto& values = executions_.back().values;
        if (const auto known = values.find(source.reg); known != values.end()) return known->second;
        if (executions_.back().iteration > 1 || values.size() >= most_registers) {
            executions_.back().missing.insert(source.reg);
            return anything(source.reg);
        }
        const NumberSet first = entry_value(loop, source.reg);
        executions_.back().values.emplace(source.reg, first);
        return first;
    }
    // Loops inside the executed one go through all their iterations in one of its own.
    const bool is_inner = !executions_.empty() && executions_.back().loop &&
                          is_in(graph_.loops[loop].header, *executions_.back().loop);
    if (is_inner || iterating_.count(loop) != 0) {
        ++reads_of_iterations_;
        return anything(source.reg);
    }
    const IteratedLoop& iterated = iterate(loop);
    const auto known = iterated.values.find(source.reg);
    return known == iterated.values.end() ? anything(source.reg) : known->second;
}

const IteratedLoop& RegisterValues::iterate(std::size_t loop) {
    const auto known = iterated_.find(loop);
    if (known != iterated_.end()) return known->second;
    iterating_.insert(loop);
    IteratedLoop result = execute(loop);
    iterating_.erase(loop);
    return iterated_.emplace(loop, std::move(result)).first->second;
}

IteratedLoop RegisterValues::execute(std::size_t loop) {
    std::set<Register> wanted;
    for (int attempt = 0; attempt < 4; ++attempt) {
        IteratedLoop result;
        result.min = std::numeric_limits<std::int64_t>::max();
        executions_.emplace_back();
        executions_.back().loop = loop;
        for (const Register reg : wanted) {
            const NumberSet first = entry_value(loop, reg);
            executions_.back().values.emplace(reg, first);
        }
        bool is_closed = false; // All iterations are known.
        bool repeats = false;
        for (std::int64_t iteration = 1; iteration <= iterations_[loop] && !is_exhausted();
             ++iteration) {
            executions_.back().iteration = iteration;
            const auto next = step(result);
            for (const auto& [reg, number] : executions_.back().values) {
                const auto [known, fresh] = result.values.try_emplace(reg, number);
                if (!fresh) known->second = joined(known->second, number);
            }
            if (!next) {
                result.max = iteration;
                is_closed = true;
                break;
            }
            if (*next == executions_.back().values) {
                is_closed = repeats = true;
                break;
            }
            auto& execution = executions_.back();
            execution.values = *next;
            execution.at_points.clear();
            execution.of_sources.clear();
            execution.narrowed.clear();
            execution.of_edges.clear();
            execution.taken.clear();
        }
        const std::set<Register> missing = executions_.back().missing;
        executions_.pop_back();
        if (!is_closed) result.values.clear();
        if (result.min == std::numeric_limits<std::int64_t>::max()) // No exit may be taken so far.
            result.min = repeats || is_exhausted() ? 1 : iterations_[loop] + 1;
        const std::size_t before = wanted.size();
        for (const auto& [reg, unused] : result.values)
            wanted.insert(reg);
        if (missing.empty() || before + missing.size() > most_registers) return result;
        wanted.insert(missing.begin(), missing.end());
    }
    return {};
}

/// Which blocks of the loop are reached, and whether it may be left.
std::optional<Numbers> RegisterValues::step(IteratedLoop& result) {
    const std::size_t number = *executions_.back().loop;
    const assembly::Loop& loop = graph_.loops[number];
    std::set<std::size_t> reached{loop.header};
    std::vector<std::size_t> open{loop.header};
    std::vector<std::size_t> back;
    bool may_leave = false;
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        const auto flow = function_.instructions[graph_.blocks[block].last].control_flow;
        if ((graph_.blocks[block].exits && may_exit(block)) ||
            flow == assembly::ControlFlow::Trap || flow == assembly::ControlFlow::ExternalCall)
            may_leave = true;
        for (const std::size_t edge : graph_.blocks[block].out) {
            if (!may_take(edge)) continue;
            const std::size_t to = graph_.edges[edge].to;
            if (to == loop.header)
                back.push_back(edge);
            else if (!is_in(to, number))
                may_leave = true;
            else if (reached.insert(to).second)
                open.push_back(to);
        }
    }
    if (may_leave) result.min = std::min(result.min, executions_.back().iteration);
    if (back.empty()) return std::nullopt;
    Numbers next;
    for (std::size_t known = 0; known != executions_.back().values.size();) {
        const std::vector<Register> names = names_of(executions_.back().values);
        known = names.size();
        for (const Register reg : names) {
            if (next.count(reg) != 0) continue;
            NumberSet after = NumberSet::none();
            for (const std::size_t edge : back)
                after = joined(after, value_on(edge, reg));
            next.emplace(reg, after);
        }
    }
    return next;
}

std::vector<bool> RegisterValues::reached_blocks() {
    std::vector<bool> reached(graph_.blocks.size(), false);
    std::vector<std::size_t> open{0};
    reached[0] = true;
    while (!open.empty()) {
        const std::size_t block = open.back();
        open.pop_back();
        for (const std::size_t edge : graph_.blocks[block].out) {
            const std::size_t to = graph_.edges[edge].to;
            if (reached[to] || !may_take(edge)) continue;
            reached[to] = true;
            open.push_back(to);
        }
    }
    return reached;
}

} // namespace warpbound::certification::verify
