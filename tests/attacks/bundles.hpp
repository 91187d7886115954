#pragma once
/// \file
/// Bundles of a dishonest author: an honest bundle, edited, with everything that vouches for it
/// brought in line with the edit.

#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/evidence_file.hpp"
#include "tests/attacks/run_limited.hpp"

#include <functional>
#include <string>
#include <vector>

namespace warpbound::tests {

using certification::EvidenceFiles;
using certification::Json;

/// What `certify` made, with roles and steps; made once per test program.
enum class Honest {
    Saxpy,          ///< Several warps, a requirement that is met, `--check`, 40 simulated runs.
    Several,        ///< Four kernels under different policies and launches, 8 runs each.
    Divergent,      ///< Lanes that leave a loop at different iterations, 8 runs.
    Campaign,       ///< Runs that a campaign recorded.
    Commented,      ///< Facts in comments of the source, 8 runs.
    Wavefront,      ///< Code of AMD, several wavefronts, 8 runs. Needs a program built with LLVM.
    Cached,         ///< Accesses through caches, by their addresses, 8 runs.
    InSlots,        ///< The same in time slots.
    InTurns,        ///< The same in strict turns.
    InActiveSet,    ///< The same with an active set of one warp.
    Unlisted,       ///< The same of more accesses than are listed, without runs.
    Turns,          ///< Strict turns of warps with two paths.
    DivergentTurns, ///< Strict turns of warps whose lanes diverge and wait for each other.
    Schedule,       ///< Strict turns of warps with one path.
    Slots,          ///< Time slots of warps on two schedulers, which share a port.
    SlotsOfStores,  ///< Time slots of warps whose stores fill the write buffer.
    SlotsOfReads,   ///< Time slots of warps behind read ports.
    SlotsAtBarrier, ///< Time slots of warps that wait for each other at a barrier.
    SlotsOfQueue,   ///< The same behind memory queues, on two schedulers.
    Starts,         ///< Time slots of warps with one path, whose schedules follow from the start.
    Orders,         ///< The same on two schedulers, whose order of issue within a cycle matters.
    OnePathInSlots, ///< As `Starts`, of lanes that may diverge by the code and have one path.
    OnePathInTurns, ///< The same in strict turns.
    Counted,        ///< A loop whose bound follows from the code alone.
    Alike,          ///< A branch that all lanes decide alike, and one bank for each lane.
    Correlated,     ///< Two branches on one word of the launch, of which no run takes both.
    Waves,  ///< Many waves without barriers, whose sum is along a chain of blocks (S74), 8 runs.
    ByWarp, ///< A tree of sums, whose warps demand less one after another (S85).
    Loaded, ///< A lower bound by data that no cache can hold (S79), of all blocks but the last.
    LoadedBehindLoop, ///< The same; the execution of a loop shows which threads load.
    Pipeline, ///< A pipeline with two kernels, which have a bundle inside; a deadline that is met.
};
const EvidenceFiles& honest(Honest which);

/// How the author closes the bundle after the edit.
enum class Close {
    Not,    ///< Files as edited.
    Seal,   ///< Digests of claims, manifest, chain and report id are made again.
    Remake, ///< The inputs are those of the edit, and `certify` makes all else from them.
    Sign,   ///< As `Seal`, and signed with the author's own key.
};

/// One attack on a bundle.
struct Tampering {
    const char* name;
    Honest base;
    std::function<void(EvidenceFiles&)> edit;
    int exit_code;
    const char* message; ///< A part of what `verify` says; names the file, or what is wrong.
    Close close = Close::Seal;
    std::vector<std::string> options{}; ///< Of `verify`.
    /// On the folder, once it is written.
    std::function<void(const std::string&)> on_disk{};
};
/// For names of parameterised tests.
std::string name_of(const Tampering& tampering);

/// Edits the bundle, closes and writes it, and checks that `verify` refuses it as it should.
void expect_refused(const Tampering& tampering);

/// Runs `verify` on the files.
Outcome verify_files(const EvidenceFiles& files, const std::vector<std::string>& options = {},
                     const std::function<void(const std::string&)>& on_disk = {},
                     const Limits& limits = {});

/// Digests of evidence in the claims, where they can be read, the manifest, its chain and its root.
void seal(EvidenceFiles& files);
/// Everything but the inputs, as `certify` makes it from them.
void remake(EvidenceFiles& files);

// Edits.

/// Changes a JSON file.
std::function<void(EvidenceFiles&)> json(const std::string& path,
                                         std::function<void(Json&)> change);
/// Sets the value at a JSON pointer.
std::function<void(EvidenceFiles&)> set(const std::string& path, const std::string& pointer,
                                        Json value);
/// Removes the value at a JSON pointer.
std::function<void(EvidenceFiles&)> cut(const std::string& path, const std::string& pointer);
/// Replaces the first occurrence of a text. The test fails if there is none.
std::function<void(EvidenceFiles&)> text(const std::string& path, const std::string& from,
                                         const std::string& to);
/// Replaces the whole file.
std::function<void(EvidenceFiles&)> put(const std::string& path, const std::string& bytes);
/// Removes the file.
std::function<void(EvidenceFiles&)> drop(const std::string& path);
/// Adds a file with a role and a step.
std::function<void(EvidenceFiles&)> add(const std::string& path, const std::string& bytes);
/// Another listing under what the analysis found of the first one, with the first occurrence of a
/// text replaced in the only listing with an ISETP. The bundle then names another version of the
/// tool, so that no re-analysis decides.
std::function<void(EvidenceFiles&)> other_listing(const std::string& from, const std::string& to);
/// Several edits, in order.
std::function<void(EvidenceFiles&)> all(std::vector<std::function<void(EvidenceFiles&)>> edits);

} // namespace warpbound::tests

/// A table of attacks as a test suite.
#define WARPBOUND_ATTACKS(SUITE, ROWS)                                                             \
    class SUITE : public testing::TestWithParam<tests::Tampering> {};                              \
    TEST_P(SUITE, IsRefused) {                                                                     \
        tests::expect_refused(GetParam());                                                         \
    }                                                                                              \
    INSTANTIATE_TEST_SUITE_P(Bundle, SUITE, testing::ValuesIn(ROWS),                               \
                             [](const auto& row) { return tests::name_of(row.param); })
