/// \file
/// Attacks on a bundle whose sum is along a chain of blocks (docs/theory, S74): the certificate of
/// beginnings of paths, its script, and the numbers of parts.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpbound {
namespace {

using tests::all;
using tests::drop;
using tests::EvidenceFiles;
using tests::Honest;
using tests::json;
using tests::Json;
using tests::set;
using tests::Tampering;
using tests::text;

constexpr const char* table = "analysis/K1/execution-time-upper-prefix-stall.json";
constexpr const char* script = "analysis/K1/execution-time-upper-prefix-stall.smt2";

/// Counts of the claim's terms by the end of their certificate or the beginning of their text, with
/// the value that they add up to.
std::function<void(EvidenceFiles&)> counts(const std::map<std::string, std::int64_t>& changed) {
    return json("claims.json", [changed](Json& claims) {
        Json& claim = claims.at("claims").at(0);
        std::int64_t value = 0;
        for (Json& term : claim.at("proof").at("terms")) {
            const std::string certificate = term.value("certificate", std::string{});
            const auto words = term.at("text").get<std::string>();
            for (const auto& [name, count] : changed)
                if ((!certificate.empty() && certificate.ends_with(name)) ||
                    (certificate.empty() && words.starts_with(name)))
                    term["count"] = count;
            value += term.at("count").get<std::int64_t>() * term.at("cycles").get<std::int64_t>();
        }
        claim["value"] = value;
    });
}

/// S* of 60: as if no path waited for its last result.
std::function<void(EvidenceFiles&)> lowered_beginnings() {
    return all({set(table, "/bound", 60), set(table, "/nodes/0/1", 60),
                set(table, "/witness/cost", 60), text(script, "82", "60"),
                text(script, ") 83)", ") 61)"), text(script, "* 82 e0", "* 60 e0"),
                json("claims.json", [](Json& claims) {
                    Json& claim = claims.at("claims").at(0);
                    for (Json& term : claim.at("proof").at("terms"))
                        if (term.value("certificate", std::string{}).ends_with("prefix-stall"))
                            term["cycles"] = 60;
                    claim["value"] = 802 - 4 * 22;
                })});
}

// 17 blocks of two warps, 4 block slots: 26 warps count with 8 cycles, 14 with 4.
const std::vector<Tampering> of_waves{
    {"BoundOfBeginningsLowered", Honest::Waves, set(table, "/bound", 60), 1, "prefix-stall"},
    {"BeginningsLowered", Honest::Waves, lowered_beginnings(), 1, "bounds less than"},
    {"EndOfBeginningsRemoved", Honest::Waves, set(table, "/nodes/0/1", nullptr), 1, "prefix-stall"},
    {"BeginningsUseFactsOnWholePaths", Honest::Waves, set(table, "/facts", "all"), 1,
     "whole paths"},
    {"BeginningsOfAnotherId", Honest::Waves,
     set(table, "/id", "execution-time-upper-prefix-stalls"), 3, "prefix-stall"},
    {"BeginningsMissing", Honest::Waves, all({drop(table), drop(script)}), 1, "K1"},
    {"ScriptOfBeginningsMissing", Honest::Waves, drop(script), 1, "prefix-stall.smt2"},
    {"ScriptOfBeginningsWeakened", Honest::Waves, text(script, "(assert (>= e0 0))\n", ""), 1,
     "prefix-stall"},
    {"PartsFewer", Honest::Waves, counts({{"prefix-stall", 3}}), 1, "C1"},
    {"CarryInsFewer", Honest::Waves, counts({{"an instruction that issued", 3}}), 1, "C1"},
    {"RefillsFewer", Honest::Waves, counts({{"replacement", 3}}), 1, "C1"},
    {"WarpsOnTheSchedulerFewer", Honest::Waves,
     counts({{"demand-own-scheduler", 25}, {"demand-other-schedulers", 15}}), 1, "C1"},
    {"NoBlockAlive", Honest::Waves,
     counts({{"demand-own-scheduler", 17}, {"demand-other-schedulers", 23}}), 1, "C1"},
    {"MoreBlocksAliveThanSlots", Honest::Waves,
     counts({{"prefix-stall", 3},
             {"an instruction that issued", 3},
             {"replacement", 1},
             {"demand-own-scheduler", 20},
             {"demand-other-schedulers", 20}}),
     1, "C1"},
    {"OnlyTheLastPart", Honest::Waves,
     counts({{"prefix-stall", 1},
             {"an instruction that issued", 1},
             {"replacement", 1},
             {"demand-own-scheduler", 20},
             {"demand-other-schedulers", 20}}),
     1, "C1"},
    {"StallOfTheLastBlockLeftOut", Honest::Waves, counts({{"upper-stall", 0}}), 1, "C1"},
    {"UnderAnotherPolicy", Honest::Waves, set("inputs/K1/launch.json", "/policy", "srr"), 1, "K1"},
    {"OnMoreMultiprocessors", Honest::Waves, set("inputs/K1/launch.json", "/multiprocessors", 2), 1,
     "K1"},
};

WARPBOUND_ATTACKS(TamperedWaves, of_waves);

} // namespace
} // namespace warpbound
