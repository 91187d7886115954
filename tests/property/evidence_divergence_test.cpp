/// \file
/// Bundles of random kernels whose lanes diverge: what `certify` writes, `verify` follows on its
/// own, and simulated runs are inside.

#include "analyzer/analyze.hpp"
#include "assembly/support/source_text.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/machine.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/loop_exit_kernel.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/stated_uniformity.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <utility>

namespace warpbound {
namespace {

namespace check = certification::verify;

struct Drawn {
    certification::KernelInput input;
    bool has_loop_exits_in_branches = false; ///< As `RandomKernel` has it.
};

/// None: no lanes part in the kernel drawn.
std::optional<Drawn> input_of(std::uint64_t seed) {
    constexpr std::array<std::pair<const char*, int>, 5> machines{{{"fermi-gtx470", 20},
                                                                   {"maxwell-gtx970", 52},
                                                                   {"turing-t4", 75},
                                                                   {"hopper-h200", 90},
                                                                   {"fermi-gtx470", 20}}};
    const auto& [machine, sm] = machines[seed % machines.size()];
    const bool cached = seed % machines.size() == 4;
    std::mt19937_64 random{seed};
    const auto from_one_to = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(1 + random() % most);
    };
    tests::RandomKernelOptions options;
    options.sm = sm;
    options.statements = 2 + static_cast<int>(seed % 8);
    options.depth = 1 + static_cast<int>(seed % 3);
    options.max_iterations = 4;
    options.calls = seed / 7 % 4 == 0;
    options.further_facts = seed % 3 == 0;
    options.clock_reads = seed % 5 == 0;
    options.divergence = true;
    options.barriers = seed % 2 == 0;
    options.breaks = seed / 4 % 4 == 0;
    options.loop_exits_in_branches = sm >= 70 && seed / 10 % 2 == 0;
    if (options.loop_exits_in_branches) options.depth = 2;
    options.tables = seed / 7 % 4 == 0;
    options.patterns = cached;
    options.caches = cached;
    tests::RandomKernel kernel = tests::random_kernel(seed, options);
    if (kernel.facts.divergents.empty()) return std::nullopt;
    kernel.facts.program_digest = assembly::digest_of(kernel.text);
    models::Architecture architecture = models::load_architecture(machine).value();
    architecture.fetch = {};
    architecture.register_file = {};
    tests::set_value(architecture.blocks, "replacement", {0, 3, 9});
    tests::set_value(architecture.blocks, "start", {5, 5, 20});
    if (cached) {
        architecture.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
        std::erase_if(architecture.memories,
                      [](const auto& memory) { return memory.name == "constant"; });
        for (const auto& [path, number] :
             {std::pair{"memories/shared/banks", 32}, std::pair{"memories/shared/bank-width", 4}}) {
            models::SourcedValue value;
            value.interval = models::Interval{number, std::nullopt, number};
            value.source = "made up";
            value.grade = models::Grade::Inferred;
            if (!models::set_value(architecture, path, std::move(value)))
                throw std::runtime_error{path};
        }
    }
    certification::KernelInput input;
    input.listing = kernel.text;
    input.kernel = kernel.facts.kernel;
    tests::state_uniform_elsewhere(kernel.facts, input.listing);
    input.flow_facts = models::write_flow_facts(kernel.facts);
    input.architecture = models::write_architecture(architecture);
    input.launch = seed % 3 == 0
                       ? "1x32"
                       : std::to_string(from_one_to(6)) + "x" + std::to_string(from_one_to(200));
    static const auto all =
        tests::conserving_policies({"two-level:active=1", "variable-rate:fast=0,every=2", "srr"});
    static const auto through_caches = tests::conserving_policies({"two-level:active=1"});
    const auto& policies = cached ? through_caches : all;
    input.policy = policies[random() % policies.size()];
    const bool slotted = input.policy.rfind("variable-rate", 0) == 0;
    if (seed % 3 != 0 && !slotted) input.multiprocessors = from_one_to(3);
    return Drawn{std::move(input), kernel.has_loop_exits_in_branches};
}

std::string kind_of(const std::string& refusal) {
    std::string kind = refusal;
    for (auto at = kind.find("0x"); at != std::string::npos; at = kind.find("0x", at + 1))
        kind.replace(at, 6, "..");
    return kind;
}

/// Leaves out ways of copies one by one: how many `verify` misses.
void count_missed_ways(check::KernelCase& kernel, std::map<std::string, int>& counts) {
    constexpr std::size_t most_copies = 40;
    for (std::size_t copy = 0; copy < kernel.serialized.size() && copy < most_copies; ++copy) {
        const auto all = kernel.serialized[copy].successors;
        for (std::size_t way = 0; way < all.size(); ++way) {
            kernel.serialized[copy].successors.erase(kernel.serialized[copy].successors.begin() +
                                                     static_cast<std::ptrdiff_t>(way));
            ++counts["ways_left_out"];
            try {
                check::check_flows(kernel);
            } catch (const check::Finding&) {
                ++counts["ways_missed"];
            }
            kernel.serialized[copy].successors = all;
        }
    }
}

/// The nodes of the warp's control flow: the blocks of the code where no branch diverges.
std::vector<check::SerializedBlockRow> nodes_of(const check::KernelCase& kernel) {
    if (!kernel.serialized.empty()) return kernel.serialized;
    std::vector<check::SerializedBlockRow> nodes;
    for (const check::BlockRow& block : kernel.blocks) {
        check::SerializedBlockRow node;
        node.of = nodes.size();
        node.successors.assign(block.successors.begin(), block.successors.end());
        nodes.push_back(std::move(node));
    }
    return nodes;
}

/// The blocks that each warp of a simulated run executes are a path of the nodes.
class Followed {
public:
    explicit Followed(const check::KernelCase& kernel)
        : kernel_{kernel}, nodes_{nodes_of(kernel)} {}

