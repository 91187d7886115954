/// \file
/// Attacks on bundles whose bounds are the times of all schedules in time slots. Bundles with
/// another listing name another version, so that no re-analysis decides.

#include "assembly/support/digest.hpp"
#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::EvidenceFiles;
using tests::Honest;
using tests::json;
using tests::Json;
using tests::set;
using tests::Tampering;

using Edit = std::function<void(EvidenceFiles&)>;

/// The only term of a claim, and the claim, so much larger.
Edit time_moved(std::size_t claim, std::int64_t cycles) {
    return json("claims.json", [claim, cycles](Json& bundle) {
        Json& moved = bundle.at("claims").at(claim);
        Json& term = moved.at("proof").at("terms").at(0);
        term.at("cycles") = term.at("cycles").get<std::int64_t>() + cycles;
        moved.at("value") = moved.at("value").get<std::int64_t>() + cycles;
    });
}

/// An addition waits for another register than it does, in a bundle of one that does not.
void drop_dependence(EvidenceFiles& files) {
    const std::string from = "FADD R2, R1, R1";
    for (auto& [listing_path, listing] : files) {
        const std::size_t at = listing.bytes.find(from);
        if (!listing_path.starts_with("inputs/") || at == std::string::npos) continue;
        const std::string before = assembly::digest_of(listing.bytes);
        listing.bytes.replace(at, from.size(), "FADD R2, R9, R9");
        const std::string after = assembly::digest_of(listing.bytes);
        for (auto& [path, file] : files)
            for (std::size_t place = file.bytes.find(before); place != std::string::npos;
                 place = file.bytes.find(before, place + after.size()))
                file.bytes.replace(place, before.size(), after);
        json("inputs/run.json", [](Json& run) { run["tool"]["version"] = "9"; })(files);
        return;
    }
    throw std::runtime_error{"no listing"};
}

const std::vector<Tampering> of_schedules{
    // One start alone takes the most.
    {"StartLeftOut", Honest::Starts, time_moved(0, -1), 1, "its sum lacks"},
    {"StartAdded", Honest::Starts, time_moved(1, 1), 1, "its sum lacks"},
    {"WithoutADependence", Honest::Starts, drop_dependence, 1, "its sum lacks"},
    {"OfFewerWarps", Honest::Starts, set("inputs/K1/launch.json", "/launch", "1x64"), 1, "K1"},
    {"InAnotherTable", Honest::Starts,
     set("inputs/K1/launch.json", "/policy", "variable-rate:fast=0,every=3"), 1, "K1"},
    {"OrderLeftOut", Honest::Orders, time_moved(0, -1), 1, "its sum lacks"},
    {"OrderAdded", Honest::Orders, time_moved(1, 1), 1, "its sum lacks"},
    {"OrderWithoutADependence", Honest::Orders, drop_dependence, 1, "its sum lacks"},
    {"OrderOfFewerWarps", Honest::Orders, set("inputs/K1/launch.json", "/launch", "1x128"), 1,
     "K1"},
    {"InStrictTurns", Honest::Starts, set("inputs/K1/launch.json", "/policy", "srr"), 1, "K1"},
};
WARPBOUND_ATTACKS(TamperedSchedules, of_schedules);

} // namespace
} // namespace warpbound
