#include "tests/support/random_kernel.hpp"

#include "assembly/isa/reader.hpp"
#include "tests/support/random_statements.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace warpbound::tests {

namespace {

/// Writes one kernel: the control structure around the statements.
class KernelWriter : private RandomStatements {
public:
    using RandomStatements::RandomStatements;

    RandomKernel finish() {
        if (options_.sm != 20) kernel_.text = fmt::format("!Arch sm_{}\n", options_.sm);
        kernel_.text += "!Kernel random_kernel\n";
        if (options_.clock_reads && with_probability(50)) {
            const auto before = static_cast<int>(draw(0, options_.statements - 1));
            const auto between = static_cast<int>(draw(1, options_.statements - before));
            sequence(before, options_.depth);
            clock_read("R0");
            sequence(between, options_.depth);
            clock_read("R1");
            sequence(options_.statements - before - between, options_.depth);
        } else {
            sequence(options_.statements, options_.depth);
        }
        instruction("EXIT", 5);
        if (called_) subroutine();
        kernel_.text += "!EndKernel\n";
        kernel_.facts.kernel = "random_kernel";
        if (options_.further_facts) further_facts();
        return std::move(kernel_);
    }

private:
    void sequence(int statements, int depth) {
        for (int i = 0; i < statements; ++i) {
            const auto kind = depth > 0 ? draw(0, 9) : 9;
            if (options_.barriers && depth == options_.depth && with_probability(12))
                barrier();
            else if (options_.conditional_barriers && depth < options_.depth &&
                     with_probability(12))
                barrier();
            else if (may_call_ && with_probability(12))
                call();
            else if (options_.loop_exits_in_branches && depth > 1 && breaks_.label.empty() &&
                     with_probability(40))
                divergent_loop(statements, depth);
            else if (kind == 0 && (breaks_.label.empty() || with_probability(30)))
                loop(statements, depth);
            else if (options_.breaks && kind == 3 && options_.sm < 70)
                points(statements, depth);
            else if (options_.breaks && kind == 3 && barriers_ < 7 &&
                     (breaks_.label.empty() || with_probability(30)))
                point_with_leaving_lanes(statements, depth);
            else if (kind <= 2 && options_.tables && with_probability(50))
                table(statements, depth);
            else if (kind <= (pops_.empty() ? 2 : 6))
                branch(statements, depth);
            else if (kind == 3 && options_.predicates &&
                     (!options_.barriers || options_.early_ends) && with_probability(30))
                guarded_exit();
            else
                plain();
        }
    }

    void loop(int statements, int depth) {
        if (options_.divergence && with_probability(60)) return divergent_loop(statements, depth);
        const auto label = fmt::format("L{}", labels_++);
        models::LoopFact fact;
        fact.header = address_;
        fact.min = draw(1, 3);
        fact.max = fact.min + draw(0, options_.max_iterations - 1);
        put_label(label);
        const bool has_barrier =
            options_.barriers && depth == options_.depth && with_probability(40);
        if (has_barrier && !(options_.conditional_barriers && with_probability(50)))
            fact.max = fact.min;
        const bool early_exit = !has_barrier && with_probability(30);
        const auto out = fmt::format("L{}", labels_++);
        if (has_barrier) plain(); // No inner loop may begin here and share the header.
        const auto outer_breaks = std::exchange(breaks_, {});
        sequence(std::max(1, statements / 3), depth - 1);
        breaks_ = outer_breaks;
        if (has_barrier) barrier();
        if (early_exit) decide(fmt::format("@{} BRA {}", predicate(), out));
        plain();
        const auto guard = predicate();
        guarded_barrier(guard);
        const auto back_edge = fmt::format("@{} BRA {}", guard, label);
        if (has_barrier && options_.divergence && !with_probability(10))
            instruction(back_edge, 5); // Divergence here could split the arrivals at the barrier.
        else
            decide(back_edge);
        put_label(out);
        plain();
        keep(fact);
    }

    /// Sometimes a barrier that goes with the branch behind it, or against it.
    void guarded_barrier(const std::string& guard) {
        if (!options_.conditional_barriers || options_.divergence || !with_probability(25)) return;
        const bool against = with_probability(30);
        instruction(fmt::format("@{}{} BAR.SYNC 0x0", against ? "!" : "", guard), 2);
    }

    void keep(const models::LoopFact& fact) {
        // An inner loop without an instruction before it starts at the same address: one header,
        // one fact.
        for (const auto& other : kernel_.facts.loops)
            if (other.header == fact.header) return widen_loop_fact(fact);
        kernel_.facts.loops.push_back(fact);
    }

