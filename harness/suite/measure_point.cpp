#include "harness/suite/measure_point.hpp"

#include "assembly/isa/reader.hpp"
#include "harness/protocol/series_key.hpp"

#include <algorithm>

namespace warpbound::harness {

namespace {

struct PointCode {
    assembly::Program program;
    assembly::ControlFlowGraph graph;

    /// Points into this and the point.
    [[nodiscard]] Kernel kernel(const BenchmarkPoint& point) const {
        return {&program.functions.front(), &graph, &point.facts, point.launch, nullptr, nullptr};
    }
};

Result<PointCode> read_code(const BenchmarkPoint& point) {
    auto program = assembly::read_program({point.name, point.text});
    if (!program) return program.as_failure();
    const auto function = assembly::find_function(program.value(), "");
    if (!function) return function.as_failure();
    auto graph = assembly::build_control_flow_graph(*function.value());
    if (!graph) return graph.as_failure();
    return PointCode{std::move(program).value(), std::move(graph).value()};
}

} // namespace

SeriesKey series_key(const BenchmarkPoint& point, const DeviceIdentity& device,
                     const Protocol& protocol) {
    return series_key({point.name, assembly::digest_of(point.text),
                       assembly::digest_of(models::write_flow_facts(point.facts))},
                      point.launch, point.quantity, device, protocol);
}

Result<void> check_point(const Device& device, const BenchmarkPoint& point) {
    const auto code = read_code(point);
    if (!code) return code.as_failure();
    const auto prepared = device.prepare(code.value().kernel(point));
    if (!prepared) return prepared.as_failure();
    return boost::outcome_v2::success();
}

Result<Measured> measure_point(const Device& device, const BenchmarkPoint& point,
                               const Protocol& protocol, Campaign* campaign, unsigned threads,
                               const Progress& progress, const std::function<bool()>& stop) {
    const auto code = read_code(point);
    if (!code) return code.as_failure();
    Protocol of_point = protocol;
    if (point.most_runs > 0) of_point.repetitions = std::min(of_point.repetitions, point.most_runs);
    return measure(device, code.value().kernel(point),
                   series_key(point, device.identity(), protocol), of_point, point.quantity,
                   campaign, threads, progress, stop);
}

} // namespace warpbound::harness
