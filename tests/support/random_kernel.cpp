#include "tests/support/random_kernel.hpp"

#include "assembly/isa/reader.hpp"
#include "tests/support/random_statements.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace warpbound::tests {

namespace {

/// Writes one kernel: how statements follow each other.
class Writer : private RandomStatements {
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
            else if (may_call_ && with_probability(12))
                call();
            else if (options_.broken_loops && depth > 1 && breaks_.label.empty() &&
                     with_probability(40))
                loop_of_lanes(statements, depth);
            else if (kind == 0 && (breaks_.label.empty() || with_probability(30)))
                loop(statements, depth);
            else if (options_.breaks && kind == 3 && options_.sm < 70)
                points(statements, depth);
            else if (options_.breaks && kind == 3 && barriers_ < 7 &&
                     (breaks_.label.empty() || with_probability(30)))
                point_that_some_leave(statements, depth);
            else if (kind <= 2 && options_.tables && with_probability(50))
                table(statements, depth);
            else if (kind <= (ways_out_.empty() ? 2 : 6))
                branch(statements, depth);
            else if (kind == 3 && options_.predicates && !options_.barriers && with_probability(30))
                guarded_exit();
            else
                plain();
        }
    }

    void loop(int statements, int depth) {
        if (options_.divergence && with_probability(60)) return loop_of_lanes(statements, depth);
        const auto label = fmt::format("L{}", labels_++);
        models::LoopFact fact;
        fact.header = address_;
        fact.min = draw(1, 3);
        fact.max = fact.min + draw(0, options_.max_iterations - 1);
        put_label(label);
        const bool meets = options_.barriers && depth == options_.depth && with_probability(40);
        if (meets) fact.max = fact.min;
        const bool early_exit = !meets && with_probability(30);
        const auto out = fmt::format("L{}", labels_++);
        if (meets) plain(); // No loop inside may begin here and share the header.
        const auto outer_breaks = std::exchange(breaks_, {});
        sequence(std::max(1, statements / 3), depth - 1);
        breaks_ = outer_breaks;
        if (meets) barrier();
        if (early_exit) decide(fmt::format("@{} BRA {}", predicate(), out));
        plain();
        const auto turn = fmt::format("@{} BRA {}", predicate(), label);
        if (meets && options_.divergence && !with_probability(10))
            instruction(turn, 5); // Lanes that part here may come to the barrier apart.
        else
            decide(turn);
        put_label(out);
        plain();
        keep(fact);
    }

    void keep(const models::LoopFact& fact) {
        // A loop inside starts at the same address when nothing stands before it: one header, one
        // fact.
        for (const auto& other : kernel_.facts.loops)
            if (other.header == fact.header) return merge_nothing(fact);
        kernel_.facts.loops.push_back(fact);
    }

    /// Lanes may leave in different turns and meet behind the loop, or leave the point as well.
    void loop_of_lanes(int statements, int depth) {
        const auto label = fmt::format("L{}", labels_++);
        const auto out = fmt::format("L{}", labels_++);
        const auto behind = fmt::format("L{}", labels_++);
        models::LoopFact fact;
        const bool breaks = options_.sm < 70 && with_probability(50);
        int point = -1;
        if (breaks)
            instruction("PBK " + out, 5);
        else
            point = join_point(out);
        plain();
        fact.header = address_;
        fact.min = draw(1, 3);
        fact.max = fact.min + draw(0, options_.max_iterations - 1);
        put_label(label);
        const auto next = fmt::format("L{}", labels_++);
        const bool continues = breaks && with_probability(40);
        if (continues) instruction("PCNT " + next, 5);
        plain();
        if (breaks) ways_out_.push_back(continues ? "CONT" : "BRK");
        const auto broken = fmt::format("L{}", labels_++);
        const auto outer_breaks = std::exchange(breaks_, {point >= 0 ? broken : "", {}});
        if (options_.broken_loops && depth > 1) branch(std::max(4, statements), depth - 1);
        sequence(std::max(1, statements / 3), depth - 1);
        const bool is_broken = std::exchange(breaks_, outer_breaks).used;
        if (breaks) {
            ways_out_.pop_back();
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
                leave(by, point, behind);
            }
            plain();
            const auto tails = leaves ? std::vector<std::string>{} : places_to_leave();
            const auto turn = fmt::format("@{} BRA {}", predicate(), label);
            if (leaves && with_probability(50))
                instruction(turn, 5);
            else
                decide(turn);
            for (const std::string& tail : tails) {
                if (with_probability(50)) plain();
                put_label(tail);
            }
            if (is_broken) put_label(broken);
            // Those who have left a loop may leave another one before they meet.
            if (options_.broken_loops && !is_broken && tails.empty() && depth > 2 &&
                with_probability(50))
                loop_of_lanes(statements, depth - 1);
            if ((is_broken || !tails.empty()) && with_probability(50)) plain();
            if (point == -1) arrive(point, out);
        }
        put_point(point, out);
        plain();
        put_label(behind);
        plain();
        keep(fact);
    }

    /// Branches out of a loop to labels behind it.
    std::vector<std::string> places_to_leave() {
        std::vector<std::string> labels;
        const auto before = kernel_.facts.divergents.size();
        for (std::int64_t places = draw(0, 2); places > 0; --places) {
            const auto label = fmt::format("L{}", labels_++);
            decide(fmt::format("@{} BRA {}", predicate(), label));
            if (!options_.barriers && with_probability(20)) { // The others end.
                plain();
                instruction("EXIT", 5);
                put_label(label);
            } else {
                labels.push_back(label);
            }
            plain();
        }
        kernel_.leaves_at_several =
            kernel_.leaves_at_several || kernel_.facts.divergents.size() > before;
        return labels;
    }
    /// Lanes leave the point and go on at the label.
    void leave(const std::string& by, int point, const std::string& to) {
        instruction(fmt::format("@{} BREAK B{}", by, point), 5);
        const std::size_t before = kernel_.facts.divergents.size();
        if (options_.tables && with_probability(40)) { // Those who stay are transferred.
            const auto stay = fmt::format("L{}", labels_++);
            decide(fmt::format("@!{} BRA {}", by, stay));
            instruction("BRA " + to, 5);
            put_label(stay);
        } else {
            decide(fmt::format("@{} BRA {}", by, to));
        }
        kernel_.leaves = kernel_.leaves || kernel_.facts.divergents.size() > before;
    }

    /// Some lanes go past the point at which the others meet, to that around it or to none.
    void point_that_some_leave(int statements, int depth) {
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
        if (!options_.barriers && with_probability(30)) { // Some of those who stay end.
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

    /// Two loops with one header are one natural loop: keep the fact that is there, widened.
    void merge_nothing(const models::LoopFact& fact) {
        for (auto& other : kernel_.facts.loops)
            if (other.header == fact.header) {
                other.min = 1;
                other.max = std::max(other.max, fact.max) + 1;
            }
    }

    void branch(int statements, int depth) {
        const auto otherwise = fmt::format("L{}", labels_++);
        const auto join = fmt::format("L{}", labels_++);
        const int point = join_point(join);
        if (point >= 0) breaks_.points.push_back(point);
        decide(fmt::format("@{} BRA {}", predicate(), otherwise));
        arms_.push_back(address_);
        if (options_.barriers && options_.divergence && with_probability(6)) barrier();
        sequence(std::max(1, statements / 4), depth - 1);
        break_loop();
        if (!ways_out_.empty() && with_probability(60))
            return break_out(statements, depth, point, otherwise, join);
        if (with_probability(60)) {
            arrive(point, join);
            put_label(otherwise);
            arms_.push_back(address_);
            plain();
            sequence(std::max(0, statements / 4 - 1), depth - 1);
            break_loop();
            if (point == -1) arrive(point, join);
        } else {
            if (point == -1) arrive(point, join);
            put_label(otherwise);
            if (point == -1) {
                plain();
                arrive(point, join);
            }
        }
        if (point >= 0) breaks_.points.pop_back();
        put_point(point, join);
        plain();
    }

    /// To one of several places, of which some lead on to the next one.
    void table(int statements, int depth) {
        const auto join = fmt::format("L{}", labels_++);
        const int point = join_point(join);
        if (point >= 0) breaks_.points.push_back(point);
        std::vector<std::string> targets;
        for (auto count = draw(2, 5); count > 0; --count)
            targets.push_back(fmt::format("L{}", labels_++));
        auto named = targets;
        if (point != -1 && with_probability(30)) named.push_back(join);
        const std::size_t before = kernel_.facts.divergents.size();
        decide(fmt::format("BRX {} -0x10 (*\"BRANCH_TARGETS {}\"*)", reg(), fmt::join(named, ",")));
        kernel_.parts_to_several =
            kernel_.parts_to_several || kernel_.facts.divergents.size() > before;
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
                arrive(point, join);
        }
        if (point >= 0) breaks_.points.pop_back();
        put_point(point, join);
        plain();
    }

    /// Some lanes leave the loop from inside branches, and the points of these.
    void break_loop() {
        if (!options_.broken_loops || breaks_.label.empty() || breaks_.points.empty() ||
            with_probability(30))
            return;
        const auto by = predicate();
        for (std::size_t i = breaks_.points.size(); i-- > 0;)
            instruction(fmt::format("@{} BREAK B{}", by, breaks_.points[i]), 5);
        const bool parts = options_.divergence && with_probability(97);
        const auto part = [&] {
            if (parts) kernel_.facts.divergents.push_back({address_, {}});
        };
        if (with_probability(30)) { // Those who stay are transferred.
            const auto stay = fmt::format("L{}", labels_++);
            part();
            instruction(fmt::format("@!{} BRA {}", by, stay), 5);
            instruction("BRA " + breaks_.label, 5);
            put_label(stay);
        } else {
            part();
            instruction(fmt::format("@{} BRA {}", by, breaks_.label), 5);
        }
        breaks_.used = true;
        kernel_.breaks_loops = true;
        plain();
    }

    /// Where those meet who leave branches inside by BRK or CONT.
    void points(int statements, int depth) {
        const auto out = fmt::format("L{}", labels_++);
        const auto next = fmt::format("L{}", labels_++);
        const bool continues = with_probability(50);
        instruction("PBK " + out, 5);
        if (continues) instruction("PCNT " + next, 5);
        ways_out_.push_back(continues ? "CONT" : "BRK");
        branch(statements, depth);
        sequence(std::max(1, statements / 3), depth - 1);
        if (!options_.barriers && with_probability(20))
            instruction("EXIT", 5);
        else if (continues)
            instruction(with_probability(60) ? "CONT" : "BRK", 5);
        ways_out_.pop_back();
        if (continues) {
            put_label(next);
            plain();
            sequence(std::max(1, statements / 3), depth - 1);
        }
        instruction("BRK", 5);
        put_label(out);
        plain();
    }

    /// The rest of a branch, one way of which leaves the loop, or this turn of it.
    void break_out(int statements, int depth, int point, const std::string& otherwise,
                   const std::string& join) {
        kernel_.breaks_out = true;
        instruction(with_probability(70) ? ways_out_.back() : "BRK", 5);
        put_label(otherwise);
        arms_.push_back(address_);
        sequence(std::max(0, statements / 4 - 1), depth - 1);
        plain();
        arrive(point, join);
        put_point(point, join);
        plain();
    }

    void call() {
        called_ = true;
        instruction("CAL F", 5);
    }
    /// What all calls go to.
    void subroutine() {
        may_call_ = false;
        ways_out_.clear();
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
        const bool counts = options_.facts_on_counts;
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
    /// The innermost loop with a point: where those go who leave it from inside branches, and the
    /// points of the branches around.
    struct Breaks {
        std::string label;
        std::vector<int> points;
        bool used = false;
    };
    Breaks breaks_;
    std::vector<std::string> ways_out_; ///< Of the loops around with PBK: BRK, or CONT.
    std::vector<std::int64_t> arms_;
};

} // namespace

RandomKernel random_kernel(std::uint64_t seed, const RandomKernelOptions& options) {
    return Writer{seed, options}.finish();
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
