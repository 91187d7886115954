/// \file
/// Estimates of AMD's code against the simulated device: kernels of tests/data/amd on an MI210 with
/// every value at its typical number. WARPBOUND_ACCURACY_KERNELS=all compares every kernel and
/// prints the table of docs/accuracy.md.

#include "analyzer/flow/facts_in_use.hpp"
#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/prediction.hpp"
#include "models/formulas/voudouris_parameters.hpp"
#include "tests/accuracy/machines.hpp"
#include "tests/accuracy/trial.hpp"
#include "tests/support/median.hpp"
#include "tests/unit/assembly/amd/code.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using models::prediction::Model;
using tests::value_of;

/// Loops without a bound of their own are entered so often.
constexpr std::int64_t iterations = 9;
constexpr std::int64_t lanes = 64;

/// An MI210 of one compute unit. What nobody has published of atomics and fences is made up, the
/// same for both sides.
models::Architecture machine() {
    models::Architecture made = tests::exact_machine("cdna2-mi210");
    for (const auto& [path, number] :
         {std::pair{"classes/atomic-shared/latency", 100},
          std::pair{"classes/atomic-shared/initiation", 4},
          std::pair{"classes/atomic-shared/pass-cost", 2},
          std::pair{"classes/atomic-global/latency", 500},
          std::pair{"classes/atomic-global/initiation", 16},
          std::pair{"classes/atomic-global/pass-cost", 2}, std::pair{"memories/l2/atomic", 1},
          std::pair{"classes/memory-fence/latency", 200},
          std::pair{"classes/memory-fence/initiation", 4}})
        value_of(models::override_value(made, path, number), path);
    return made;
}

/// Both sides take the same facts: each access with the middle of its transactions, each load from
/// the L2, each loop without a bound as often.
models::FlowFacts facts_of(const assembly::Function& function,
                           const assembly::ControlFlowGraph& graph,
                           const models::Architecture& architecture, const models::Launch& launch) {
    auto facts =
        value_of(analyzer::facts_in_use(function, graph, architecture, launch, {}), function.name);
    for (const auto& loop : graph.loops) {
        const std::int64_t header = graph.blocks[loop.header].address;
        const auto found = std::ranges::find(facts.loops, header, &models::LoopFact::header);
        if (found == facts.loops.end()) {
            facts.loops.push_back({header, iterations, iterations, {}});
        } else {
            found->max = std::min(found->max, iterations);
            found->min = found->max;
        }
    }
    std::vector<models::MemoryFact> memory;
    for (const auto& instruction : function.instructions) {
        if (!models::counts_passes(instruction)) continue;
        const models::MemoryFact* const known = facts.memory_at(instruction.address);
        models::MemoryFact fact;
        fact.at = instruction.address;
        const bool shared = models::is_shared_access(instruction.opcode_class);
        std::optional<models::CountRange> count;
        if (known != nullptr) count = shared ? known->conflict_degree : known->transactions;
        const std::int64_t middle = count ? (count->min + count->max) / 2 : 4;
        (shared ? fact.conflict_degree : fact.transactions) = models::CountRange{middle, middle};
        if (models::is_global_load(instruction.opcode_class)) fact.level = models::MemoryLevel::L2;
        memory.push_back(fact);
    }
    facts.memory = std::move(memory);
    return facts;
}

/// Simulated and estimated times of a kernel.
class Bench {
public:
    Bench(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
          const models::Architecture& architecture, const models::Launch& launch)
        : function_{function}, graph_{graph}, architecture_{architecture}, launch_{launch},
          facts_{facts_of(function, graph, architecture, launch)} {
        // All wavefronts follow the longest of nine paths: others end at once.
        const auto one = prepared({1, lanes});
        std::int64_t most = 0;
        for (std::uint64_t seed = 1; seed <= 9; ++seed) {
            std::vector<std::size_t> path;
            std::int64_t issues = 0;
            value_of(one->run({.seed = seed, .draw = harness::Draw::Uniform, .path = {}},
                              [&](const harness::simulator::Event& event) {
                                  const auto* issued =
                                      std::get_if<harness::simulator::Issued>(&event);
                                  if (issued == nullptr) return;
                                  ++issues;
                                  if (issued->instruction == graph_.blocks[issued->block].first)
                                      path.push_back(issued->block);
                              }),
                     function.name);
            if (issues <= most) continue;
            most = issues;
            path_ = std::move(path);
        }
        profile_.name = function.name;
        profile_.steps =
            value_of(models::steps_along(function, graph, path_, facts_), function.name);
        profile_.counts = models::counts_of(profile_.steps);
        profile_.registers = function.register_count;
        profile_.shared_memory = function.shared_memory;
    }

