/// \file
/// Demand by warp (S85): executed launches of random kernels whose guards depend on the index of
/// the thread take no longer than their upper bound.

#include "analyzer/analyze.hpp"
#include "analyzer/flow/facts_in_use.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/execution/executed_launch.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace warpbound::tests {
namespace {

/// Accesses to shared memory, guarded by comparisons with the index of the thread or behind
/// branches on them, between barriers, some in trees as reductions have them.
class GuardedKernel {
public:
    explicit GuardedKernel(RandomSource& random_source) : random_{random_source} {
        threads = 32 * random_.whole(2, 8);
        add("S2R R0, SR_TID.X", "&wr=0x0 ?trans2");
        add("SHF.L.U32 R1, R0, 0x2, RZ", "&req={0} ?trans6");
        for (std::int64_t left = random_.whole(1, 5); left > 0; --left)
            add_part();
        if (one_in(3)) {
            compare("P3", "R0");
            add("@P3 EXIT", "?trans6");
            accesses("");
        }
        add("EXIT", "?trans6");
        text = "!Arch sm_75\n!Kernel k\n" + text + "!EndKernel\n";
    }

    std::int64_t threads = 0;
    std::string text;

private:
    bool one_in(std::int64_t n) { return random_.whole(1, n) == 1; }
    void add(const std::string& code, const std::string& control = "&req={0} ?trans6") {
        text += code + " " + control + ";\n";
    }
    void compare(const char* predicate, const char* with) {
        const char* const comparison = one_in(2) ? "LT" : one_in(2) ? "GE" : "NE";
        add(fmt::format("ISETP.{}.AND {}, PT, {}, 0x{:x}, PT", comparison, predicate, with,
                        random_.whole(0, threads)));
    }

    void accesses(const std::string& guard) {
        for (std::int64_t left = random_.whole(1, 3); left > 0; --left) {
            if (one_in(3))
                add(guard + "STS [R1], R4");
            else
                add(guard + "LDS.U R4, [R1]", "&wr=0x0 ?trans1");
            if (one_in(2)) add(guard + "FADD R4, R4, R4");
        }
    }

    /// Accesses where the predicate does not hold, some in both cases, before lanes reconverge.
    void branch(const std::string& predicate) {
        const int at = labels_++;
        const bool shares = one_in(3);
        add(fmt::format("BSSY B0, J{}", at), "?trans6");
        add(fmt::format("@{} BRA {}{}", predicate, shares ? "S" : "J", at), "?trans8");
        accesses("");
        if (shares) {
            text += fmt::format("S{}: ", at);
            accesses("");
        }
        text += fmt::format("J{}: ", at);
        add("BSYNC B0", "?trans6");
    }

    void add_part() {
        switch (random_.whole(1, 6)) {
        case 1:
            return add("BAR.SYNC 0x0", "?trans6");
        case 2:
            return accesses("");
        case 3:
            compare("P0", "R0");
            return accesses(one_in(2) ? "@P0 " : "@!P0 ");
        case 4:
            compare("P0", "R0");
            return branch(one_in(2) ? "P0" : "!P0");
        case 5:
            return add_strides();
        default:
            return add_tree();
        }
    }

    /// A loop that lanes leave in different iterations, some before others.
    void add_strides() {
        const int at = labels_++;
        add(fmt::format("SHF.L.U32 R3, R0, 0x{:x}, RZ", random_.whole(0, 2)), "?trans6");
        add("BSSY B1, D" + std::to_string(at), "?trans6");
        text += fmt::format("L{}: ", at);
        accesses("");
        if (one_in(2)) {
            compare("P0", "R0");
            branch("P0");
        }
        add(fmt::format("IADD3 R3, R3, 0x{:x}, RZ", random_.whole(16, threads)));
        compare("P2", "R3");
        text.replace(text.rfind("ISETP."), 8, "ISETP.LT");
        add(fmt::format("@P2 BRA L{}", at), "?trans8");
        text += fmt::format("D{}: ", at);
        add("BSYNC B1", "?trans6");
    }

    void add_tree() {
        add(fmt::format("MOV R3, 0x{:x}", std::int64_t{1} << random_.whole(2, 7)));
        const int at = labels_++;
        text += fmt::format("L{}: ", at);
        add("ISETP.GE.AND P1, PT, R0, R3, PT");
        if (one_in(2))
            accesses("@!P1 ");
        else
            branch("P1");
        add("SHF.R.U32.HI R3, RZ, 0x1, R3");
        if (!one_in(3)) add("BAR.SYNC 0x0", "?trans6");
        add("ISETP.NE.AND P2, PT, R3, RZ, PT");
        add(fmt::format("@P2 BRA L{}", at), "?trans8");
    }

