#include "analyzer/policies/measured_time.hpp"

#include "analyzer/evidence/operand_delay.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "analyzer/microarchitecture/clock_region.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// From the issue of the first clock read to that of the last, by loop bounds alone. Absolute times
/// are forgotten at the first read; only what is outstanding then counts.
std::optional<models::Cycles> region_cost(const TimedKernel& kernel, const AnalysisRun& run,
                                          const PipelinePair& rules, const ClockRegion& region,
                                          Side side) {
    const auto& graph = *kernel.graph;
    const Outstanding before = outstanding(graph, rules.lower, rules.upper, kernel.facts.never,
                                           whole_run(graph, rules.upper), rules.start());
    const auto& entry = before.entries[region.first_block];
    if (!entry) return std::nullopt;
    const StateInterval behind_first =
        state_after(graph, rules.lower, rules.upper, *entry, region.first_block, region.first);
    PipelineState earliest = behind_first.lower;
    if (kernel.delivery.lines || kernel.delivery.operands) {
        // While the warp waited for lines, everything that was outstanding may have completed.
        earliest = rules.lower.start();
        rules.lower.issue(earliest, region.first, 0);
    }
    const Span lower = span_of(graph, rules.lower, region, std::move(earliest));
    const Span upper = span_of(graph, rules.upper, region, behind_first.upper);
    const PathSpan between{outside(graph, kernel.facts.never, region),
                           side == Side::Lower ? lower : upper,
                           {lower.state, upper.state}};
    const auto paths = [&](std::optional<std::size_t> nodes) {
        return path_graph_of(kernel, rules, side, between, nodes);
    };
    PathSolution solved;
    solved.witness =
        LoopBoundedPaths{graph, paths(std::nullopt), kernel.facts.loops, side}.start_to_end();
    if (!solved.witness) return std::nullopt;
    solved.bound = models::Cycles{solved.witness->cost};
    record(
        kernel, run,
        side == Side::Upper
            ? CertificateName{"measured-time-upper", "time from the first clock read to the last"}
            : CertificateName{"measured-time-lower", "time from the first clock read to the last"},
        {side, Facts::LoopBounds}, solved, paths);
    if (run.certificates != nullptr)
        run.certificates->certificates.back().between = {region.first_block, region.last_block};
    return solved.bound;
}

/// Waits for lines of instructions between the reads are among those of the launch
/// (docs/theory, S36), those for constants are those of the instructions between (S43).
Result<void> add_line_delays(const AnalysisContext& context, const ClockRegion& between,
                             models::Cycles region, SideResult& upper) {
    const TimedKernel& kernel = context.kernel;
    Result<std::vector<BoundTerm>> delays = std::vector<BoundTerm>{};
    if (kernel.delivery.lines) delays = fetch_delay(kernel, context.launch);
    if (!delays) return delays.as_failure();
    if (kernel.delivery.operands)
        for (BoundTerm& term : operand_delay_between(kernel, context.run, between))
            delays.value().push_back(std::move(term));
    upper.terms = {
        {"time from the first clock read to the last", 1, region.count(), "measured-time-upper"},
        {"latency of the last clock read, less that of the first", 1,
         (upper.proved - region).count()}};
    upper.terms.insert(upper.terms.end(), delays.value().begin(), delays.value().end());
    upper.proved = sum_of(upper.terms);
    return boost::outcome_v2::success();
}

/// The measured time adds the latency of the last read and takes away that of the first (C3).
std::optional<Envelope> measured_envelope(const AnalysisContext& context, const PipelinePair& rules,
                                          const ClockRegion& region) {
    const TimedKernel& kernel = context.kernel;
    const auto lower = region_cost(kernel, context.run, rules, region, Side::Lower);
    const auto upper = region_cost(kernel, context.run, rules, region, Side::Upper);
    if (!lower || !upper) return std::nullopt;
    const auto& first = kernel.timings[region.first].value().latency;
    const auto& last = kernel.timings[region.last].value().latency;
    Envelope envelope;
    envelope.lower.proved = *lower + models::Cycles{last.lo} - models::Cycles{first.hi};
    envelope.upper.proved = *upper + models::Cycles{last.hi} - models::Cycles{first.lo};
    if ((kernel.delivery.lines || kernel.delivery.operands) &&
        !add_line_delays(context, region, *upper, envelope.upper))
        return std::nullopt;
    return envelope;
}

} // namespace

MeasuredTime bound_measured_time(const AnalysisContext& context) {
    const TimedKernel& kernel = context.kernel;
    const RegionSearch search =
        find_clock_region(*kernel.function, *kernel.graph, kernel.facts.never);
    if (!search.region) return {std::nullopt, search.absent};
    if (has_divergent_branch(*kernel.function, *kernel.stated))
        return {std::nullopt, "the measured time of a warp is bounded only where it is uniform"};
    if (!context.launch.shape.has_one_warp())
        return {std::nullopt, "the measured time of a warp is bounded only where it runs alone"};
    if (context.memory.caches)
        return {std::nullopt,
                "the measured time is not bounded where accesses go through the caches"};
    if (context.memory.atomics_wait)
        return {std::nullopt,
                "the measured time is not bounded where atomics wait for each other at the L2"};
    const models::Interval& entries = kernel.write_buffer.entries;
    const std::int64_t fewest = std::min(entries.lo, PipelineModel::tracked_entries);
    if (!entries.is_exact() || entries.hi != fewest)
        return {std::nullopt, "the size of the write buffer is not one small number"};
    return {measured_envelope(context, pipelines_of(kernel, fewest, kernel.write_buffer.drain),
                              *search.region),
            search.absent};
}

} // namespace warpbound::analyzer
