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

/// The timed kinds of the profile's steps; a profile of counts is noted as missing its steps.
std::vector<TimedStep> timed_steps_of(const Question& question, Inputs& inputs);

/// When the instructions of a warp issue that runs alone: the published rule with the machine's
/// least distance between instructions of a warp in place of one cycle; time counts in issue slots
/// of a scheduler, rounded up.
Result<gpumech::IssueTrace>
issue_trace_of(const Question& question, std::span<const TimedStep> timed, std::int64_t issue_slot);

/// How a warp runs alone, as GPUMech's intervals.
struct SingleWarp {
    std::vector<gpumech::Interval> intervals;
    std::int64_t slot = 1; ///< Core cycles of one unit of the intervals' time.
};
/// The intervals of `issue_trace_of`.
Result<SingleWarp> single_warp(const Question& question, std::span<const TimedStep> timed,
                               std::int64_t issue_slot);

/// Steps that take an issue slot of their own: all but those issued together with another.
std::int64_t issued_instructions(const Steps& steps);

/// Total executed instructions, from the steps or the counts.
double instructions_of(const NamedProfile& profile);

/// A clock that cancels out of the time in cycles: the description's if it is known, else 1.
/// Unit: core cycles per second.
double cancelling_clock(Inputs& inputs);
/// The symbols of a formula that was given that clock: without a known one its seconds are cycles.
std::vector<ExplainedSymbol> in_cycles(std::vector<ExplainedSymbol> symbols, double clock);

/// Bytes of DRAM that an access of the warp moves; the shares are those of a load. One pass moves
/// what the lanes ask for, several a line each. Notes the line's size when it is missing.
std::optional<double> dram_bytes_of(const ProfileStep& step, const TimedStep& timed,
                                    Inputs& inputs);

} // namespace warpbound::models::prediction
