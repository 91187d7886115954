/// \file
/// Attacks on loop bounds that are said to follow from the code, by somebody whose analyzer finds
/// wrong ones: tables, scripts and sums follow from the wrong bound. The bundle names another
/// version, so that no re-analysis decides.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace warpbound {
namespace {

using tests::Honest;
using tests::other_listing;
using tests::Tampering;

const std::vector<Tampering> of_loop_bounds{
    {"LimitTwiceAsLarge", Honest::Counted, other_listing("0x14", "0x28"), 1,
     "said to execute 20 to 20 times, but by the code at least 22 times"},
    {"LimitOneLarger", Honest::Counted, other_listing("0x14", "0x15"), 1,
     "said to execute 20 to 20 times, but by the code at least 21 times"},
    {"LimitOneSmaller", Honest::Counted, other_listing("0x14", "0x13"), 1,
     "said to execute 20 to 20 times, but by the code at most 19 times"},
    // The loop is the same: nothing else in such a bundle is wrong.
    {"AnotherOperand", Honest::Counted, other_listing("FADD R2, R2, R2", "FADD R2, R2, R3"), 3,
     "the bundle was made by warpbound 9"},
};
WARPBOUND_ATTACKS(ForgedLoopBounds, of_loop_bounds);

} // namespace
} // namespace warpbound
