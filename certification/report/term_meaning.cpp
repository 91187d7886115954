#include "certification/report/term_meaning.hpp"

#include <algorithm>
#include <array>

namespace warpbound::certification {

namespace {

struct Entry {
    std::string_view words; ///< Part of a term's text, or name of a proof.
    TermMeaning meaning;
};

// The first entry whose words occur in a text explains it.
constexpr std::array<Entry, 18> terms{
    {{"atomics", {"Global atomics are served at a slice of the L2 one after another.", "S34"}},
     {"instruction fetch",
      {"Lines of instructions that their caches do not hold yet; each wait is for one warp.",
       "S36"}},
     {"constant operands",
      {"Lines of constants that their caches do not hold yet; a miss holds the scheduler for some "
       "cycles.",
       "S42"}},
     {"critical path",
      {"Waits of one warp after another on the chain that ends last, without the demand below.",
       "S12"}},
     {"drain", {"Stores leave the write buffer of a multiprocessor one after another.", "S15"}},
     {"completion", {"Results and stores that are outstanding after the last instruction.", "S7"}},
     {"rotation", {"A strict round robin waits at each warp in its turn, ready or not.", "S25"}},
     {"turn", {"A round robin lets each other warp issue once before a warp's next turn.", "S27"}},
     {"one warp in isolation", {"The path of a warp that has its multiprocessor to itself.", "S6"}},
     {"another block",
      {"Warps of a block that starts or passes a barrier issue meanwhile.", "S25a"}},
     {"demand",
      {"Issue slots and ports that warps occupy; each use delays the critical path at most once.",
       "S13"}},
     {"time slot", {"Under time division a warp issues in its own time slots only.", "S17"}},
     {"slot distance", {"Under time division a warp issues in its own time slots only.", "S17"}},
     {"issue slot", {"A scheduler issues one instruction in an issue slot.", "S13"}},
     {"start of a block", {"A block slot stays empty until the next block has started.", "S14"}},
     {"copy of", {"A transfer between host and device before or after the launch.", "S24"}},
     {"row", {"DRAM rows that must be opened before their data can be read.", "S22c"}},
     {"service",
      {"Queueing delay: accesses of all warps pass a cache or link one after another.", "S21"}}}};

constexpr std::array<Entry, 5> proofs{
    {{"structural-path", {"The longest or shortest path under the loop bounds.", "S6"}},
     {"response-time",
      {"Response-time analysis: the critical path of one warp plus the interference of the others.",
       "S11"}},
     {"schedule-exploration", {"Every schedule that the policy allows was simulated.", "S30"}},
     {"exact-lp", {"The exact optimum of the flow problem (IPET).", "S8"}},
     {"z3-refutation", {"A solver showed that no path costs more (or less).", "S8"}}}};

template <std::size_t size>
TermMeaning found_in(const std::array<Entry, size>& entries, std::string_view text) {
    const auto* const entry =
        std::find_if(entries.begin(), entries.end(), [&](const Entry& candidate) {
            return text.find(candidate.words) != std::string_view::npos;
        });
    return entry == entries.end() ? TermMeaning{} : entry->meaning;
}

} // namespace

TermMeaning meaning_of_term(std::string_view text) {
    return found_in(terms, text);
}

TermMeaning meaning_of_proof(std::string_view proof) {
    return found_in(proofs, proof);
}

} // namespace warpbound::certification
