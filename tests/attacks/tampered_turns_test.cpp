/// \file
/// Attacks on bundles whose bounds rest on strict turns: on what is outstanding, and on the only
/// schedule. Bundles with another listing name another version, so that no re-analysis decides.

#include "tests/attacks/schedule_changes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace warpbound {
namespace {

using tests::first_term_moved;
using tests::Honest;
using tests::set;
using tests::Tampering;

/// The second addition waits for the first one, in a bundle of one that does not.
const tests::BundleEdit add_dependence =
    tests::listing_changed("FADD R2, R0, R0", "FADD R2, R1, R1");

/// Five cycles more are taken to have passed up to the last EXIT: those by which the gap of a
/// transfer is longer than that of lanes that fall through a BSYNC as others go on with them.
const tests::BundleEdit end_sooner = tests::json("claims.json", [](tests::Json& bundle) {
    constexpr std::int64_t difference = 5;
    tests::Json& claim = bundle.at("claims").at(0);
    tests::Json& end = claim.at("proof").at("terms").at(2);
    end.at("cycles") = end.at("cycles").get<std::int64_t>() - difference;
    claim.at("value") = claim.at("value").get<std::int64_t>() - difference;
});

/// All transfers take longer than the stalls of the bundle count, also those to lanes that go on
/// where others wait.
const tests::BundleEdit transfer_later =
    tests::file_changed("model/", R"(name="branch-taken" unit="cycles" value="10")",
                        R"(name="branch-taken" unit="cycles" value="15")");

const std::vector<Tampering> of_turns{
    {"LanesThatReconvergeGoOnAsOfATransfer", Honest::DivergentTurns, end_sooner, 1,
     "its sum lacks 1 x 19 cycles"},
    {"LanesThatGoOnAsIfTheyFellThrough", Honest::DivergentTurns, transfer_later, 1,
     "a cost is not the sum over its block"},
    {"ScheduleEndsSooner", Honest::Schedule, first_term_moved(0, -1), 1, "its sum lacks"},
    {"ScheduleEndsLater", Honest::Schedule, first_term_moved(1, 1), 1, "its sum lacks"},
    {"ScheduleWithoutItsDependence", Honest::Schedule, add_dependence, 1, "its sum lacks"},
    {"ScheduleOfMoreWarps", Honest::Schedule, set("inputs/K1/launch.json", "/launch", "1x128"), 1,
     "K1"},
    {"ScheduleUnderAnotherPolicy", Honest::Schedule, set("inputs/K1/launch.json", "/policy", "gto"),
     1, "K1"},
    {"TurnsWithoutTheirDependence", Honest::Turns, add_dependence, 1,
     "a cost is not the sum over its block"},
    {"TurnsOfMoreWarps", Honest::Turns, set("inputs/K1/launch.json", "/launch", "1x128"), 1, "K1"},
};
WARPBOUND_ATTACKS(TamperedTurns, of_turns);

} // namespace
} // namespace warpbound
