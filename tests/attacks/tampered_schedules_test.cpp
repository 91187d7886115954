/// \file
/// Attacks on bundles whose bounds are the times of all schedules in time slots. Bundles with
/// another listing name another version, so that no re-analysis decides.

#include "tests/attacks/schedule_changes.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <stdexcept>
#include <string>
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

/// A loop of 2 or 3 iterations: lanes may leave it one after the other.
void allow_two_paths(EvidenceFiles& files) {
    for (const char* facts : {"inputs/K1/flow-facts.xml", "analysis/K1/facts-in-use.xml"}) {
        std::string& text = files.at(facts).bytes;
        const std::string least = "min=\"3\"";
        const std::size_t at = text.find(least);
        if (at == std::string::npos) throw std::runtime_error{"no loop of three iterations"};
        text.replace(at, least.size(), "min=\"2\"");
    }
}

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
    {"OfLanesWithOnePathStartLeftOut", Honest::OnePathInSlots, first_term_moved(0, -1), 1,
     "its sum lacks"},
    {"OfLanesWithOnePathStartAdded", Honest::OnePathInSlots, first_term_moved(1, 1), 1,
     "its sum lacks"},
    {"OfLanesWithTwoPaths", Honest::OnePathInSlots, allow_two_paths, 1,
     "lanes may diverge, and no serialized control flow is given"},
    {"OfLanesWithOnePathEndsSooner", Honest::OnePathInTurns, first_term_moved(0, -1), 1,
     "its sum lacks"},
    {"OfLanesWithOnePathEndsLater", Honest::OnePathInTurns, first_term_moved(1, 1), 1,
     "its sum lacks"},
    {"OfLanesWithTwoPathsInTurns", Honest::OnePathInTurns, allow_two_paths, 1,
     "lanes may diverge, and no serialized control flow is given"},
    {"InStrictTurns", Honest::Starts, set("inputs/K1/launch.json", "/policy", "srr"), 1, "K1"},
};
WARPBOUND_ATTACKS(TamperedSchedules, of_schedules);

} // namespace
} // namespace warpbound
