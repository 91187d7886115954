/// \file
/// Attacks on bundles whose bounds rest on time slots: on the slots that ports, the stages in front
/// of the units and the write buffer block.

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
const std::string stages = "execution-time-upper-stages-";
const std::string queue_places = "execution-time-upper-queue-places-";

/// The first of some terms, changed, and the claim in line.
std::function<void(EvidenceFiles&)> changed_term(const std::function<bool(const Json&)>& is_wanted,
                                                 const std::function<void(Json&)>& change) {
    return json("claims.json", [is_wanted, change](Json& bundle) {
        Json& claim = bundle.at("claims").at(0);
        for (Json& term : claim.at("proof").at("terms")) {
            if (!is_wanted(term)) continue;
            const auto cycles = [&term] {
                return term.at("count").get<std::int64_t>() * term.at("cycles").get<std::int64_t>();
            };
            const std::int64_t before = cycles();
            change(term);
            claim.at("value") = claim.at("value").get<std::int64_t>() - before + cycles();
            return;
        }
        throw std::runtime_error{"no such term"};
    });
}

std::function<void(EvidenceFiles&)> term_of(const std::string& certificates,
                                            const std::function<void(Json&)>& change) {
    return changed_term(
        [certificates](const Json& term) {
            return term.value("certificate", "").rfind(certificates, 0) == 0;
        },
        change);
}

/// Terms that name no certificate.
std::function<void(EvidenceFiles&)> number_of(const std::string& text,
                                              const std::function<void(Json&)>& change) {
    return changed_term(
        [text](const Json& term) { return term.value("text", "").find(text) != std::string::npos; },
        change);
}

const std::string full_buffer = "write buffer is full";
const std::string queued_at_barrier = "holds when a barrier opens";

void one_less(Json& term) {
    term.at("count") = term.at("count").get<std::int64_t>() - 1;
}

void shorter_slots(Json& term) {
    term.at("cycles") = term.at("cycles").get<std::int64_t>() - 1;
}

void none(Json& term) {
    term.at("count") = 0;
}

/// In every table of these, one use blocks a cycle less.
std::function<void(EvidenceFiles&)> shorter_uses(const std::string& certificates) {
    return [certificates](EvidenceFiles& files) {
        bool changed = false;
        for (auto& [path, file] : files) {
            if (path.rfind("analysis/K1/" + certificates, 0) != 0 || !path.ends_with(".json"))
                continue;
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
        if (!changed) throw std::runtime_error{"no use"};
    };
}

const std::vector<Tampering> of_slots{
    {"FewerWarpsBlockSlots", Honest::Slots, term_of(ports, one_less), 1, "its sum lacks"},
    {"PortLeftOut", Honest::Slots, term_of(ports, none), 1, "its sum lacks"},
    {"UsesBlockFewerSlots", Honest::Slots, shorter_uses(ports), 1,
     "a cost is not the sum over its block"},
    {"SlotsOfMoreWarps", Honest::Slots, set("inputs/K1/launch.json", "/launch", "1x256"), 1, "K1"},
    {"SlotsInAnotherTable", Honest::Slots,
     set("inputs/K1/launch.json", "/policy", "variable-rate:fast=0,every=4"), 1, "K1"},
    {"FewerWarpsInABarrierInterval", Honest::SlotsAtBarrier, term_of(ports, one_less), 1,
     "its sum lacks"},
    {"BarrierIntervalLeftOut", Honest::SlotsAtBarrier, term_of(ports, none), 1, "its sum lacks"},
    {"UsesInABarrierIntervalBlockFewerSlots", Honest::SlotsAtBarrier, shorter_uses(ports), 1,
     "a cost is not the sum over its block"},
    {"FewerSlotsOfAFullBuffer", Honest::SlotsOfStores, number_of(full_buffer, one_less), 1,
     "its sum lacks"},
    {"ShorterSlotsOfAFullBuffer", Honest::SlotsOfStores, number_of(full_buffer, shorter_slots), 1,
     "its sum lacks"},
    {"FullBufferLeftOut", Honest::SlotsOfStores, number_of(full_buffer, none), 1, "its sum lacks"},
    {"FewerWarpsHoldTheStages", Honest::SlotsOfReads, term_of(stages, one_less), 1,
     "its sum lacks"},
    {"StagesLeftOut", Honest::SlotsOfReads, term_of(stages, none), 1, "its sum lacks"},
    {"FewerWarpsFillAQueue", Honest::SlotsOfQueue, term_of(queue_places, one_less), 1,
     "its sum lacks"},
    {"LessQueuedAtABarrier", Honest::SlotsOfQueue, number_of(queued_at_barrier, shorter_slots), 1,
     "its sum lacks"},
    {"QueuedAtABarrierLeftOut", Honest::SlotsOfQueue, number_of(queued_at_barrier, none), 1,
     "its sum lacks"},
    {"ReadsBlockFewerSlots", Honest::SlotsOfReads, shorter_uses(stages), 1,
     "a cost is not the sum over its block"},
};
WARPBOUND_ATTACKS(TamperedSlots, of_slots);

} // namespace
} // namespace warpbound
