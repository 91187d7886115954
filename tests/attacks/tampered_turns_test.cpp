/// \file
/// Attacks on bundles whose bounds rest on strict turns: on what is outstanding, and on the only
/// schedule. Bundles with another listing name another version, so that no re-analysis decides.

#include "tests/attacks/schedule_changes.hpp"

#include <gtest/gtest.h>

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

const std::vector<Tampering> of_turns{
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
