/// \file
/// Attacks on bundles whose bounds are the times of all schedules in time slots. Bundles with
/// another listing name another version, so that no re-analysis decides.

#include "tests/attacks/schedule_changes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpbound {
namespace {

using tests::first_term_moved;
using tests::Honest;
using tests::set;
using tests::Tampering;

/// An addition waits for another register than it does, in a bundle of one that does not.
const tests::BundleEdit drop_dependence =
    tests::listing_changed("FADD R2, R1, R1", "FADD R2, R9, R9");

const std::vector<Tampering> of_schedules{
    // One start alone takes the most.
    {"StartLeftOut", Honest::Starts, first_term_moved(0, -1), 1, "its sum lacks"},
    {"StartAdded", Honest::Starts, first_term_moved(1, 1), 1, "its sum lacks"},
    {"WithoutADependence", Honest::Starts, drop_dependence, 1, "its sum lacks"},
    {"OfFewerWarps", Honest::Starts, set("inputs/K1/launch.json", "/launch", "1x64"), 1, "K1"},
    {"InAnotherTable", Honest::Starts,
     set("inputs/K1/launch.json", "/policy", "variable-rate:fast=0,every=3"), 1, "K1"},
    {"OrderLeftOut", Honest::Orders, first_term_moved(0, -1), 1, "its sum lacks"},
    {"OrderAdded", Honest::Orders, first_term_moved(1, 1), 1, "its sum lacks"},
    {"OrderWithoutADependence", Honest::Orders, drop_dependence, 1, "its sum lacks"},
    {"OrderOfFewerWarps", Honest::Orders, set("inputs/K1/launch.json", "/launch", "1x128"), 1,
     "K1"},
    {"InStrictTurns", Honest::Starts, set("inputs/K1/launch.json", "/policy", "srr"), 1, "K1"},
};
WARPBOUND_ATTACKS(TamperedSchedules, of_schedules);

} // namespace
} // namespace warpbound
