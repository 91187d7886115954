/// \file
/// Attacks on bundles whose bounds rest on time slots: on the slots that ports block.

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

const std::string ports = "execution-time-upper-ports-";

/// The first term about ports, changed, and the claim in line.
std::function<void(EvidenceFiles&)> term_of_ports(const std::function<void(Json&)>& change) {
    return json("claims.json", [change](Json& bundle) {
        Json& claim = bundle.at("claims").at(0);
        for (Json& term : claim.at("proof").at("terms")) {
            if (term.value("certificate", "").rfind(ports, 0) != 0) continue;
            const auto cycles = [&term] {
                return term.at("count").get<std::int64_t>() * term.at("cycles").get<std::int64_t>();
            };
            const std::int64_t before = cycles();
            change(term);
            claim.at("value") = claim.at("value").get<std::int64_t>() - before + cycles();
            return;
        }
        throw std::runtime_error{"no term about ports"};
    });
}

void one_warp_less(Json& term) {
    term.at("count") = term.at("count").get<std::int64_t>() - 1;
}

void no_warp(Json& term) {
    term.at("count") = 0;
}

/// Of every list of slots that uses block, one use blocks a cycle less.
void shorten_uses(EvidenceFiles& files) {
    bool changed = false;
    for (auto& [path, file] : files) {
        if (path.rfind("analysis/K1/" + ports, 0) != 0 || !path.ends_with(".json")) continue;
        Json table = Json::parse(file.bytes);
        for (Json& node : table.at("nodes"))
            if (node.at(1).is_number() && node.at(1).get<std::int64_t>() > 0) {
                node.at(1) = node.at(1).get<std::int64_t>() - 1;
                table.at("bound") = table.at("bound").get<std::int64_t>() - 1;
                changed = true;
                break;
            }
        file.bytes = table.dump();
    }
    if (!changed) throw std::runtime_error{"no use of a port"};
}

const std::vector<Tampering> of_slots{
    {"FewerWarpsBlockSlots", Honest::Slots, term_of_ports(one_warp_less), 1, "its sum lacks"},
    {"PortLeftOut", Honest::Slots, term_of_ports(no_warp), 1, "its sum lacks"},
    {"UsesBlockFewerSlots", Honest::Slots, shorten_uses, 1, "a cost is not the sum over its block"},
    {"SlotsOfMoreWarps", Honest::Slots, set("inputs/K1/launch.json", "/launch", "1x256"), 1, "K1"},
    {"SlotsInAnotherTable", Honest::Slots,
     set("inputs/K1/launch.json", "/policy", "variable-rate:fast=0,every=4"), 1, "K1"},
};
WARPBOUND_ATTACKS(TamperedSlots, of_slots);

} // namespace
} // namespace warpbound
