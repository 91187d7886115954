#pragma once
/// \file
/// Everything one report says, as one value; text, JSON, XML and HTML are renderings of it.

#include "analyzer/analyze.hpp"
#include "assembly/isa/program.hpp"
#include "certification/thread_trace/held_thread_trace.hpp"
#include "harness/campaign/campaign.hpp"
#include "harness/campaign/packed_samples.hpp"
#include "models/architecture/coverage.hpp"
#include "models/time/clock.hpp"
#include "models/time/deadline.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// What a number of a report is, strongest statement first. No output prints a time without it.
enum class ClaimKind {
    ProvedBound,
    BoundUnderAssumptions,
    HybridEstimate,
    Estimate,
    Pwcet,
    Observed
};
/// Kind of a bound that rests on these assumptions: proved only when each assumption is proved.
ClaimKind kind_of(const std::vector<analyzer::Assumption>& assumptions);
std::string_view to_string(ClaimKind kind); ///< "proved-bound", "bound-under-assumptions", ...

struct Claim {
    std::string id;       ///< "C1"
    std::string quantity; ///< "execution-time", "measured-time" or "end-to-end"
    analyzer::Side side = analyzer::Side::Upper;
    std::int64_t value = 0;
    std::string unit = "cycles";
    ClaimKind kind = ClaimKind::BoundUnderAssumptions;
    std::vector<std::string> assumptions; ///< Ids.
    std::string proof;                    ///< As `to_string(analyzer::Proof)`: "response-time"
    bool limit_reached = false; ///< A tighter bound may exist: a limit stopped the search.
    std::vector<analyzer::BoundTerm>
        terms; ///< Terms that add up to the value; none: it is the cost of one path.
    analyzer::BoundExpression
        bound{}; ///< The alternatives and cases among which `terms` is one sum.
    /// Arguments on addresses that the sum rests on; none: it uses none.
    std::optional<analyzer::QueueingRules> queueing{};
    bool by_addresses = false; ///< Lower side: the sum rests on the addresses of accesses.
    /// Lower side: data that the sum rests on; none: it rests on no loaded data (S79).
    std::optional<analyzer::LoadedUnits> loaded{};
    /// Upper side: of each warp of a block, what the sum rests on; empty: it counts all warps alike
    /// (S85).
    std::vector<analyzer::WarpDemand> by_warp{};

    [[nodiscard]] bool uses_addresses() const {
        return (queueing && queueing->addresses) || by_addresses;
    }
};

/// One input of a published formula.
struct EstimateInput {
    std::string symbol;
    std::string value;
    std::string unit;
    std::string source;
};

struct ReportEstimate {
    std::string model;    ///< "voudouris"
    std::string variant;  ///< "best", "average", "worst"
    std::string quantity; ///< The estimated quantity: "execution-time"
    double value = 0;
    std::string unit = "cycles";
    std::string source;
    std::vector<EstimateInput> inputs;
    std::string refusal; ///< Why the model cannot be applied; `value` is then meaningless.
};

/// One distinct observed time and how often it was seen.
struct ObservedValue {
    std::int64_t value = 0;
    std::int64_t count = 0;
};

struct ObservedTimes {
    std::string quantity; ///< "execution-time" or "measured-time"
    std::string device;
    std::string protocol;
    std::int64_t count = 0;
    std::int64_t best = 0;
    double mean = 0;
    std::int64_t worst = 0;
    std::int64_t p90 = 0;
    std::int64_t p99 = 0;
    std::int64_t median = 0;
    std::int64_t distinct = 0;
    std::int64_t modes = 0;
    std::vector<ObservedValue> values; ///< All distinct values, increasing.
    std::int64_t outside_bounds = 0;   ///< Observations outside the claims on the same quantity.
    std::optional<std::int64_t>
        first_outside_run; ///< Number in the series of the first run outside the claims.
    std::vector<std::uint64_t>
        outside_seeds; ///< Seeds of the first observations outside, at most 10.
};

struct AnnotatedInstruction {
    std::int64_t address = 0;
    std::string text;
    std::int64_t executions = 0; ///< On the worst-case path.
    std::int64_t cycles = 0;     ///< On the worst-case path, summed over all executions.
    bool block_start = false;
    std::string source{}; ///< "saxpy.cu:12"; empty when the listing names no source line.
};

struct PathBlock {
    std::int64_t address = 0;
    std::int64_t count = 0;
    std::int64_t cycles = 0;
    std::string source{}; ///< "saxpy.cu:11..14"; empty when the listing names no source line.
};

/// A value of the machine description that an assumption is about.
struct MachineValue {
    std::string path;  ///< "memories/l2/latency"
    std::string value; ///< "180..230 cycles"
    std::string grade;
    std::string source;
};

