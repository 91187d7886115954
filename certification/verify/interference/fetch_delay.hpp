#pragma once
/// \file
/// What misses of the instruction caches add to an upper bound (steps S35 and S36 of
/// docs/theory), from listing, description and launch.

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// Whether the lines of the text are persistent in the L0s, whatever their ways (S36). Requires: a
/// description of instruction caches.
bool lines_stay_in_l0(const TimedCode& code);

/// None where fetch costs nothing. `to_next_slot`: from the cycle after a wait to the next time
/// slot of the warp, at most (S50); 0 where it may be chosen at any time. Throws `Finding` when the
/// description lacks a value or gives one for which nothing is claimed. Sound when: the policy
/// limits no active sets, or the lines stay in the L0.
std::vector<Term> fetch_terms_of(const TimedCode& code, std::int64_t to_next_slot);

/// What a path adds to these terms that visits all schedulers with warps. Of a launch without
/// barriers, under a policy that conserves work. None: lines need not persist in the L0, about
/// which S74 claims nothing. `Unit:` core cycles. Side: upper.
std::optional<std::int64_t> fetch_beyond_path(const TimedCode& code);

/// How many lines a claim may say that a thread block which has ended leaves out, where it counts
/// by the indices of threads and these are fewer than in S84 (S97). Side: upper, each of them.
std::vector<std::int64_t> numbers_of_lines_left_out(const TimedCode& code);

/// For how long a line that is looked up, as the first one of a block, keeps its warp waiting
/// beyond what `fetch_terms_of` counts of first uses; 0 where fetch costs nothing. Throws as that
/// does. Side: upper.
std::int64_t wait_for_line(const TimedCode& code);
/// Lines of so many bytes that a scheduler requests for the text, with those streamed behind it; 0
/// where fetch costs nothing. Throws `Finding` where the L1 instruction cache need not keep them.
std::int64_t lines_requested_of_text(const TimedCode& code, std::int64_t bytes);
/// Per instruction: whether the next one in the text is in another line.
std::vector<bool> ends_of_lines(const TimedCode& code);

} // namespace warpbound::certification::verify
