/// \file
/// How long the envelope of a large kernel takes: `--benchmark_filter=Envelope` times reading
/// aside.

#include "analyzer/analyze.hpp"
#include "assembly/isa/reader.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace {

using namespace warpbound;

/// A kernel of about `blocks` basic blocks: diamonds, every tenth inside a loop, with facts for all
/// loops.
struct Generated {
    std::string text = "!Arch sm_20\n!Kernel generated\n";
    models::FlowFacts facts;
};

Generated generate(std::int64_t blocks, bool further_facts) {
    Generated kernel;
    std::int64_t address = 0;
    const auto put = [&](const std::string& instruction) {
        kernel.text += instruction + ";\n";
        address += 8;
    };
    std::int64_t previous_arm = -1;
    for (std::int64_t i = 0; i < blocks * 5 / 16; ++i) {
        const bool loop = i % 10 == 9;
        const std::int64_t header = address;
        if (loop) kernel.text += fmt::format("loop{}:\n", i);
        put(fmt::format("FADD R{}, R{}, R3", 4 + i % 8, 4 + (i + 3) % 8));
        put(fmt::format("@P0 BRA arm{}", i));
        const std::int64_t arm = address;
        put(fmt::format("FFMA R{}, R4, R5, R6", 4 + i % 5));
        put(fmt::format("MUFU.COS R9, R{}", 4 + i % 5));
        put(fmt::format("BRA join{}", i));
        kernel.text += fmt::format("arm{}:\n", i);
        put(fmt::format("FMUL R{}, R4, R3", 4 + i % 7));
        kernel.text += fmt::format("join{}:\n", i);
        put("FADD R4, R4, R9");
        if (loop) {
            put(fmt::format("@P1 BRA loop{}", i));
            kernel.facts.loops.push_back({header, 1, 2 + i % 60, {}});
        }
        if (further_facts && i % 50 == 1 && previous_arm >= 0) {
            models::LinearFact fact;
            fact.terms = {{1, std::nullopt, previous_arm}, {1, std::nullopt, arm}};
            fact.constant = 1;
            kernel.facts.constraints.push_back(fact);
        }
        previous_arm = loop ? -1 : arm;
    }
    put("EXIT");
    kernel.text += "!EndKernel\n";
    return kernel;
}

/// Pairs of branches on the same condition, whose long ways are on opposite sides.
Generated correlated(std::int64_t pairs) {
    Generated kernel;
    for (std::int64_t i = 0; i < pairs; ++i) {
        kernel.text += fmt::format("ISETP.LT.AND P0, PT, RZ, c[0x0][0x{:x}], PT;\n", 0x160 + 4 * i);
        for (const bool taken_is_long : {true, false}) {
            const auto label = fmt::format("{}_{}", i, taken_is_long ? 1 : 2);
            const std::string slow = "MUFU.COS R4, R4; FADD R4, R4, R4; ";
            kernel.text +=
                fmt::format("@P0 BRA A{0}; {1}BRA B{0}; A{0}: {2}NOP; B{0}: FADD R5, R5, R4;\n",
                            label, taken_is_long ? "" : slow, taken_is_long ? slow : "");
        }
    }
    kernel.text += "EXIT;\n!EndKernel\n";
    return kernel;
}

void envelope(benchmark::State& state, const Generated& kernel, const models::Launch& launch = {},
              bool follow_branches = false) {
    const auto program = assembly::read_program({"generated", kernel.text});
    const auto architecture = models::load_architecture("fermi-gtx470");
    if (!program || !architecture) {
        state.SkipWithError(to_string((program ? architecture.error() : program.error())).c_str());
        return;
    }
    const assembly::Function& function = program.value().functions.front();
    std::size_t blocks = 0;
    for (auto step : state) {
        (void)step;
        const auto graph = assembly::build_control_flow_graph(function);
        analyzer::Request request;
        request.function = &function;
        request.graph = &graph.value();
        request.architecture = &architecture.value();
        request.facts = &kernel.facts;
        request.launch = launch;
        request.follow_branches = follow_branches;
        const auto analysis = analyzer::analyze(request);
        if (!analysis)
            state.SkipWithError(to_string(analysis.error()).c_str());
        else if (analysis.value().execution_time.upper.outcome != analyzer::Outcome::Optimal)
            state.SkipWithError("the upper bound is not met by a path");
        benchmark::DoNotOptimize(analysis);
        blocks = graph.value().blocks.size();
    }
    state.counters["blocks"] = static_cast<double>(blocks);
}

void EnvelopeWithLoopBounds(benchmark::State& state) {
    envelope(state, generate(state.range(0), false));
}
void EnvelopeOfSeveralWarps(benchmark::State& state) {
    envelope(state, generate(state.range(0), false), {4, 256});
}

void EnvelopeWithLinearFacts(benchmark::State& state) {
    envelope(state, generate(state.range(0), true));
}

/// The pairs are found in the code, and the bound is that of the best path that keeps them.
void EnvelopeOfCorrelatedPairs(benchmark::State& state) {
    envelope(state, correlated(state.range(0)), {}, true);
}

BENCHMARK(EnvelopeOfCorrelatedPairs)->Arg(100)->Arg(1000)->Unit(benchmark::kMillisecond);
BENCHMARK(EnvelopeOfSeveralWarps)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK(EnvelopeWithLoopBounds)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);
BENCHMARK(EnvelopeWithLinearFacts)->Arg(1000)->Arg(5000)->Arg(20000)->Unit(benchmark::kMillisecond);

} // namespace
