/// \file
/// Attacks on a bundle whose bound rests on the addresses of accesses through caches.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::all;
using tests::Close;
using tests::cut;
using tests::EvidenceFiles;
using tests::Honest;
using tests::json;
using tests::Json;
using tests::set;
using tests::Tampering;
using tests::text;

constexpr const char* cached_claims = "claims.json";
constexpr const char* facts_in_use = "analysis/K1/facts-in-use.xml";
constexpr const char* facts = "inputs/K1/flow-facts.xml";
constexpr const char* model = "model/small-caches.xml";
constexpr const char* hits = "/claims/0/proof/queueing/hits";
constexpr const char* ports = "/claims/0/proof/queueing/ports";
constexpr const char* rows = "/claims/0/proof/queueing/rows";

/// Lowers the largest term without a certificate by one of what it counts, and the claim with it.
void count_one_less(Json& bundle) {
    Json& claim = bundle.at("claims").at(0);
    Json* largest = nullptr;
    const auto size = [](const Json& term) {
        return term.at("count").get<std::int64_t>() * term.at("cycles").get<std::int64_t>();
    };
    for (Json& term : claim.at("proof").at("terms"))
        if (!term.contains("certificate") && (largest == nullptr || size(*largest) < size(term)))
            largest = &term;
    Json& count = largest->at("count");
    count = count.get<std::int64_t>() - 1;
    claim.at("value") =
        claim.at("value").get<std::int64_t>() - largest->at("cycles").get<std::int64_t>();
}

/// The last term, and of the claim as much.
void last_term_left_out(Json& bundle) {
    Json& claim = bundle.at("claims").at(0);
    Json& terms = claim.at("proof").at("terms");
    const Json last = terms.back();
    terms.erase(terms.size() - 1);
    claim.at("value") =
        claim.at("value").get<std::int64_t>() -
        last.at("count").get<std::int64_t>() * last.at("cycles").get<std::int64_t>();
}

const std::vector<Tampering> of_caches{
    {"CountLowered", Honest::Cached, json(cached_claims, count_one_less), 1, "its sum lacks"},
    {"RowsOncePerLaunch", Honest::Cached, set(cached_claims, rows, "once-per-launch"), 1, "K1"},
    {"RowsUnknown", Honest::Cached, set(cached_claims, rows, "never"), 3,
     "an unknown count of rows"},
    {"HitsChanged", Honest::Cached,
     json(cached_claims,
          [](Json& bundle) {
              Json& value = bundle.at(Json::json_pointer{hits});
              value = !value.get<bool>();
          }),
     1, "K1"},
    {"PortsChanged", Honest::Cached,
     json(cached_claims,
          [](Json& bundle) {
              Json& value = bundle.at(Json::json_pointer{ports});
              value = !value.get<bool>();
          }),
     1, "K1"},
    {"ArgumentsRemoved", Honest::Cached, cut(cached_claims, "/claims/0/proof/queueing"), 1, "K1"},
    {"ArgumentsOfTheLowerSide", Honest::Cached,
     json(cached_claims,
          [](Json& bundle) {
              Json& all_claims = bundle.at("claims");
              all_claims.at(1).at("proof")["queueing"] =
                  all_claims.at(0).at("proof").at("queueing");
          }),
     1, "those of another claim"},
    {"PolicyThatNeedNotConserveWork", Honest::Cached,
     set("inputs/K1/launch.json", "/policy", "two-level:active=1"), 1, "K1"},
    {"ConservingInTurns", Honest::InTurns, set("inputs/K1/launch.json", "/policy", "gto"), 1, "K1"},
    {"CountLoweredInTurns", Honest::InTurns, json(cached_claims, count_one_less), 1,
     "its sum lacks"},
    {"RowsOncePerLaunchInTurns", Honest::InTurns, set(cached_claims, rows, "once-per-launch"), 1,
     "loads of several warps at a time"},
    {"CountLoweredInActiveSet", Honest::InActiveSet, json(cached_claims, count_one_less), 1,
     "its sum lacks"},
    {"RowsOncePerLaunchInActiveSet", Honest::InActiveSet,
     set(cached_claims, rows, "once-per-launch"), 1, "loads of several warps at a time"},
    {"PortsInActiveSet", Honest::InActiveSet, set(cached_claims, ports, true), 1,
     "the policy need not conserve work"},
    {"ConservingWithAnActiveSet", Honest::InActiveSet,
     set("inputs/K1/launch.json", "/policy", "gto"), 1, "K1"},
    {"CountLoweredWithoutAddresses", Honest::Unlisted, json(cached_claims, count_one_less), 1,
     "its sum lacks"},
    {"AddressesOfTooManyAccesses", Honest::Unlisted,
     cut(cached_claims, "/claims/0/proof/queueing/addresses"), 1, "too many accesses"},
    {"HitsWithoutAddresses", Honest::Unlisted, set(cached_claims, hits, true), 1,
     "an L1 may replace lines"},
    {"RowsWithoutAddresses", Honest::Unlisted, set(cached_claims, rows, "per-waiting-access"), 1,
     "addresses do not tell the banks"},
    {"AddressesNotUsed", Honest::Cached,
     set(cached_claims, "/claims/0/proof/queueing/addresses", false), 1, "K1"},
    {"CountLoweredInSlots", Honest::InSlots, json(cached_claims, count_one_less), 1,
     "its sum lacks"},
    {"PortsInSlots", Honest::InSlots, set(cached_claims, ports, true), 1,
     "the policy need not conserve work"},
    {"WaitsBetweenSlotsLeftOut", Honest::InSlots, json(cached_claims, last_term_left_out), 1,
     "its sum lacks"},
    {"LinesShared", Honest::Cached,
     all({text(facts, "warp-stride=\"256\"", "warp-stride=\"0\""),
          text(facts_in_use, "warp-stride=\"256\"", "warp-stride=\"0\"")}),
     1, "its sum"},
    {"RowsLonger", Honest::Cached,
     text(model, "name=\"row\" unit=\"bytes\" value=\"1024\"",
          "name=\"row\" unit=\"bytes\" value=\"65536\""),
     1, "K1"},
    {"EntriesAdded", Honest::Cached,
     text(model, "name=\"mshr-entries\" unit=\"1\" value=\"2\"",
          "name=\"mshr-entries\" unit=\"1\" value=\"64\""),
     1, "its sum"},
};

WARPBOUND_ATTACKS(TamperedCaches, of_caches);

} // namespace
} // namespace warpbound
