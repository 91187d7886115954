#pragma once
/// \file
/// One function per model, each in a file of its own.

#include "models/formulas/prediction/question.hpp"
#include "models/formulas/prediction/residency.hpp"
#include "models/formulas/prediction/timed_steps.hpp"

namespace warpbound::models::prediction {

/// A failure is a refusal; a prediction without a time lacks what `inputs` names.
Result<Prediction> ask_voudouris(const Question& question, Inputs& inputs);
Result<Prediction> ask_volkov(const Question& question, Inputs& inputs);
Result<Prediction> ask_mwp_cwp(const Question& question, Inputs& inputs);
Result<Prediction> ask_gpumech(const Question& question, Inputs& inputs);
Result<Prediction> ask_gpudiag(const Question& question, Inputs& inputs);
Result<Prediction> ask_bsp(const Question& question, Inputs& inputs);
Result<Prediction> ask_alu_fetch(const Question& question, Inputs& inputs);

/// The timed step kinds of the profile; for a profile of counts, notes the steps as missing.
std::vector<TimedStep> timed_steps_of(const Question& question, Inputs& inputs);

/// Issue times of one warp in isolation: the published rule with the machine's least distance
/// between instructions of a warp instead of one cycle. Time unit: issue slots of a scheduler,
/// rounded up.
Result<gpumech::IssueTrace>
issue_trace_of(const Question& question, std::span<const TimedStep> timed, std::int64_t issue_slot);

/// The intervals of GPUMech of one warp in isolation.
struct SingleWarp {
    std::vector<gpumech::Interval> intervals;
    std::int64_t slot = 1; ///< Core cycles of one unit of the intervals' time.
};
/// The intervals of `issue_trace_of`.
Result<SingleWarp> single_warp(const Question& question, std::span<const TimedStep> timed,
                               std::int64_t issue_slot);

/// Steps that take an issue slot of their own: all but the second of a dual-issued pair.
std::int64_t issued_instructions(const Steps& steps);

/// Total executed instructions, from the steps or the counts.
double instructions_of(const NamedProfile& profile);

/// A clock frequency that cancels out of the time in cycles: the description's if known, else 1.
/// Unit: core cycles per second.
double cancelling_clock(Inputs& inputs);
/// The symbols of a formula evaluated with that clock; with an unknown clock its seconds are
/// cycles.
std::vector<ExplainedSymbol> in_cycles(std::vector<ExplainedSymbol> symbols, double clock);

/// Bytes that an access of the warp transfers from or to DRAM; the shares are those of a load. One
/// pass transfers the bytes that the lanes request, several passes one line each. Notes a missing
/// line size.
std::optional<double> dram_bytes_of(const ProfileStep& step, const TimedStep& timed,
                                    Inputs& inputs);

} // namespace warpbound::models::prediction