    void hear(const harness::simulator::Event& event) {
        const auto* issued = std::get_if<harness::simulator::Issued>(&event);
        if (issued == nullptr) return;
        const auto first = kernel_.function->index_of(kernel_.blocks[issued->block].first);
        if (issued->instruction != *first) return;
        const auto warp = at_.find(issued->warp);
        std::set<std::size_t> next;
        if (warp == at_.end()) {
            next.insert(0);
        } else {
            for (const std::size_t copy : warp->second)
                for (const std::size_t to : nodes_[copy].successors)
                    if (nodes_[to].of == issued->block) next.insert(to);
        }
        is_path_ = is_path_ && !next.empty();
        at_[issued->warp] = std::move(next);
        ++blocks_;
    }
    [[nodiscard]] bool is_path() const {
        return is_path_ && std::all_of(at_.begin(), at_.end(), [&](const auto& warp) {
                   return std::any_of(warp.second.begin(), warp.second.end(), [&](auto copy) {
                       return kernel_.blocks[nodes_[copy].of].exits;
                   });
               });
    }
    [[nodiscard]] int blocks() const { return blocks_; }

private:
    const check::KernelCase& kernel_;
    std::vector<check::SerializedBlockRow> nodes_;
    std::map<int, std::set<std::size_t>> at_; ///< By warp: nodes that it may be at.
    bool is_path_ = true;
    int blocks_ = 0;
};

/// Runs the kernel and follows its warps. Returns how many blocks they executed.
int follow_runs(const certification::KernelInput& input, const check::KernelCase& kernel,
                std::uint64_t seed) {
    const auto loaded = certification::load(input, "K1");
    const certification::LoadedInput& made = *loaded.value();
    const auto machine = harness::simulator::Machine::prepare(
        made.architecture, {made.function, &made.graph, &made.facts, made.launch}, made.policy,
        made.multiprocessors);
    if (!machine) return 0;
    int blocks = 0;
    for (std::uint64_t run = 0; run < 6; ++run) {
        Followed followed{kernel};
        const auto seen = machine.value()->run(
            {seed * 31 + run, run % 2 == 0 ? harness::Draw::Uniform : harness::Draw::Extremes, {}},
            [&](const auto& event) { followed.hear(event); });
        if (!seen) continue;
        EXPECT_TRUE(followed.is_path()) << "run " << run << ", seed " << seed;
        blocks += followed.blocks();
    }
    return blocks;
}

using Counts = std::map<std::string, int>;

/// Takes stacks from nodes, or entries from stacks, one by one: how much of that `verify` misses.
void count_missed_stacks(check::KernelCase& kernel, std::map<std::string, int>& counts) {
    constexpr std::size_t most = 40;
    const auto is_missed = [&] {
        ++counts["stacks_changed"];
        try {
            check::check_flows(kernel);
        } catch (const check::Finding&) {
            ++counts["stacks_missed"];
        }
    };
    for (std::size_t node = 0; node < kernel.serialized.size() && node < most; ++node) {
        const auto all = kernel.serialized[node].stacks;
        for (std::size_t i = 0; i < all.size(); ++i) {
            kernel.serialized[node].stacks.erase(kernel.serialized[node].stacks.begin() +
                                                 static_cast<std::ptrdiff_t>(i));
            is_missed();
            kernel.serialized[node].stacks = all;
        }
    }
    for (std::size_t stack = 0; stack < kernel.stacks.size() && stack < most; ++stack) {
        const check::SimtStack whole = kernel.stacks[stack];
        for (std::size_t i = 0; i < whole.entries().size(); ++i) {
            auto entries = whole.entries();
            entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(i));
            const auto made = check::SimtStack::of(entries, whole.left());
            if (!made) continue;
            kernel.stacks[stack] = *made;
            is_missed();
        }
        kernel.stacks[stack] = whole;
    }
}

