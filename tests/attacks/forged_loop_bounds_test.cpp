/// \file
/// Attacks on loop bounds that are said to follow from the code, by somebody whose analyzer finds
/// wrong ones: tables, scripts and sums follow from the wrong bound. The bundle names another
/// version, so that no re-analysis decides.

#include "assembly/support/digest.hpp"
#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::EvidenceFiles;
using tests::Honest;
using tests::Json;
using tests::Tampering;

using Edit = std::function<void(EvidenceFiles&)>;

std::string& listing_of(EvidenceFiles& files) {
    for (auto& [path, file] : files)
        if (path.starts_with("inputs/") && file.bytes.find("ISETP") != std::string::npos)
            return file.bytes;
    throw std::runtime_error{"no listing"};
}

/// Another listing under what the analysis found of the first one: the same blocks at the same
/// times, and the loop bound of other code.
Edit listing_with(const std::string& from, const std::string& to) {
    return [from, to](EvidenceFiles& files) {
        std::string& listing = listing_of(files);
        const std::string before = assembly::digest_of(listing);
        const std::size_t at = listing.find(from);
        if (at == std::string::npos) throw std::runtime_error{from + " is not there"};
        listing.replace(at, from.size(), to);
        const std::string after = assembly::digest_of(listing);
        for (auto& [path, file] : files)
            for (std::size_t place = file.bytes.find(before); place != std::string::npos;
                 place = file.bytes.find(before, place + after.size()))
                file.bytes.replace(place, before.size(), after);
        tests::json("inputs/run.json", [](Json& run) { run["tool"]["version"] = "9"; })(files);
    };
}

const std::vector<Tampering> of_loop_bounds{
    {"LimitTwiceAsLarge", Honest::Counted, listing_with("0x14", "0x28"), 1,
     "said to execute 20 to 20 times, but by the code at least 22 times"},
    {"LimitOneLarger", Honest::Counted, listing_with("0x14", "0x15"), 1,
     "said to execute 20 to 20 times, but by the code at least 21 times"},
    {"LimitOneSmaller", Honest::Counted, listing_with("0x14", "0x13"), 1,
     "said to execute 20 to 20 times, but by the code at most 19 times"},
    // The loop is the same: nothing else in such a bundle is wrong.
    {"AnotherOperand", Honest::Counted, listing_with("FADD R2, R2, R2", "FADD R2, R2, R3"), 3,
     "the bundle was made by warpbound 9"},
};
WARPBOUND_ATTACKS(ForgedLoopBounds, of_loop_bounds);

} // namespace
} // namespace warpbound