    RandomSource& random_;
    int labels_ = 0;
};

models::Architecture random_machine(RandomSource& random_source) {
    auto machine = models::load_architecture("turing-rtx2080ti").value();
    machine.fetch = {};
    machine.register_file = {};
    std::erase_if(machine.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    const auto range = [&](std::int64_t most) {
        const std::int64_t lo = random_source.whole(1, most);
        return fmt::format("{}..{}", lo, random_source.whole(lo, most));
    };
    const std::string assumed =
        fmt::format("schedulers/count={} limits/max-blocks={} classes/load-shared/initiation={} "
                    "classes/store-shared/initiation={} classes/load-shared/latency={} "
                    "classes/barrier/latency={} blocks/replacement={} blocks/start={}",
                    std::int64_t{1} << random_source.whole(0, 2), random_source.whole(1, 4),
                    range(12), range(12), range(60), range(20), range(30), range(10));
    std::istringstream values{assumed};
    for (std::string value; values >> value;) {
        const auto done = models::assume_value(machine, value);
        EXPECT_TRUE(done) << value << ": " << to_string(done.error());
    }
    return machine;
}

struct Found {
    int by_warp = 0;
    int smaller = 0; ///< By 10 % or more.
    double closest = 100;
};

void check_case(RandomSource& random_source, Found& found) {
    const GuardedKernel kernel{random_source};
    const models::Architecture machine = random_machine(random_source);
    auto program = assembly::read_program({"random", kernel.text});
    ASSERT_TRUE(program) << to_string(program.error()) << kernel.text;
    const assembly::Function& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function).value();
    const std::int64_t blocks = random_source.whole(1, 12);
    const models::Launch launch =
        models::parse_launch(
            fmt::format("{0}x{1},shared-memory=2048,block={1},grid={0}", blocks, kernel.threads))
            .value();
    const auto facts = analyzer::facts_in_use(function, graph, machine, launch, {});
    ASSERT_TRUE(facts) << to_string(facts.error()) << kernel.text;
    const auto policies = conserving_policies();
    analyzer::Request request;
    request.function = &function;
    request.graph = &graph;
    request.architecture = &machine;
    request.facts = &facts.value();
    request.launch = launch;
    request.multiprocessors = random_source.whole(1, 3);
    request.policy = models::read_policy(policies[static_cast<std::size_t>(random_source.whole(
                                             0, static_cast<std::int64_t>(policies.size()) - 1))])
                         .value();
    request.follow_branches = true;
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error()) << kernel.text;
    const analyzer::SideResult& upper = analysis.value().execution_time.upper;
    std::int64_t others = std::int64_t{1} << 40U; // The least of the other sums.
    for (const analyzer::BoundExpression& part : upper.bound.parts)
        if (part.text.find("by the indices") == std::string::npos)
            others = std::min(others, analyzer::value_of(part).count());
    const bool is_by_warp =
        analyzer::chosen_sum(upper.bound).text.find("by the indices") != std::string::npos;
    if (is_by_warp) ++found.by_warp;
    if (upper.proved.count() * 10 <= others * 9) ++found.smaller;

    auto run = harness::execution::ExecutedLaunch::run({&function, &graph, launch, {}});
    ASSERT_TRUE(run) << to_string(run.error()) << kernel.text;
    const models::FlowFacts none;
    const harness::Kernel executed{&function, &graph, &none, launch, run.value().get()};
    const auto simulated = harness::simulator::Machine::prepare(machine, executed, request.policy,
                                                                request.multiprocessors);
    ASSERT_TRUE(simulated) << to_string(simulated.error()) << kernel.text;
    std::uint64_t seed = 0;
    for (const auto draw : {harness::Draw::AllHigh, harness::Draw::Adversarial,
                            harness::Draw::Extremes, harness::Draw::Uniform}) {
        const auto observed = simulated.value()->run({++seed, draw, {}});
        ASSERT_TRUE(observed) << to_string(observed.error());
        const std::int64_t time = observed.value().execution_time.count();
        if (is_by_warp)
            found.closest = std::min(found.closest, static_cast<double>(upper.proved.count()) /
                                                        static_cast<double>(time));
        ASSERT_LE(time, upper.proved.count())
            << kernel.text << models::to_string(launch) << " on " << request.multiprocessors << ", "
            << models::to_string(request.policy) << ", " << harness::to_string(draw) << ": "
            << analyzer::chosen_sum(upper.bound).text;
    }
}

TEST(DemandByWarp, NoExecutedLaunchTakesLongerThanTheUpperBound) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 300));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    RecordProperty("by_warp", found.by_warp);
    RecordProperty("smaller", found.smaller);
    RecordProperty("closest", std::to_string(found.closest));
    EXPECT_GT(found.by_warp, cases / 10);
    EXPECT_GT(found.smaller, cases / 20);
}

} // namespace
} // namespace warpbound::tests
