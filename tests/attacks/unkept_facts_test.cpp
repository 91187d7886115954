/// \file
/// Attacks by somebody whose analyzer finds facts that the code does not keep: tables, scripts and
/// sums follow from the wrong fact. The bundle names another version, so that no re-analysis
/// decides; executed threads do.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpbound {
namespace {

using tests::Honest;
using tests::other_listing;
using tests::Tampering;

const std::vector<Tampering> of_facts{
    {"BranchByThread", Honest::Alike, other_listing("P0, PT, R1, 0x0", "P0, PT, R0, 0x0"), 1,
     "K1: thread block 0: lanes decide differently at 0x0030, which is said to be uniform"},
    {"BranchByNumbersOfOtherLanes", Honest::Alike,
     other_listing("S2R R1, SR_CTAID.X", "MOVM.16.MT88 R1, R0"), 1,
     "K1: thread block 0: lanes decide differently at 0x0030, which is said to be uniform"},
    {"TwoThreadsOnABank", Honest::Alike, other_listing("R2, R0, 0x2", "R2, R0, 0x3"), 1,
     "K1: thread block 0: the access at 0x0060 takes 2 to 2 bank conflicts; the fact says 1 to 1"},
    {"FewerThreadsOnABank", Honest::Alike, other_listing("R2, R0, 0x2", "R2, RZ, 0x2"), 3,
     "the bundle was made by warpbound 9"},
    {"ZeroIsOnBothWays", Honest::Correlated,
     other_listing("P1, PT, RZ, c[0x0][0x160]", "P1, PT, RZ, c[0x0][0x168]"), 1,
     "K1: thread block 0: a thread makes the sum of the relation on 0x0030 2, executed on numbers"},
    // The facts are true of this code: nothing else in such a bundle is wrong.
    {"AnotherBlock", Honest::Alike, other_listing("P0, PT, R1, 0x0", "P0, PT, R1, 0x1"), 3,
     "the bundle was made by warpbound 9"},
};
WARPBOUND_ATTACKS(UnkeptFacts, of_facts);

} // namespace
} // namespace warpbound