    /// Lanes may exit in different iterations and reconverge after the loop, or leave the point,
    /// too.
    void divergent_loop(int statements, int depth) {
        const auto label = fmt::format("L{}", labels_++);
        const auto out = fmt::format("L{}", labels_++);
        const auto after = fmt::format("L{}", labels_++);
        models::LoopFact fact;
        const bool breaks = options_.sm < 70 && with_probability(50);
        int point = -1;
        if (breaks)
            instruction("PBK " + out, 5);
        else
            point = push_point(out);
        plain();
        fact.header = address_;
        fact.min = draw(1, 3);
        fact.max = fact.min + draw(0, options_.max_iterations - 1);
        put_label(label);
        const auto next = fmt::format("L{}", labels_++);
        const bool continues = breaks && with_probability(40);
        if (continues) instruction("PCNT " + next, 5);
        plain();
        if (breaks) pops_.push_back(continues ? "CONT" : "BRK");
        const auto broken = fmt::format("L{}", labels_++);
        const auto outer_breaks = std::exchange(breaks_, {point >= 0 ? broken : "", {}});
        if (options_.loop_exits_in_branches && depth > 1)
            branch(std::max(4, statements), depth - 1);
        sequence(std::max(1, statements / 3), depth - 1);
        const bool is_broken = std::exchange(breaks_, outer_breaks).used;
        if (breaks) {
            pops_.pop_back();
            if (with_probability(60)) decide(fmt::format("@{} BRK", predicate()));
            plain();
            if (continues) {
                instruction("CONT", 5);
                put_label(next);
                plain();
            }
            decide(fmt::format("@{} BRA {}", predicate(), label));
            instruction("BRK", 5);
        } else {
            const bool leaves = point >= 0 && !is_broken && with_probability(50);
            if (leaves) {
                const auto by = predicate();
                leave(by, point, after);
            }
            plain();
            const auto tails = leaves ? std::vector<std::string>{} : loop_exits();
            const auto back_edge = fmt::format("@{} BRA {}", predicate(), label);
            if (leaves && with_probability(50))
                instruction(back_edge, 5);
            else
                decide(back_edge);
            for (const std::string& tail : tails) {
                if (with_probability(50)) plain();
                put_label(tail);
            }
            if (is_broken) put_label(broken);
            // Lanes that exited a loop may exit another one before they reconverge.
            if (options_.loop_exits_in_branches && !is_broken && tails.empty() && depth > 2 &&
                with_probability(50))
                divergent_loop(statements, depth - 1);
            if ((is_broken || !tails.empty()) && with_probability(50)) plain();
            if (point == -1) arrive(point, out);
        }
        put_point(point, out);
        plain();
        put_label(after);
        plain();
        keep(fact);
    }

    /// Branches out of the loop to labels after it.
    std::vector<std::string> loop_exits() {
        std::vector<std::string> labels;
        const auto before = kernel_.facts.divergents.size();
        for (std::int64_t places = draw(0, 2); places > 0; --places) {
            const auto label = fmt::format("L{}", labels_++);
            decide(fmt::format("@{} BRA {}", predicate(), label));
            if (!options_.barriers && with_probability(20)) { // The other lanes end.
                plain();
                instruction("EXIT", 5);
                put_label(label);
            } else {
                labels.push_back(label);
            }
            plain();
        }
        kernel_.has_several_loop_exits =
            kernel_.has_several_loop_exits || kernel_.facts.divergents.size() > before;
        return labels;
    }
    /// Lanes leave the reconvergence point and continue at the label.
    void leave(const std::string& by, int point, const std::string& to) {
        instruction(fmt::format("@{} BREAK B{}", by, point), 5);
        const std::size_t before = kernel_.facts.divergents.size();
        if (options_.tables && with_probability(40)) { // The branch transfers the other lanes.
            const auto stay = fmt::format("L{}", labels_++);
            decide(fmt::format("@!{} BRA {}", by, stay));
            instruction("BRA " + to, 5);
            put_label(stay);
        } else {
            decide(fmt::format("@{} BRA {}", by, to));
        }
        kernel_.leaves = kernel_.leaves || kernel_.facts.divergents.size() > before;
    }

