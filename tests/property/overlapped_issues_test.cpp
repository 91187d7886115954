/// \file
/// Instructions that issue while an earlier one of their warp holds a port (S98): launches of
/// random kernels with conversions take no longer than their upper bound, in any order of warps.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"
#include "certification/bundle/build.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/structure.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/small_instruction_caches.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace warpbound::tests {
namespace {

namespace check = certification::verify;

/// Conversions and arithmetic, some of which waits for conversions, once or in a loop.
class ConvertingKernel {
public:
    explicit ConvertingKernel(RandomSource& random_source) : random_{random_source} {
        const bool has_loop = random_.whole(1, 3) == 1;
        if (has_loop) text = "MOV R9, RZ ?trans6;\nL: ";
        for (std::int64_t left = random_.whole(2, 12); left > 0; --left)
            random_.whole(1, 3) == 1 ? convert() : compute();
        if (random_.whole(1, 8) == 1) text += "BAR.SYNC 0x0 ?trans6;\n";
        if (has_loop)
            text += fmt::format("IADD3 R9, R9, 0x1, RZ ?trans6;\n"
                                "ISETP.NE.AND P0, PT, R9, 0x{:x}, PT ?trans12;\n"
                                "@P0 BRA L ?trans5;\n",
                                random_.whole(2, 4));
        text = "!Arch sm_75\n!Kernel k\n" + text + "EXIT ?trans5;\n!EndKernel\n";
    }

    std::string text;

private:
    std::string stall() {
        return fmt::format("?trans{}", random_.whole(1, random_.whole(1, 2) == 1 ? 2 : 7));
    }
    void convert() {
        const bool is_guarded = random_.whole(1, 10) == 1;
        last_ = random_.whole(0, 2);
        text += fmt::format("{}I2F R{}, R1 &wr=0x{} {};\n", is_guarded ? "@P1 " : "",
                            random_.whole(4, 6), last_, stall());
    }
    void compute() {
        static const std::vector<std::string> forms{
            "IADD3 R2, R1, 0x1, RZ", "FFMA R3, R1, R2, R3", "FADD R3, R3, R1",
            "LOP3.LUT R2, R1, 0x1, RZ, 0xc0, !PT", "MUFU.COS R2, R1 &wr=0x0"};
        const auto last =
            static_cast<std::int64_t>(forms.size()) - (random_.whole(1, 6) == 1 ? 1 : 2);
        std::string one = forms[static_cast<std::size_t>(random_.whole(0, last))];
        if (random_.whole(1, 10) == 1) one = "@P1 " + one;
        if (random_.whole(1, 4) == 1) one += fmt::format(" &req={{{}}}", last_);
        text += one + " " + stall() + ";\n";
    }

