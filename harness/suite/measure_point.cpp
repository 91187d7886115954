#include "harness/suite/measure_point.hpp"

#include "assembly/isa/reader.hpp"

#include <algorithm>

namespace warpbound::harness {

SeriesKey series_key(const BenchmarkPoint& point, const DeviceIdentity& device,
                     const Protocol& protocol) {
    SeriesKey key;
    key.name = point.name;
    key.device = device.name;
    key.device_detail = device.detail;
    key.protocol = to_string(protocol);
    key.kernel_digest = assembly::digest_of(point.text);
    key.facts_digest = assembly::digest_of(models::write_flow_facts(point.facts));
    key.launch = models::to_string(point.launch);
    key.quantity = to_string(point.quantity);
    return key;
}

Result<Measured> measure_point(const Device& device, const BenchmarkPoint& point,
                               const Protocol& protocol, Campaign* campaign, unsigned threads,
                               const Progress& progress, const std::function<bool()>& stop) {
    auto program = assembly::read_program({point.name, point.text});
    if (!program) return program.as_failure();
    const auto function = assembly::find_function(program.value(), "");
    if (!function) return function.as_failure();
    const auto graph = assembly::build_control_flow_graph(*function.value());
    if (!graph) return graph.as_failure();
    const Kernel kernel{function.value(), &graph.value(), &point.facts, point.launch};
    Protocol of_point = protocol;
    if (point.most_runs > 0) of_point.repetitions = std::min(of_point.repetitions, point.most_runs);
    return measure(device, kernel, series_key(point, device.identity(), protocol), of_point,
                   point.quantity, campaign, threads, progress, stop);
}

} // namespace warpbound::harness
