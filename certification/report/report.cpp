/// \file
/// A report from an analysis, and the observations that may refute it.
#include "certification/report/report.hpp"

#include "assembly/isa/reader.hpp"
#include "assembly/isa/source_places.hpp"
#include "harness/protocol/statistics.hpp"
#include "models/architecture/shipped.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::certification {

namespace {

constexpr std::array<std::string_view, 6> kind_names{
    "proved-bound", "bound-under-assumptions", "hybrid-estimate", "estimate", "pwcet", "observed"};
constexpr std::size_t listed_seeds = 10;

/// Costs that no number of a report includes.
std::vector<std::string> limitations_of_version(const analyzer::Request& request) {
    std::vector<std::string> limitations{
        "Preemption and context switches are not included.",
        "Other clients of the GPU, including the copy engines, are not included.",
        "Driver, interrupt and host time are not included.",
        "DRAM refresh and ECC scrubbing are included only as far as the latency intervals "
        "contain them.",
        "Clock changes are not included: bounds are core cycles, and times in seconds rest on the "
        "stated range of the clock.",
        request.host ? "Launch and copies are included in the time from end to end only."
                     : "Launch and copy cost are not included.",
        "Faults, traps and retries are not included.",
        "Divergence is included except where the code or the flow facts make a branch uniform."};
    if (request.multiprocessors == 1)
        limitations.push_back("Further multiprocessors are not included.");
    return limitations;
}

Claim make_claim(std::string quantity, analyzer::Side side, const analyzer::SideResult& result,
                 const std::vector<analyzer::Assumption>& assumptions) {
    Claim claim;
    claim.quantity = std::move(quantity);
    claim.side = side;
    claim.value = result.proved.count();
    claim.proof = analyzer::to_string(result.proof);
    claim.limit_reached = result.outcome == analyzer::Outcome::LimitReached;
    claim.queueing = result.queueing;
    claim.by_addresses = result.by_addresses;
    claim.loaded = result.loaded;
    claim.by_warp = result.by_warp;
    claim.terms = result.terms;
    claim.bound = result.bound;
    for (const auto& assumption : assumptions)
        claim.assumptions.push_back(assumption.id);
    claim.kind = kind_of(assumptions);
    return claim;
}

/// Those that the assumptions name.
std::vector<MachineValue> machine_values_of(const models::Architecture& machine,
                                            const std::vector<analyzer::Assumption>& assumptions) {
    std::vector<MachineValue> values;
    for (const auto& assumption : assumptions)
        for (const auto& path : assumption.values) {
            const models::SourcedValue* value = models::find_value(machine, path);
            if (value == nullptr || !value->interval) continue;
            const models::Interval& range = *value->interval;
            values.push_back(
                {.path = path,
                 .value = range.is_exact()
                              ? fmt::format("{} {}", range.lo, value->unit)
                              : fmt::format("{}..{} {}", range.lo, range.hi, value->unit),
                 .grade = std::string{models::to_string(value->grade)},
                 .source = value->source + (value->reason.empty() ? "" : "; " + value->reason)});
        }
    return values;
}

} // namespace

ClaimKind kind_of(const std::vector<analyzer::Assumption>& assumptions) {
    const bool proved =
        std::all_of(assumptions.begin(), assumptions.end(), [](const auto& assumption) {
            return assumption.status == analyzer::AssumptionStatus::Proved;
        });
    return proved ? ClaimKind::ProvedBound : ClaimKind::BoundUnderAssumptions;
}

