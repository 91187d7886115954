#include "tests/support/benchmark_times.hpp"

#include "assembly/isa/reader.hpp"
#include "harness/suite/suites.hpp"
#include "models/architecture/architecture.hpp"

#include <gtest/gtest.h>

namespace warpbound::tests {

std::vector<harness::BenchmarkPoint> points(const std::string& benchmark,
                                            const std::string& architecture) {
    const auto machine = models::load_architecture(architecture);
    EXPECT_TRUE(machine);
    auto all = harness::points_of(benchmark, machine.value());
    EXPECT_TRUE(all) << to_string(all.error());
    return std::move(all).value();
}

std::vector<harness::Sample> runs_of(const harness::BenchmarkPoint& point,
                                     const std::string& architecture, std::int64_t runs) {
    const auto program = assembly::read_program({point.name, point.text});
    EXPECT_TRUE(program) << to_string(program.error()) << "\n" << point.text;
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    EXPECT_TRUE(graph);
    const auto device = harness::open_device("simulated:" + architecture);
    EXPECT_TRUE(device) << to_string(device.error());
    harness::Protocol protocol;
    protocol.repetitions = runs;
    const harness::Kernel kernel{&function, &graph.value(), &point.facts, point.launch};
    const auto measured =
        harness::measure(*device.value(), kernel, {}, protocol, harness::Quantity::Region, nullptr);
    EXPECT_TRUE(measured) << to_string(measured.error());
    return measured.value().samples;
}

std::vector<std::int64_t> times_of(const harness::BenchmarkPoint& point,
                                   const std::string& architecture, std::int64_t runs) {
    std::vector<std::int64_t> times;
    for (const auto& sample : runs_of(point, architecture, runs))
        times.insert(times.end(), sample.times.begin(), sample.times.end());
    return times;
}

} // namespace warpbound::tests