    RandomSource& random_;
    std::int64_t last_ = 0; ///< Scoreboard of the last conversion.
};

models::Architecture machine_of(RandomSource& random, const assembly::Function& function) {
    auto machine = models::load_architecture("turing-rtx2080ti").value();
    machine.fetch = {};
    if (random.whole(1, 2) == 1) machine.register_file = {};
    std::erase_if(machine.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    const auto exact = [&](std::int64_t most) { return std::to_string(random.whole(1, most)); };
    const std::int64_t hold = random.whole(2, 16);
    const auto is_exact = random.whole(1, 8) != 1;
    // Where it is that of the port, a result comes when the port is free.
    const std::string latency =
        random.whole(1, 2) == 1 ? std::to_string(hold) : fmt::format("1..{}", random.whole(1, 30));
    std::istringstream values{
        fmt::format("schedulers/count={} limits/max-blocks={} classes/conversion/initiation={}..{} "
                    "classes/conversion/latency={} classes/integer-add/initiation={} "
                    "classes/float-multiply-add/initiation={} classes/float-add/initiation={} "
                    "classes/logic/initiation={} blocks/replacement={} blocks/start={}",
                    random.whole(1, 2), exact(4), is_exact ? hold : random.whole(1, hold), hold,
                    latency, exact(3), exact(3), exact(3), exact(2), exact(20), exact(5))};
    for (std::string value; values >> value;) {
        const auto done = models::assume_value(machine, value);
        if (!done) throw std::runtime_error{value + ": " + to_string(done.error())};
    }
    if (random.whole(1, 2) == 1)
        add_instruction_caches(
            machine, function, [&](std::int64_t most) { return random.whole(0, most - 1); }, false);
    return machine;
}

/// What each instruction demands, if none overlaps another one, at least.
std::int64_t demand_of_all(const assembly::Function& function,
                           const models::Architecture& machine) {
    std::int64_t sum = 0;
    for (const auto& timing : models::instruction_timings(function, machine, {}, 32))
        sum += std::max<std::int64_t>(1, models::occupancy_of_port(timing.value()).hi);
    return sum;
}

struct Found {
    int straight = 0;
    int smaller = 0; ///< Of these: some demand does not count.
};

/// The bundle claims what is bounded, and its structure holds.
void check_evidence(const certification::KernelInput& input, std::int64_t bound,
                    const std::string& about) {
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(input);
    const auto bundle = certification::build_bundle(inputs);
    ASSERT_TRUE(bundle) << to_string(bundle.error()) << about;
    const check::Evidence evidence = check::read_evidence(plain(bundle.value().files));
    const auto structure = check::check_structure(evidence);
    EXPECT_EQ(structure.verdict, check::Verdict::Holds) << structure.detail << about;
    for (const check::ClaimRow& claim : evidence.kernels.front()->claims) {
        if (!claim.upper || claim.quantity != "execution-time") continue;
        EXPECT_EQ(claim.value, bound) << about;
    }
}

void check_case(RandomSource& random, Found& found) {
    const ConvertingKernel kernel{random};
    auto program = assembly::read_program({"random", kernel.text});
    ASSERT_TRUE(program) << to_string(program.error()) << kernel.text;
    const assembly::Function& function = program.value().functions.front();
    const models::Architecture machine = machine_of(random, function);
    const auto policies = conserving_policies();
    certification::KernelInput input;
    input.kernel = "k";
    input.listing = kernel.text;
    input.architecture = models::write_architecture(machine);
    // Of many warps the demand counts more than the path.
    const bool are_many = random.whole(1, 2) == 1;
    input.launch = fmt::format("{}x{}", are_many ? 1 : random.whole(1, 9),
                               32 * random.whole(1, are_many ? 32 : 6));
    input.policy = policies[static_cast<std::size_t>(
        random.whole(0, static_cast<std::int64_t>(policies.size()) - 1))];
    input.multiprocessors = random.whole(1, 2);
    const std::string about = kernel.text + input.architecture + input.launch + ", " + input.policy;
    const auto loaded = certification::load(input, "K1");
    ASSERT_TRUE(loaded) << to_string(loaded.error()) << about;
    const analyzer::Request request = certification::request_of(*loaded.value(), 1);
    const auto analysis = analyzer::analyze(request);
    ASSERT_TRUE(analysis) << to_string(analysis.error()) << about;
    const analyzer::SideResult& upper = analysis.value().execution_time.upper;
    if (request.graph->blocks.size() == 1) {
        ++found.straight;
        for (const analyzer::BoundTerm& term : upper.terms)
            if (term.certificate == "execution-time-upper-demand-own-scheduler" &&
                term.cycles < demand_of_all(function, machine))
                ++found.smaller;
    }

    const harness::Kernel executed{request.function, request.graph, request.facts, request.launch};
    for (const models::WarpPolicy& policy :
         {request.policy, models::read_policy("unknown").value()}) {
        const auto simulated =
            harness::simulator::Machine::prepare(machine, executed, policy, input.multiprocessors);
        ASSERT_TRUE(simulated) << to_string(simulated.error()) << about;
        std::uint64_t seed = 0;
        for (const auto draw :
             {harness::Draw::AllHigh, harness::Draw::Adversarial, harness::Draw::Extremes,
              harness::Draw::Extremes, harness::Draw::Uniform}) {
            const auto observed = simulated.value()->run({++seed, draw, {}});
            ASSERT_TRUE(observed) << to_string(observed.error()) << about;
            ASSERT_LE(observed.value().execution_time.count(), upper.proved.count())
                << about << ", " << harness::to_string(draw);
        }
    }
    check_evidence(input, upper.proved.count(), about);
}

TEST(OverlappedIssues, NoSimulatedTimeExceedsTheUpperBound) {
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 600));
    Found found;
    for_seeds(cases, [&](RandomSource& random_source) { check_case(random_source, found); });
    RecordProperty("straight", found.straight);
    RecordProperty("smaller", found.smaller);
    EXPECT_GT(found.smaller * 5, found.straight);
}

} // namespace
} // namespace warpbound::tests
