#include "harness/suite/benchmarks/stated_benchmarks.hpp"

#include "harness/suite/benchmarks/specimens.hpp"
#include "harness/suite/benchmarks/stall_search.hpp"
#include "harness/suite/emission/stated_emission.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

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

/// Two instructions of a class with the least stall count: what one of `stated_stall` hides.
std::vector<Benchmark> tight_pairs() {
    std::vector<Benchmark> all;
    for (const auto& of : specimens()) {
        const std::string name{to_string(of.opcode_class)};
        all.push_back({"tight-" + name,
                       fmt::format("Can a warp issue two {} in consecutive cycles?", name),
                       "the initiation",
                       "C4, C7, C12",
                       {},
                       [&of](const Axes&, const models::Architecture&) {
                           Operation first = specimen(of, first_register);
                           first.stall = 1;
                           return isolated({std::move(first), specimen(of, first_register + 2)});
                       },
                       {path_of(of.opcode_class, "initiation")}});
    }
    return all;
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
    for (const auto& list : {tight_pairs(), stall_searches()})
        for (const auto& added : list) {
            all.push_back(added);
            all.back().name = std::string{stated_prefix} + added.name;
            all.back().stated = true;
        }
    return all;
}

} // namespace warpbound::harness