    /// Some lanes leave the point at which the others reconverge, for an enclosing point or for
    /// none.
    void point_with_leaving_lanes(int statements, int depth) {
        const auto inner = fmt::format("L{}", labels_++);
        const auto outer = fmt::format("L{}", labels_++);
        const auto past = fmt::format("L{}", labels_++);
        const bool is_inside = with_probability(50);
        const auto outer_breaks = std::exchange(breaks_, {});
        if (is_inside) instruction(fmt::format("BSSY B{}, {}", barriers_++, outer), 5);
        const int point = barriers_++;
        instruction(fmt::format("BSSY B{}, {}", point, inner), 5);
        sequence(std::max(1, statements / 4), depth - 1);
        const auto by = predicate();
        const bool at_once = with_probability(60);
        if (at_once) {
            leave(by, point, past);
        } else {
            decide(fmt::format("@{} BRA {}", by, past));
            kernel_.leaves = true;
        }
        sequence(std::max(1, statements / 4), depth - 1);
        if (!options_.barriers && with_probability(30)) { // Some of the other lanes end.
            decide(fmt::format("@{} BRA {}", predicate(), inner));
            plain();
            instruction("EXIT", 5);
        }
        put_point(point, inner);
        plain();
        sequence(std::max(0, statements / 4 - 1), depth - 1);
        if (!at_once || with_probability(70)) {
            instruction("BRA " + outer, 5);
            arms_.push_back(address_);
        }
        put_label(past);
        if (!at_once) instruction(fmt::format("BREAK B{}", point), 5);
        plain();
        sequence(std::max(0, statements / 4 - 1), depth - 1);
        if (is_inside)
            put_point(barriers_ - 1, outer);
        else
            put_label(outer);
        plain();
        breaks_ = outer_breaks;
    }

    /// Two loops with one header are one natural loop: widens the existing fact.
    void widen_loop_fact(const models::LoopFact& fact) {
        for (auto& other : kernel_.facts.loops)
            if (other.header == fact.header) {
                other.min = 1;
                other.max = std::max(other.max, fact.max) + 1;
            }
    }

    void branch(int statements, int depth) {
        const auto otherwise = fmt::format("L{}", labels_++);
        const auto merge = fmt::format("L{}", labels_++);
        const int point = push_point(merge);
        if (point >= 0) breaks_.points.push_back(point);
        const auto guard = predicate();
        if (options_.early_ends) guarded_barrier(guard);
        decide(fmt::format("@{} BRA {}", guard, otherwise));
        arms_.push_back(address_);
        if (options_.barriers && options_.divergence && with_probability(6)) barrier();
        sequence(std::max(1, statements / 4), depth - 1);
        break_loop();
        if (!pops_.empty() && with_probability(60))
            return break_out(statements, depth, point, otherwise, merge);
        if (with_probability(60)) {
            arrive(point, merge);
            put_label(otherwise);
            arms_.push_back(address_);
            plain();
            sequence(std::max(0, statements / 4 - 1), depth - 1);
            break_loop();
            if (point == -1) arrive(point, merge);
        } else {
            if (point == -1) arrive(point, merge);
            put_label(otherwise);
            if (point == -1) {
                plain();
                arrive(point, merge);
            }
        }
        if (point >= 0) breaks_.points.pop_back();
        put_point(point, merge);
        plain();
    }

    /// A multi-way branch; some of its targets fall through to the next one.
    void table(int statements, int depth) {
        const auto merge = fmt::format("L{}", labels_++);
        const int point = push_point(merge);
        if (point >= 0) breaks_.points.push_back(point);
        std::vector<std::string> targets;
        for (auto count = draw(2, 5); count > 0; --count)
            targets.push_back(fmt::format("L{}", labels_++));
        auto named = targets;
        if (point != -1 && with_probability(30)) named.push_back(merge);
        const std::size_t before = kernel_.facts.divergents.size();
        decide(fmt::format("BRX {} -0x10 (*\"BRANCH_TARGETS {}\"*)", reg(), fmt::join(named, ",")));
        kernel_.diverges_at_multiway_branches =
            kernel_.diverges_at_multiway_branches || kernel_.facts.divergents.size() > before;
        for (const auto& target : targets) {
            put_label(target);
            arms_.push_back(address_);
            plain();
            sequence(std::max(0, statements / 4 - 1), depth - 1);
            break_loop();
            const bool is_last = target == targets.back();
            if (!options_.barriers && with_probability(8))
                instruction("EXIT", 5);
            else if ((!is_last && with_probability(75)) || (is_last && point == -1))
                arrive(point, merge);
        }
        if (point >= 0) breaks_.points.pop_back();
        put_point(point, merge);
        plain();
    }

