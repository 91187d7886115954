#include "harness/suite/stated_benchmarks.hpp"

#include "harness/suite/specimens.hpp"
#include "harness/suite/stated_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace warpbound::harness {

namespace {

/// Whether it times results of fixed latency, for which nothing on an encoded machine waits: delays
/// of a single result, and dependence chains.
bool waits_for_fixed_results(const Benchmark& benchmark) {
    if (benchmark.name.starts_with("dependent-")) return true;
    return std::ranges::any_of(specimens(), [&](const Specimen& of) {
        return !has_stated_scoreboard(of.opcode_class) &&
               benchmark.name == fmt::format("result-{}", to_string(of.opcode_class));
    });
}

} // namespace

std::vector<Benchmark> stated_benchmarks(const std::vector<Benchmark>& benchmarks) {
    std::vector<Benchmark> all;
    for (const auto& benchmark : benchmarks) {
        if (benchmark.calibrates.empty() || waits_for_fixed_results(benchmark)) continue;
        all.push_back(benchmark);
        all.back().name = std::string{stated_prefix} + benchmark.name;
        all.back().interlocked = false;
        all.back().stated = true;
        // What the encoding states is no value of the machine.
        std::erase(all.back().calibrates, "schedulers/same-warp-interval");
    }
    return all;
}

} // namespace warpbound::harness
