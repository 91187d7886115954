#include "tests/support/random_statements.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::tests {

void RandomStatements::instruction(const std::string& text, int least_stall, bool variable,
                                   bool has_result, bool has_sources) {
    std::string control;
    if (options_.sm != 20) {
        std::vector<int> waits;
        for (int i = 0; i < 6; ++i)
            if (with_probability(8)) waits.push_back(i);
        if (!waits.empty()) control += fmt::format(" &req={{{}}}", fmt::join(waits, ","));
        if (variable && has_result && with_probability(80))
            control += fmt::format(" &wr=0x{}", draw(0, 5));
        if (variable && has_sources && with_probability(40))
            control += fmt::format(" &rd=0x{}", draw(0, 5));
        const auto stall = draw(least_stall, with_probability(70) ? std::max(least_stall, 6) : 15);
        control += with_probability(50) ? fmt::format(" ?trans{}", stall)
                                        : fmt::format(" ?WAIT{}_END_GROUP", stall);
    }
    kernel_.text += "  " + text + control + ";\n";
    address_ += step();
}

void RandomStatements::decide(const std::string& text) {
    may_diverge();
    instruction(text, 5);
}

void RandomStatements::may_diverge() {
    if (options_.divergence && with_probability(60))
        kernel_.facts.divergents.push_back({address_, {}});
}

int RandomStatements::push_point(const std::string& target) {
    if (!options_.divergence || with_probability(options_.loop_exits_in_branches ? 5 : 30))
        return -2;
    if (options_.sm >= 70) {
        if (barriers_ == 8) return -2;
        instruction(fmt::format("BSSY B{}, {}", barriers_, target), 5);
        return barriers_++;
    }
    instruction("SSY " + target, 5);
    return -1;
}

void RandomStatements::arrive(int point, const std::string& target) {
    if (point == -1)
        instruction(options_.sm == 20 ? "NOP.S" : "SYNC", 5);
    else
        instruction("BRA " + target, 5);
}

void RandomStatements::put_point(int point, const std::string& target) {
    put_label(target);
    if (point < 0) return;
    instruction(fmt::format("BSYNC B{}", point), 5);
    --barriers_;
}

void RandomStatements::clock_read(const std::string& into) {
    instruction(fmt::format("S2R {}, SR_CLOCKLO", into), 1, true, true, false);
}

void RandomStatements::plain() {
    const std::string guard = options_.predicates && with_probability(15)
                                  ? (with_probability(50) ? "@" : "@!") + predicate() + " "
                                  : "";
    if (!guard.empty() && options_.divergence && !options_.memory) may_diverge();
    switch (draw(0, options_.memory ? 11 : 6)) {
    case 0:
        instruction(fmt::format("{}FADD {}, {}, {}", guard, reg(), reg(), reg()));
        break;
    case 1:
        instruction(fmt::format("{}FMUL {}, {}, {}", guard, reg(), reg(), reg()));
        break;
    case 2:
        instruction(fmt::format("{}FFMA {}, {}, {}, {}", guard, reg(), reg(), reg(), reg()));
        break;
    case 3:
        instruction(fmt::format("{}MUFU.COS {}, {}", guard, reg(), reg()), 1, true);
        break;
    case 4:
        instruction(
            fmt::format("{}ISETP.GE.AND {}, PT, {}, {}, PT", guard, predicate(), reg(), reg()));
        break;
    case 5:
        instruction(fmt::format("{}MOV {}, {}", guard, reg(), reg()));
        break;
    case 6:
        instruction(fmt::format("{}FADD {}, {}, {}", guard, reg(), reg(), reg()));
        break;
    case 7:
    case 8:
        shared_fact();
        instruction(fmt::format("{}LDS {}, [{}]", guard, reg(), reg()), 1, true);
        break;
    case 9:
        shared_fact();
        instruction(fmt::format("{}STS [{}], {}", guard, reg(), reg()), 1, true, false);
        break;
    case 10:
        global_fact();
        instruction(
            fmt::format("{}{} {}, [{}]", guard, options_.sm == 20 ? "LD" : "LDG", reg(), reg()), 1,
            true);
        break;
    default:
        global_fact();
        instruction(
            fmt::format("{}{} [{}], {}", guard, options_.sm == 20 ? "ST" : "STG", reg(), reg()), 1,
            true, false);
    }
}

void RandomStatements::shared_fact() {
    if (with_probability(20)) return;
    models::MemoryFact fact;
    fact.at = address_;
    if (has_pattern(fact)) return;
    const auto degree = draw(1, 4);
    fact.conflict_degree = models::CountRange{degree, degree + draw(0, 2)};
    kernel_.facts.memory.push_back(fact);
}

void RandomStatements::global_fact() {
    models::MemoryFact fact;
    fact.at = address_;
    fact.level = options_.sm == 20 || with_probability(50) ? models::MemoryLevel::Dram
                 : with_probability(50)                    ? models::MemoryLevel::L2
                                                           : models::MemoryLevel::Any;
    if (options_.caches)
        fact.level = models::MemoryLevel::Any;
    else if (options_.sm == 75 && options_.patterns && fact.level == models::MemoryLevel::Any)
        fact.level = models::MemoryLevel::L2; // Its pattern does not go through the caches.
    if ((options_.sm == 20 || options_.sm == 75) && has_pattern(fact)) return;
    if (with_probability(80)) {
        const auto transactions = draw(1, 3);
        fact.transactions = models::CountRange{transactions, transactions + draw(0, 1)};
    }
    kernel_.facts.memory.push_back(fact);
}

bool RandomStatements::has_pattern(models::MemoryFact& fact) {
    if (!options_.patterns || !with_probability(50)) return false;
    models::AddressPattern& pattern = fact.pattern.emplace();
    const auto words = [this](std::int64_t most) {
        return 4 * static_cast<std::uint64_t>(draw(0, most));
    };
    pattern.base = words(64);
    pattern.thread_stride = words(with_probability(50) ? 4 : 40);
    pattern.iteration_stride = words(40);
    pattern.warp_stride = words(40);
    if (with_probability(20)) pattern.random = 7;
    if (with_probability(20) || pattern.random) pattern.footprint = 4 * words(256) + 16;
    kernel_.facts.memory.push_back(fact);
    return true;
}

} // namespace warpbound::tests
