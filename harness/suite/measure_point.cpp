#include "harness/suite/measure_point.hpp"

#include "assembly/isa/reader.hpp"
#include "harness/protocol/rounds.hpp"
#include "harness/protocol/series_key.hpp"
#include "harness/suite/suites.hpp"

#include <algorithm>
#include <array>

namespace warpbound::harness {

struct PointRun::Code {
    assembly::Program program; ///< For listings, like the graph; PTX and copies need none.
    std::optional<assembly::ControlFlowGraph> graph;
    SeriesKey series;

    static Result<std::unique_ptr<Code>> read(const BenchmarkPoint& point, SeriesKey series) {
        auto code = std::make_unique<Code>();
        code->series = std::move(series);
        if (point.ptx || point.copy) return code;
        auto program = assembly::read_program({point.name, point.text});
        if (!program) return program.as_failure();
        code->program = std::move(program).value();
        const auto function = assembly::find_function(code->program, "");
        if (!function) return function.as_failure();
        auto graph = assembly::build_control_flow_graph(*function.value());
        if (!graph) return graph.as_failure();
        code->graph = std::move(graph).value();
        return code;
    }
    /// Refers to this object and the point.
    [[nodiscard]] Kernel kernel(const BenchmarkPoint& point) const {
        Kernel kernel;
        if (graph) kernel.function = &program.functions.front();
        if (graph) kernel.graph = &*graph;
        kernel.facts = &point.facts;
        kernel.launch = point.launch;
        if (point.ptx) kernel.ptx = &*point.ptx;
        kernel.copy = point.copy;
        kernel.name = point.name;
        kernel.observes_stores = point.quantity == Quantity::CheckedRegion;
        kernel.series = &series;
        return kernel;
    }
};

PointRun::PointRun(const Device& device, const BenchmarkPoint& point, const Protocol& protocol,
                   std::unique_ptr<Code> code, std::unique_ptr<PreparedKernel> prepared)
    : device_{&device}, point_{&point}, protocol_{protocol}, code_{std::move(code)},
      prepared_{std::move(prepared)} {}

PointRun::~PointRun() = default;

Result<std::unique_ptr<PointRun>>
PointRun::prepare(const Device& device, const BenchmarkPoint& point, const Protocol& protocol) {
    auto code = Code::read(point, series_key(point, device.identity(), protocol));
    if (!code) return code.as_failure();
    auto prepared = device.prepare(code.value()->kernel(point));
    if (!prepared) return prepared.as_failure();
    if (auto supported = prepared.value()->supports(point.quantity); !supported)
        return supported.as_failure();
    return std::unique_ptr<PointRun>{new PointRun{device, point, protocol, std::move(code).value(),
                                                  std::move(prepared).value()}};
}

Result<void> PointRun::begin(Campaign* campaign) {
    Protocol of_point = protocol_;
    if (point_->most_runs > 0 && point_->most_runs <= protocol_.repetitions) {
        of_point.repetitions = point_->most_runs;
        of_point.stop = {};
    }
    auto series = SeriesRun::begin(*device_, code_->kernel(*point_), *prepared_, code_->series,
                                   of_point, point_->quantity, campaign);
    if (!series) return series.as_failure();
    series_ = std::move(series).value();
    return boost::outcome_v2::success();
}

Result<std::vector<BenchmarkPoint>> points_for(const Device& device, std::string_view benchmark) {
    const auto machine = device.machine();
    if (!machine) return machine.as_failure();
    return device.compiles() ? card_points_of(benchmark, machine.value().target)
                             : points_of(benchmark, machine.value());
}

SeriesKey series_key(const BenchmarkPoint& point, const DeviceIdentity& device,
                     const Protocol& protocol) {
    return series_key({point.name, assembly::digest_of(point.code()),
                       assembly::digest_of(models::write_flow_facts(point.facts))},
                      point.launch, point.quantity, device, protocol);
}

Result<Measured> measure_point(const Device& device, const BenchmarkPoint& point,
                               const Protocol& protocol, Campaign* campaign, unsigned threads,
                               const Progress& progress, const std::function<bool()>& stop) {
    const auto run = PointRun::prepare(device, point, protocol);
    if (!run) return run.as_failure();
    if (auto begun = run.value()->begin(campaign); !begun) return begun.as_failure();
    const std::array<SeriesRun*, 1> alone{&run.value()->series()};
    const auto measured =
        measure_in_rounds(alone, protocol.seed, campaign, threads, progress, stop);
    if (!measured) return measured.as_failure();
    return run.value()->series().take();
}

} // namespace warpbound::harness