/// Certifies, verifies and runs the kernel; none: refused, which is counted.
std::unique_ptr<check::KernelCase> check_case(certification::KernelInput input, std::uint64_t seed,
                                              Counts& counts, Counts& refusals) {
    certification::BundleInputs inputs;
    inputs.tool_version = "1";
    inputs.kernels.push_back(std::move(input));
    bool run = true;
    try {
        tests::add_runs(inputs.kernels.front(), 10, harness::Draw::Adversarial);
    } catch (const std::runtime_error&) {
        run = false; // made-up facts may contradict each other
    }
    const auto bundle = certification::build_bundle(inputs);
    if (!bundle) {
        const std::string& why = bundle.error().what;
        EXPECT_EQ(why.find("is missing at a node"), std::string::npos)
            << "lanes may go ways that are not bounded, seed " << seed;
        ++refusals[kind_of(bundle.error().what)];
        return nullptr;
    }
    check::Options options;
    options.rebuild = tests::rebuild;
    options.tool_version = "1";
    options.solver_limit = std::chrono::minutes{2}; // Also on a machine with much to do.
    for (const auto& step : check::verify(tests::plain(bundle.value().files), options))
        EXPECT_TRUE(step.verdict == check::Verdict::Holds ||
                    step.verdict == check::Verdict::NotApplicable)
            << step.step << ": " << step.detail << ", seed " << seed;
    check::Evidence evidence = check::read_evidence(tests::plain(bundle.value().files));
    auto kernel = std::move(evidence.kernels.front());
    counts["blocks_followed"] += follow_runs(inputs.kernels.front(), *kernel, seed);
    count_missed_ways(*kernel, counts);
    count_missed_stacks(*kernel, counts);
    ++counts["bundles"];
    if (run) ++counts["bundles_with_runs"];
    if (kernel->serialized.size() > kernel->blocks.size()) ++counts["with_copies"];
    if (std::any_of(kernel->serialized.begin(), kernel->serialized.end(),
                    [](const auto& copy) { return copy.repeated.has_value(); }))
        ++counts["groups_in_turn"];
    return kernel;
}

void show(Counts& counts, const Counts& refusals) {
    for (const auto& [what, count] : refusals)
        std::cout << count << " x " << what << "\n";
    for (const auto& [what, count] : counts) {
        std::cout << count << " x " << what << "\n";
        testing::Test::RecordProperty(what, count);
    }
}

TEST(EvidenceOfDivergenceProperty, OfRandomKernelsVerifiesAndHoldsRuns) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 40);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    Counts refusals;
    Counts counts;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const auto made = input_of(seed);
        if (!made) continue;
        const certification::KernelInput* const input = &made->input;
        ++counts["drawn"];
        const auto kernel = check_case(*input, seed, counts, refusals);
        if (!kernel) continue;
        if (std::any_of(kernel->certificates.begin(), kernel->certificates.end(),
                        [](const auto& certificate) {
                            return certificate.id == "execution-time-upper-loads";
                        }))
            ++counts["through_caches"];
        if (input->listing.find("BREAK") != std::string::npos) ++counts["with_break"];
        if (made->has_loop_exits_in_branches) ++counts["loops_left_inside_branches"];
        if (kernel->launch.blocks * kernel->launch.threads > 32) ++counts["several_warps"];
        if (kernel->launch.threads > 32 && input->listing.find("BAR.SYNC") != std::string::npos)
            ++counts["barriers"];
        ++counts["policy " + input->policy];
    }
    show(counts, refusals);
    const int drawn = counts["drawn"];
    EXPECT_GT(counts["bundles"] * 2, drawn) << "most kernels were refused";
    EXPECT_GT(counts["bundles_with_runs"] * 3, drawn);
    EXPECT_GT(counts["with_copies"] * 3, drawn) << "hardly a bundle had a second way";
    EXPECT_GT(counts["several_warps"] * 4, drawn);
    EXPECT_GT(counts["groups_in_turn"] * 15, drawn);
    EXPECT_GT(counts["barriers"] * 40, drawn - 40);
    EXPECT_GT(counts["through_caches"] * 40, drawn - 40);
    EXPECT_GT(counts["blocks_followed"], drawn * 20);
    EXPECT_GT(counts["ways_missed"] * 10, counts["ways_left_out"] * 9);
    EXPECT_GT(counts["stacks_missed"] * 10, counts["stacks_changed"] * 9);
}

