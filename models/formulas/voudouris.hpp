#pragma once
/// \file
/// Voudouris 2014: time of one warp on a Fermi SM from instruction counts, dependence and hidden
/// load latency.

#include "assembly/isa/program.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/units.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::models::voudouris {

/// Cost of one instruction of each class. `Unit:` core (shader) cycles per instruction.
struct Parameters {
    std::string name;
    std::int64_t independent = 6; ///< CPI_ind; also the interval between instructions of a warp.
    std::int64_t dependent = 18;  ///< CPI_dep; also the latency of arithmetic.
    std::int64_t special_dependent = 22; ///< Latency of the special-function unit.
    std::int64_t shared_load = 26;
    std::int64_t shared_store = 30;
    std::int64_t global_store = 34;
    std::int64_t global_load_best = 64; ///< Best case of a load in the thesis.
    std::int64_t global_load = 400;     ///< Average and worst case of a load.
};

/// Table 7. The load costs are not in it (it has 350 - 500): 64 is stated in 7.1, 400 follows from
/// Table 10, whose worst and best case differ by 8 * (400 - 64) for eight loads.
extern const Parameters table_7;

/// As Table 7, but a global store costs 58. Inferred, not printed: with 41 shared loads this is the
/// only set of whole numbers near Table 7 that gives Table 10's 2856 and 5544; 58 = 34 + 24, the
/// fixed part of every measurement of Table 19 (24 + 6 n). Reference models 1.2, reconstruction A.
extern const Parameters reconstruction_a;

struct Times {
    Estimate<Cycles> best;    ///< Loads at their best-case cost, nothing hidden.
    Estimate<Cycles> average; ///< Loads at full cost less the hidden latency.
    Estimate<Cycles> worst;   ///< Loads at full cost, nothing hidden.
};

/// Estimate, not a bound. Time of one warp.
/// Unit: core cycles. Source: V14 eq. 1-7, 9-11, section 7.1.
/// The average is at least the time without loads: what is hidden is cut off at the cost of all
/// loads (our addition). Errors: `std::overflow_error` when a product or sum leaves the range.
Times time_of(const KernelProfile& profile, Cycles hidden_latency, const Parameters& parameters);

/// The symbols of `time_of` with their values and sources.
std::vector<ExplainedSymbol> explain(const KernelProfile& profile, Cycles hidden_latency,
                                     const Parameters& parameters);

/// Estimate, not a bound. Loads whose cost varies by the factor `variation` around `global_load`.
/// Unit: core cycles. Source: V14 eq. 14a (the function of the variation is our choice: a factor).
Estimate<Cycles> varied_load_time(std::int64_t loads, double variation, Cycles hidden_latency,
                                  const Parameters& parameters);

/// Estimate, not a bound. Shared loads, those with bank conflicts given by their degrees.
/// Unit: core cycles. Source: V14 eq. 14b.
Estimate<Cycles> shared_load_time(std::int64_t conflict_free,
                                  const std::vector<std::int64_t>& degrees,
                                  const Parameters& parameters);

/// Issue and completion time of an instruction of straight-line code, counted from the first issue.
struct Step {
    Cycles issue;
    Cycles done;
};
struct Schedule {
    std::vector<Step> steps; ///< `Shape:` steps[instruction], from `first`.
    /// Last clock read done minus first clock read done; nothing with fewer than two clock reads.
    std::optional<Cycles> measured;
};

/// Estimate, not a bound. The rule of Figs. 26-29 for instructions first..last, executed in order:
/// issue(i) = max(issue(i-1) + 6, issue(d) + L(d)) over the producers d of its registers, done(i) =
/// issue(i) + 18. Unit: core cycles. Source: V14 Figs. 26-29, Tables 19, 20. L of a load, on which
/// the figures are silent, is its cost in `parameters`. Refuses an empty or wrong range, and
/// control flow other than at the end.
Result<Schedule> schedule_of(const assembly::Function& function, std::size_t first,
                             std::size_t last, const Parameters& parameters);

/// Latency of one load that other instructions hide.
struct HiddenLatency {
    std::size_t load = 0; ///< Index into the steps.
    /// First step that reads the data; none if nothing does before the whole cost is hidden.
    std::optional<std::size_t> use;
    Cycles hidden; ///< At most the cost of a load.
};

/// Estimate, not a bound. For each global load: the summed costs L_i of the steps between it and
/// the first use of its data (or the end). Source: V14 eq. 8. A load in between counts as one
/// instruction interval, since loads are taken to be independent (our choice: errs long); the sum
/// is cut off at `global_load` (our choice: a load hides no more than its own cost).
std::vector<HiddenLatency> hidden_latency_of(const Steps& steps, const Parameters& parameters);

struct ProfiledWarp {
    KernelProfile counts;
    Cycles hidden_latency; ///< Over all loads.
};

/// The counts of the formula from the steps of a warp. Refuses atomics and textures, which the
/// model does not have, naming the address.
Result<ProfiledWarp> profile_of(const Steps& steps, const Parameters& parameters);

} // namespace warpbound::models::voudouris