struct InputFile {
    std::string role; ///< "listing", "architecture", "flow facts", "source", "campaign"
    std::string name;
    std::string digest; ///< Empty when the input has none (a built-in).
};

struct Report {
    std::string tool_version;
    std::string kernel;
    std::string kernel_digest;
    std::string isa;          ///< "sm_90"
    std::string architecture; ///< `models::label_of` the machine.
    std::string architecture_title;
    std::string architecture_digest;
    models::Coverage coverage; ///< How far the machine's values were measured.
    std::string policy;
    models::Launch launch;
    std::int64_t multiprocessors = 1; ///< Number of SMs that the launch runs on.
    std::uint64_t seed = 1;
    std::vector<InputFile> inputs;
    std::vector<Claim> claims;
    std::vector<analyzer::Assumption> assumptions;
    std::vector<MachineValue> machine_values; ///< Those that the assumptions name.
    std::optional<models::Clock> clock;       ///< None: times are in cycles only.
    std::string clock_assumption;             ///< Id; empty without a clock.
    std::optional<models::Deadline> deadline; ///< Of the execution time.
    std::vector<ReportEstimate> estimates;
    std::vector<ObservedTimes> observations;
    std::vector<PathBlock> worst_path;
    std::vector<AnnotatedInstruction> assembly;
    std::vector<std::pair<std::string, std::int64_t>>
        stack;          ///< Category, cycles; sums to the cost of the worst-case path.
    std::string solver; ///< Empty when none was used.
    std::vector<std::string> versions; ///< "Z3 4.8.12", "SQLite 3.40.1", ...
    std::vector<std::string> limitations;
    std::vector<std::string>
        undecided; ///< What was not carried to its end, and why; empty: all was.
    /// Bounds on the execution time for which no evidence is kept. Present where they are tighter
    /// than the claims.
    std::optional<models::Bounds<models::Cycles>> without_evidence;
    /// A recorded execution of this launch, held against bounds on single instructions.
    std::optional<HeldThreadTrace> thread_trace{};

    [[nodiscard]] std::int64_t unchecked_assumptions() const;
    /// Unchecked ones among those that the claim rests on.
    [[nodiscard]] std::int64_t unchecked_assumptions(const Claim& claim) const;
    /// Whether the upper bound is a sum, as for a launch with several warps; the worst-case path is
    /// then that of one warp in isolation.
    [[nodiscard]] bool several_warps() const;
    /// Whether an observation lies outside a bound.
    [[nodiscard]] bool refuted() const;
    /// Whether a wavefront of the thread trace lasts longer than the bound of its launch.
    [[nodiscard]] bool outlasts_bound() const;
    /// Whether one does, or one of its instructions lies outside its bounds.
    [[nodiscard]] bool refuted_by_trace() const;
    /// Whether observations were compared with a bound on their quantity.
    [[nodiscard]] bool compared() const;
    [[nodiscard]] const Claim* claim(std::string_view quantity, analyzer::Side side) const;
    /// A bound in seconds, rounded outward. None without a clock, and for a time from end to end at
    /// a stated clock: its copies are counted at the clock of the description.
    [[nodiscard]] std::optional<models::Nanoseconds> time_of(const Claim& claim) const;
    /// None: no deadline was stated. Requires: a clock for a deadline in seconds, bounds on the
    /// execution time.
    [[nodiscard]] std::optional<models::DeadlineVerdict> deadline_verdict() const;
};

/// A report on the analysis alone; the caller adds observations, estimates, inputs and versions.
Report report_of(const assembly::Program& program, const analyzer::Request& request,
                 const analyzer::Analysis& analysis);

/// The statement on a clock as an entry of the register, without an id.
analyzer::Assumption clock_assumption(const models::Clock& clock);
/// Times in seconds from now on; the statement on the clock joins the assumptions under this id. No
/// bound in cycles rests on it. Requires: called once.
void use_clock(Report& report, models::Clock clock, std::string id);

/// The name that claims use for the quantity of a measured series.
std::string claimed_quantity(const harness::SeriesKey& key);

/// Adds the times of a series and counts those outside the report's claims on its quantity. Adds
/// nothing without times. Requires: every run counts (`harness::counts`).
void add_observations(Report& report, const harness::SeriesKey& key,
                      const std::vector<harness::Sample>& samples);
void add_observations(Report& report, const harness::SeriesKey& key,
                      const harness::PackedSamples& samples);

std::string render_text(const Report& report);
std::string
render_json(const Report& report); ///< Design section 6; the same report gives the same bytes.
std::string render_xml(const Report& report);
std::string render_html(const Report& report); ///< One self-contained page.

} // namespace warpbound::certification