certification::KernelInput input_of(tests::LoopExitKernel made, const std::string& launch) {
    made.facts.kernel = "k";
    made.facts.program_digest = assembly::digest_of(made.text);
    certification::KernelInput input;
    input.listing = made.text;
    input.kernel = "k";
    tests::state_uniform_elsewhere(made.facts, input.listing);
    input.flow_facts = models::write_flow_facts(made.facts);
    input.architecture = models::write_architecture(tests::machine_of_loop_exit_kernels().value());
    input.launch = launch;
    input.policy = "lrr";
    return input;
}

TEST(EvidenceOfDivergenceProperty, OfKernelsWhoseLanesLeavePointsVerifiesAndHoldsRuns) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 40);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    Counts refusals;
    Counts counts;
    for (std::uint64_t seed = first; seed < first + cases; ++seed)
        check_case(input_of(tests::loop_exit_kernel(seed), seed % 4 == 0 ? "2x96" : "1x32"), seed,
                   counts, refusals);
    show(counts, refusals);
    const int drawn = static_cast<int>(cases);
    EXPECT_GT(counts["bundles"] * 10, drawn * 8);
    EXPECT_EQ(counts["bundles_with_runs"], counts["bundles"]);
    EXPECT_EQ(counts["with_copies"], counts["bundles"]);
    EXPECT_GT(counts["groups_in_turn"] * 10, drawn);
    EXPECT_GT(counts["blocks_followed"], drawn * 20);
    EXPECT_GT(counts["ways_missed"] * 10, counts["ways_left_out"] * 8);
    EXPECT_GT(counts["stacks_missed"] * 10, counts["stacks_changed"] * 8);
}

/// Lowers the numbers of groups that nodes state, one by one: how many of that `verify` misses.
void count_missed_groups(check::KernelCase& kernel, Counts& counts) {
    for (check::SerializedBlockRow& node : kernel.serialized) {
        if (!node.repeated) continue;
        ++counts["numbers_lowered"];
        --*node.repeated;
        try {
            check::check_flows(kernel);
        } catch (const check::Finding&) {
            ++counts["numbers_missed"];
        }
        ++*node.repeated;
    }
}

// Lanes that waited go on above groups that left both loops, and come to their branch again (S67,
// loop bounds, item 4).
TEST(EvidenceOfDivergenceProperty, OfKernelsWhoseLanesLeaveTwoLoopsClaimsTheBoundsOfAnalyze) {
    const std::uint64_t cases = tests::from_environment("WARPBOUND_PROPERTY_CASES", 40);
    const std::uint64_t first = tests::from_environment("WARPBOUND_PROPERTY_SEED", 1);
    Counts refusals;
    Counts counts;
    for (std::uint64_t seed = first; seed < first + cases; ++seed) {
        const certification::KernelInput input =
            input_of(tests::nested_loop_exit_kernel(seed), "1x32");
        const auto loaded = certification::load(input, "K1");
        const auto bounds = analyzer::analyze(certification::request_of(*loaded.value(), 1));
        const auto kernel = check_case(input, seed, counts, refusals);
        if (!bounds) {
            EXPECT_FALSE(kernel) << "seed " << seed;
            ++counts["without_bounds"];
            continue;
        }
        ++counts["with_bounds"];
        if (!kernel) continue;
        count_missed_groups(*kernel, counts);
        const models::Bounds<models::Cycles> known = bounds.value().execution_time.bounds();
        for (const auto& claim : kernel->claims) {
            if (claim.quantity != "execution-time") continue;
            EXPECT_EQ(claim.value, (claim.upper ? known.upper() : known.lower()).count())
                << "seed " << seed;
        }
    }
    show(counts, refusals);
    EXPECT_EQ(counts["bundles"], counts["with_bounds"]);
    EXPECT_GT(counts["with_bounds"] * 2, static_cast<int>(cases));
    EXPECT_GT(counts["numbers_missed"] * 2, counts["numbers_lowered"]);
    EXPECT_GT(counts["ways_missed"] * 10, counts["ways_left_out"] * 7)
        << "nodes of a block may replace each other";
    EXPECT_GT(counts["stacks_missed"] * 10, counts["stacks_changed"] * 8);
}

} // namespace
} // namespace warpbound