std::string_view to_string(ClaimKind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

std::int64_t Report::unchecked_assumptions() const {
    return std::count_if(assumptions.begin(), assumptions.end(),
                         [](const analyzer::Assumption& assumption) {
                             return assumption.status == analyzer::AssumptionStatus::Unchecked;
                         });
}

std::int64_t Report::unchecked_assumptions(const Claim& claim) const {
    return std::count_if(assumptions.begin(), assumptions.end(),
                         [&](const analyzer::Assumption& assumption) {
                             return assumption.status == analyzer::AssumptionStatus::Unchecked &&
                                    std::find(claim.assumptions.begin(), claim.assumptions.end(),
                                              assumption.id) != claim.assumptions.end();
                         });
}

bool Report::several_warps() const {
    const Claim* upper = claim("execution-time", analyzer::Side::Upper);
    return upper != nullptr && !upper->terms.empty();
}

bool Report::refuted() const {
    return refuted_by_trace() ||
           std::any_of(observations.begin(), observations.end(),
                       [](const ObservedTimes& observed) { return observed.outside_bounds > 0; });
}

bool Report::outlasts_bound() const {
    const Claim* upper = claim("execution-time", analyzer::Side::Upper);
    return thread_trace && upper != nullptr && thread_trace->longest > upper->value;
}

bool Report::refuted_by_trace() const {
    return outlasts_bound() || (thread_trace && thread_trace->outside > 0);
}

bool Report::compared() const {
    if (thread_trace) return true;
    return std::any_of(observations.begin(), observations.end(),
                       [&](const ObservedTimes& observed) {
                           return claim(observed.quantity, analyzer::Side::Upper) != nullptr ||
                                  claim(observed.quantity, analyzer::Side::Lower) != nullptr;
                       });
}

const Claim* Report::claim(std::string_view quantity, analyzer::Side side) const {
    const auto found = std::find_if(claims.begin(), claims.end(), [&](const Claim& candidate) {
        return candidate.quantity == quantity && candidate.side == side;
    });
    return found == claims.end() ? nullptr : &*found;
}

std::optional<models::Nanoseconds> Report::time_of(const Claim& claim) const {
    if (!clock || (clock->is_stated && claim.quantity == "end-to-end")) return std::nullopt;
    const models::Cycles cycles{claim.value};
    return claim.side == analyzer::Side::Upper ? models::longest_time(cycles, clock->range)
                                               : models::shortest_time(cycles, clock->range);
}

std::optional<models::DeadlineVerdict> Report::deadline_verdict() const {
    if (!deadline) return std::nullopt;
    const models::Bounds<models::Cycles> bounds{
        models::Cycles{claim("execution-time", analyzer::Side::Lower)->value},
        models::Cycles{claim("execution-time", analyzer::Side::Upper)->value}};
    return models::verdict_on(*deadline, bounds,
                              clock ? std::optional{clock->range} : std::nullopt);
}

analyzer::Assumption clock_assumption(const models::Clock& clock) {
    return {.id = "",
            .text = clock.assumption,
            .status = analyzer::AssumptionStatus::Unchecked,
            .subject = clock.is_stated ? analyzer::AssumptionSubject::User
                                       : analyzer::AssumptionSubject::Machine};
}

void use_clock(Report& report, models::Clock clock, std::string id) {
    report.clock_assumption = std::move(id);
    report.assumptions.push_back(clock_assumption(clock));
    report.assumptions.back().id = report.clock_assumption;
    report.clock = std::move(clock);
}

Report report_of(const assembly::Program& program, const analyzer::Request& request,
                 const analyzer::Analysis& analysis) {
    Report report;
    const assembly::Function& function = *request.function;
    report.kernel = function.name;
    report.kernel_digest = program.digest;
    report.isa = to_string(function.target);
    report.architecture = models::label_of(*request.architecture);
    report.architecture_title = request.architecture->title;
    report.architecture_digest = request.architecture->digest;
    report.coverage = models::coverage_of(*request.architecture);
    report.policy = models::to_string(request.policy);
    report.launch = request.launch;
    report.multiprocessors = request.multiprocessors;
    report.seed = request.seed;
    report.assumptions = analysis.assumptions;
    report.assumptions.insert(report.assumptions.end(), analysis.host_assumptions.begin(),
                              analysis.host_assumptions.end());
    report.machine_values = machine_values_of(*request.architecture, report.assumptions);
    report.solver = analysis.solver;
    report.limitations = limitations_of_version(request);
    const auto add = [&](const std::string& quantity, const analyzer::Envelope& envelope,
                         const std::vector<analyzer::Assumption>& assumptions) {
        report.claims.push_back(
            make_claim(quantity, analyzer::Side::Upper, envelope.upper, assumptions));
        report.claims.push_back(
            make_claim(quantity, analyzer::Side::Lower, envelope.lower, assumptions));
    };
    add("execution-time", analysis.execution_time, analysis.assumptions);
    if (analysis.measured_time) add("measured-time", *analysis.measured_time, analysis.assumptions);
    if (analysis.end_to_end) add("end-to-end", *analysis.end_to_end, report.assumptions);
    for (std::size_t i = 0; i < report.claims.size(); ++i)
        report.claims[i].id = "C" + std::to_string(i + 1);

    const analyzer::SideResult& worst = analysis.execution_time.upper;
    for (const auto& block : worst.blocks)
        report.worst_path.push_back(
            {request.graph->blocks[block.block].address, block.count, block.cycles,
             assembly::source_range(function, request.graph->blocks[block.block].first,
                                    request.graph->blocks[block.block].last)});
    std::vector<bool> starts(function.instructions.size(), false);
    for (const auto& block : request.graph->blocks)
        starts[block.first] = true;
    for (std::size_t i = 0; i < function.instructions.size(); ++i) {
        AnnotatedInstruction line;
        line.address = function.instructions[i].address;
        line.text = assembly::print(function.instructions[i]);
        line.block_start = starts[i];
        line.source = assembly::source_of(function, function.instructions[i]);
        if (i < worst.instruction_counts.size() && i < worst.instruction_cycles.size()) {
            line.executions = worst.instruction_counts[i];
            line.cycles = worst.instruction_cycles[i];
        }
        report.assembly.push_back(std::move(line));
    }
    for (const auto& [category, cycles] : worst.stack)
        report.stack.emplace_back(std::string{analyzer::to_string(category)}, cycles);
    return report;
}

std::string claimed_quantity(const harness::SeriesKey& key) {
    return key.quantity == to_string(harness::Quantity::Region) ? "measured-time" : key.quantity;
}

namespace {

template <class Samples>
void add_times(Report& report, const harness::SeriesKey& key, const Samples& samples) {
    ObservedTimes about;
    about.quantity = claimed_quantity(key);
    about.device = key.device;
    about.protocol = key.protocol;
    const Claim* upper = report.claim(about.quantity, analyzer::Side::Upper);
    const Claim* lower = report.claim(about.quantity, analyzer::Side::Lower);
    std::vector<std::int64_t> times;
    for (const auto& sample : samples)
        for (const std::int64_t time : sample.times) {
            times.push_back(time);
            if (!(upper != nullptr && time > upper->value) &&
                !(lower != nullptr && time < lower->value))
                continue;
            ++about.outside_bounds;
            if (!about.first_outside_run) about.first_outside_run = sample.run;
            if (about.outside_seeds.size() < listed_seeds)
                about.outside_seeds.push_back(sample.seed);
        }
    if (times.empty()) return;
    const harness::Summary summary = harness::summarise(times);
    about.modes = static_cast<std::int64_t>(summary.modes.size());
    about.mean = summary.mean;
    about.count = summary.count;
    about.best = summary.best;
    about.worst = summary.worst;
    about.median = summary.median;
    about.p90 = summary.p90;
    about.p99 = summary.p99;
    about.distinct = summary.distinct;
    std::sort(times.begin(), times.end());
    for (const std::int64_t time : times) {
        if (about.values.empty() || about.values.back().value != time)
            about.values.push_back({time, 0});
        ++about.values.back().count;
    }
    report.observations.push_back(std::move(about));
}

} // namespace

void add_observations(Report& report, const harness::SeriesKey& key,
                      const std::vector<harness::Sample>& samples) {
    add_times(report, key, samples);
}

void add_observations(Report& report, const harness::SeriesKey& key,
                      const harness::PackedSamples& samples) {
    add_times(report, key, samples);
}

} // namespace warpbound::certification