    /// Unit: core cycles.
    [[nodiscard]] double observe() const {
        return static_cast<double>(
            value_of(
                prepared(launch_)->run({.seed = 1, .draw = harness::Draw::AllHigh, .path = path_}),
                function_.name)
                .execution_time.count());
    }

    [[nodiscard]] models::prediction::Prediction predict(Model model) const {
        models::prediction::Setting setting{.architecture = architecture_, .launch = launch_};
        setting.voudouris = models::voudouris::parameters_from(architecture_);
        for (const auto& [name, value] :
             {std::pair{"bsp-lambda", 1.0}, std::pair{"miss-registers", 1e9},
              std::pair{"line-bytes", 64.0}})
            value_of(setting.stated.set(name, value), name);
        return models::prediction::predict(model, profile_, setting,
                                           models::prediction::Variant::Typical);
    }

private:
    [[nodiscard]] std::shared_ptr<const harness::simulator::Machine>
    prepared(const models::Launch& launch) const {
        const harness::Kernel code{&function_, &graph_, &facts_, launch};
        return value_of(harness::simulator::Machine::prepare(
                            architecture_, code, value_of(models::read_policy("lrr"), "lrr")),
                        function_.name);
    }

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const models::Architecture& architecture_;
    models::Launch launch_;
    models::FlowFacts facts_;
    std::vector<std::size_t> path_;
    models::NamedProfile profile_;
};

const std::set<std::string> few{"saxpy",       "grid_stride", "transpose",      "stencil",
                                "polynomial",  "bit_counts",  "divergent_nest", "copy_wide",
                                "conversions", "uniform_work"};

TEST(AmdAccuracy, EstimatesAreNearSimulatedTimes) {
    const char* const chosen = std::getenv("WARPBOUND_ACCURACY_KERNELS");
    const bool all = chosen != nullptr && std::string{chosen} == "all";
    const std::string image = assembly::amd::amd_file("gfx90a.hsaco.xz");
    const auto object = assembly::amd::read_code_object(image).value();
    const auto architecture = machine();
    std::map<Model, std::vector<double>> errors;
    std::map<Model, std::vector<double>> of_one; // One wavefront.
    std::set<std::string> left_out;
    std::set<std::string> refusals;
    std::size_t compared = 0;
    for (const auto& kernel : object.kernels) {
        if (!all && !few.contains(kernel.name)) continue;
        try {
            const auto function = value_of(
                assembly::amd::build_function(kernel, object.target, assembly::amd::llvm_decoder()),
                kernel.name);
            const auto graph = value_of(assembly::build_control_flow_graph(function), kernel.name);
            for (const models::Launch& launch :
                 {models::Launch{1, lanes}, models::Launch{1, 4 * lanes},
                  models::Launch{4, 4 * lanes}}) {
                const Bench bench{function, graph, architecture, launch};
                const double observed = bench.observe();
                std::string row = fmt::format("{} {}x{}: {:.0f}", kernel.name, launch.blocks,
                                              launch.threads, observed);
                for (const Model model : models::prediction::all_models) {
                    const auto answer = bench.predict(model);
                    if (answer.refused()) {
                        refusals.insert(fmt::format("{}: {}", to_string(model), answer.why()));
                        continue;
                    }
                    const double error = answer.time->value() / observed - 1;
                    errors[model].push_back(std::abs(error));
                    if (launch.threads == lanes) of_one[model].push_back(std::abs(error));
                    row += fmt::format(" {} {:+.0f} %", to_string(model), 100 * error);
                }
                if (all) fmt::print("{}\n", row);
            }
            ++compared;
        } catch (const std::runtime_error& error) {
            left_out.insert(error.what());
        }
    }
    if (all) {
        for (const auto& what : left_out)
            fmt::print("left out: {}\n", what);
        for (const auto& what : refusals)
            fmt::print("refused: {}\n", what);
        fmt::print("\n{} kernels\n\n| model | points | median error | of one wavefront | mean "
                   "error | worst "
                   "|\n|---|---|---|---|---|---|\n",
                   compared);
        for (const auto& [model, found] : errors) {
            double sum = 0;
            for (const double error : found)
                sum += error;
            fmt::print("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % | {:.1f} % |\n",
                       to_string(model), found.size(), 100 * tests::median_of(found),
                       100 * tests::median_of(of_one[model]),
                       100 * sum / static_cast<double>(found.size()),
                       100 * *std::ranges::max_element(found));
        }
    } else {
        EXPECT_EQ(compared, few.size());
        EXPECT_EQ(left_out, std::set<std::string>{});
    }
    for (const Model model : {Model::GpuMech, Model::GpuDiag, Model::Volkov}) {
        EXPECT_LT(tests::median_of(of_one[model]), 0.02) << to_string(model);
        EXPECT_LT(tests::median_of(errors[model]), 0.15) << to_string(model);
    }
}

} // namespace
} // namespace warpbound