    /// Some lanes exit the loop from within branches, and leave the points of these branches.
    void break_loop() {
        if (!options_.loop_exits_in_branches || breaks_.label.empty() || breaks_.points.empty() ||
            with_probability(30))
            return;
        const auto by = predicate();
        for (std::size_t i = breaks_.points.size(); i-- > 0;)
            instruction(fmt::format("@{} BREAK B{}", by, breaks_.points[i]), 5);
        const bool diverges = options_.divergence && with_probability(97);
        const auto diverge = [&] {
            if (diverges) kernel_.facts.divergents.push_back({address_, {}});
        };
        if (with_probability(30)) { // The branch transfers the other lanes.
            const auto stay = fmt::format("L{}", labels_++);
            diverge();
            instruction(fmt::format("@!{} BRA {}", by, stay), 5);
            instruction("BRA " + breaks_.label, 5);
            put_label(stay);
        } else {
            diverge();
            instruction(fmt::format("@{} BRA {}", by, breaks_.label), 5);
        }
        breaks_.used = true;
        kernel_.has_loop_exits_in_branches = true;
        plain();
    }

    /// Reconvergence points of lanes that leave inner branches by BRK or CONT.
    void points(int statements, int depth) {
        const auto out = fmt::format("L{}", labels_++);
        const auto next = fmt::format("L{}", labels_++);
        const bool continues = with_probability(50);
        instruction("PBK " + out, 5);
        if (continues) instruction("PCNT " + next, 5);
        pops_.push_back(continues ? "CONT" : "BRK");
        branch(statements, depth);
        sequence(std::max(1, statements / 3), depth - 1);
        if (!options_.barriers && with_probability(20))
            instruction("EXIT", 5);
        else if (continues)
            instruction(with_probability(60) ? "CONT" : "BRK", 5);
        pops_.pop_back();
        if (continues) {
            put_label(next);
            plain();
            sequence(std::max(1, statements / 3), depth - 1);
        }
        instruction("BRK", 5);
        put_label(out);
        plain();
    }

    /// The rest of a branch of which one path leaves the loop, or only the iteration.
    void break_out(int statements, int depth, int point, const std::string& otherwise,
                   const std::string& merge) {
        kernel_.pops_in_branches = true;
        instruction(with_probability(70) ? pops_.back() : "BRK", 5);
        put_label(otherwise);
        arms_.push_back(address_);
        sequence(std::max(0, statements / 4 - 1), depth - 1);
        plain();
        arrive(point, merge);
        put_point(point, merge);
        plain();
    }

    void call() {
        called_ = true;
        instruction("CAL F", 5);
    }
    /// The target of all calls.
    void subroutine() {
        may_call_ = false;
        pops_.clear();
        put_label("F");
        plain();
        sequence(static_cast<int>(draw(1, 3)), std::min(1, options_.depth - 1));
        instruction("RET", 5);
    }

    std::int64_t arm() {
        return arms_[static_cast<std::size_t>(
            draw(0, static_cast<std::int64_t>(arms_.size()) - 1))];
    }

    void further_facts() {
        const bool counts = options_.count_facts;
        if (!arms_.empty() && with_probability(15)) kernel_.facts.nevers.push_back({arm(), {}});
        if (arms_.size() < 2 || (!counts && !with_probability(30))) return;
        const auto first = arm();
        const auto second = arm();
        if (first == second) return;
        if (!counts && with_probability(50)) {
            kernel_.facts.exclusives.push_back({first, second, {}});
        } else {
            models::LinearFact fact;
            fact.terms = {{1, std::nullopt, first}, {1, std::nullopt, second}};
            fact.relation = models::Relation::AtMost;
            if (counts && with_probability(50)) fact.relation = models::Relation::AtLeast;
            if (counts && with_probability(50)) fact.terms.back().coefficient = -1;
            fact.constant = draw(1, 4);
            kernel_.facts.constraints.push_back(fact);
        }
    }

    int labels_ = 0;
    bool may_call_ = options_.calls && options_.sm < 70;
    bool called_ = false;
    /// The innermost loop with a reconvergence point: the label for lanes that exit it from within
    /// branches, and the points of these branches.
    struct Breaks {
        std::string label;
        std::vector<int> points;
        bool used = false;
    };
    Breaks breaks_;
    std::vector<std::string> pops_; ///< Of the enclosing loops with PBK: BRK, or CONT.
    std::vector<std::int64_t> arms_;
};

} // namespace

RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options) {
    return KernelWriter{seed, options}.finish();
}

Result<std::unique_ptr<ReadKernel>> read(const RandomKernel& kernel) {
    auto read = std::make_unique<ReadKernel>();
    auto program = assembly::read_program({"random", kernel.text});
    if (!program) return program.as_failure();
    read->program = std::move(program).value();
    const auto function = assembly::find_function(read->program, "");
    if (!function) return function.as_failure();
    read->function = function.value();
    auto graph = assembly::build_control_flow_graph(*read->function);
    if (!graph) return graph.as_failure();
    read->graph = std::move(graph).value();
    read->facts = kernel.facts;
    read->facts.program_digest = read->program.digest;
    return read;
}

} // namespace warpbound::tests
