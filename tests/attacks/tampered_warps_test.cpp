/// \file
/// Attacks on a bundle whose sum counts each warp by the indices of its threads (docs/theory, S85):
/// what warps demand, the certificates, limits of barrier intervals, and where the sum holds.

#include "tests/attacks/bundles.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

using tests::all;
using tests::cut;
using tests::drop;
using tests::EvidenceFiles;
using tests::Honest;
using tests::json;
using tests::Json;
using tests::set;
using tests::Tampering;

constexpr const char* claims_path = "claims.json";
const std::string upper_folder = "analysis/K1/execution-time-upper-";

/// Changes the terms of the upper bound, and the value with them.
std::function<void(EvidenceFiles&)> changed_terms(std::function<void(Json& claim)> change) {
    return json(claims_path, [change = std::move(change)](Json& file) {
        Json& claim = file["claims"][0];
        change(claim);
        std::int64_t value = 0;
        for (const Json& term : claim["proof"]["terms"])
            value += term["count"].get<std::int64_t>() * term["cycles"].get<std::int64_t>();
        claim["value"] = value;
    });
}

/// Of the terms whose text begins so, or whose certificate ends so.
void set_terms_of(Json& claim, const std::string& name, const char* key, std::int64_t number) {
    for (Json& term : claim["proof"]["terms"])
        if (term["text"].get<std::string>().starts_with(name) ||
            term.value("certificate", std::string{}).ends_with(name))
            term[key] = number;
}

/// Changes what is said of the warps, and what follows from it.
std::function<void(EvidenceFiles&)> changed_warps(std::function<void(Json& rows)> change) {
    return changed_terms([change = std::move(change)](Json& claim) {
        Json& rows = claim["proof"]["warps"];
        change(rows);
        std::int64_t ports = 0;
        std::int64_t most = 0;
        std::int64_t drain = 0;
        for (const Json& row : rows) {
            ports += row["ports"].get<std::int64_t>();
            most = std::max(most, row["ports"].get<std::int64_t>());
            drain += row["drain"].get<std::int64_t>();
        }
        set_terms_of(claim, "demand of the warps of a block", "cycles", ports);
        set_terms_of(claim, "demand on ports of the multiprocessor of a warp", "cycles", most);
        set_terms_of(claim, "drains of the stores of a block", "cycles", drain);
    });
}

/// A part of a warp's row so much larger.
std::function<void(Json&)> moved_row(std::size_t warp, const char* part, std::int64_t by) {
    return [=](Json& rows) { rows[warp][part] = rows[warp][part].get<std::int64_t>() + by; };
}

/// The bound of a certificate and of its terms.
std::function<void(EvidenceFiles&)> lowered_certificate(const std::string& certificate,
                                                        std::int64_t bound) {
    return all(
        {set(upper_folder + certificate + ".json", "/bound", bound),
         changed_terms([=](Json& claim) { set_terms_of(claim, certificate, "cycles", bound); })});
}

/// A limit in place of 16, with the certificate of 16.
std::function<void(EvidenceFiles&)> renamed_limit(const std::string& limit, std::int64_t within) {
    return all({[=](EvidenceFiles& files) {
                    for (const char* end : {".json", ".smt2"}) {
                        auto file = files.extract(upper_folder + "intervals-beyond-16" + end);
                        file.key() = upper_folder + "intervals-beyond-" + limit + end;
                        files.insert(std::move(file));
                    }
                },
                set(upper_folder + "intervals-beyond-" + limit + ".json", "/id",
                    "execution-time-upper-intervals-beyond-" + limit),
                changed_terms([=](Json& claim) {
                    set_terms_of(claim, "demand of a warp beyond ports", "cycles", within);
                    set_terms_of(claim, "intervals-beyond-16", "certificate", 0);
                    for (Json& term : claim["proof"]["terms"])
                        if (term.contains("certificate") && term["certificate"] == 0)
                            term["certificate"] = "execution-time-upper-intervals-beyond-" + limit;
                    for (Json& file : claim["evidence"]) {
                        auto path = file["path"].get<std::string>();
                        const auto at = path.find("beyond-16");
                        if (at != std::string::npos)
                            file["path"] = path.replace(at, 9, "beyond-" + limit);
                    }
                })});
}

const std::vector<Tampering> of_warps{
    {"PortsOfTheFirstWarp", Honest::ByWarp, changed_warps(moved_row(0, "ports", -1)), 1,
     "threads of it"},
    {"PortsOfTheLastWarp", Honest::ByWarp, changed_warps(moved_row(7, "ports", -1)), 1,
     "threads of it"},
    {"DrainOfTheFirstWarp", Honest::ByWarp, changed_warps(moved_row(0, "drain", -1)), 1,
     "threads of it"},
    {"PortsMovedToAnotherWarp", Honest::ByWarp, changed_warps([](Json& rows) {
         moved_row(0, "ports", -12)(rows);
         moved_row(7, "ports", 12)(rows);
     }),
     1, "of warp 0"},
    {"NegativeDrain", Honest::ByWarp, changed_warps(moved_row(7, "drain", -9)), 1, "of warp 7"},
    {"WarpLeftOut", Honest::ByWarp, changed_warps([](Json& rows) { rows.erase(7); }), 1,
     "another number"},
    {"WarpAdded", Honest::ByWarp, changed_warps([](Json& rows) { rows.push_back(rows[7]); }), 1,
     "another number"},
    {"RowsMissing", Honest::ByWarp, cut(claims_path, "/claims/0/proof/warps"), 1,
     "no claim counts warps"},
    {"PortsMissing", Honest::ByWarp, cut(claims_path, "/claims/0/proof/warps/0/ports"), 3,
     claims_path},
    {"PortsThatAreNoNumber", Honest::ByWarp,
     set(claims_path, "/claims/0/proof/warps/0/ports", "116"), 3, claims_path},
    {"RowsOfTheLowerBound", Honest::ByWarp,
     json(claims_path,
          [](Json& file) {
              file["claims"][1]["proof"]["warps"] = file["claims"][0]["proof"]["warps"];
          }),
     1, "only an upper bound"},
    {"SumsOfOtherRows", Honest::ByWarp, changed_terms([](Json& claim) {
         set_terms_of(claim, "demand of the warps of a block", "cycles", 275);
     }),
     1, "its sum lacks"},
    {"StallLowered", Honest::ByWarp, lowered_certificate("guarded-stall", 2000), 1,
     "guarded-stall"},
    {"DemandLowered", Honest::ByWarp, lowered_certificate("demand-beyond-ports", 170), 1,
     "beyond-ports"},
    {"DemandBeyondTheLimitLowered", Honest::ByWarp, lowered_certificate("intervals-beyond-16", 22),
     1, "intervals-beyond-16"},
    {"StallMissing", Honest::ByWarp,
     all({drop(upper_folder + "guarded-stall.json"), drop(upper_folder + "guarded-stall.smt2")}), 1,
     "K1"},
    {"LimitLowered", Honest::ByWarp, renamed_limit("15", 15), 1, "beyond it"},
    {"LimitThatIsNoNumber", Honest::ByWarp, renamed_limit("016", 16), 1, "states no limit"},
    {"LimitBelowZero", Honest::ByWarp, renamed_limit("-16", -16), 1, "states no limit"},
    {"WithinTheLimitLowered", Honest::ByWarp, changed_terms([](Json& claim) {
         set_terms_of(claim, "demand of a warp beyond ports", "cycles", 15);
     }),
     1, "its sum lacks"},
    {"ChangesFewer", Honest::ByWarp, changed_terms([](Json& claim) {
         set_terms_of(claim, "demand of a warp beyond ports", "count", 310);
     }),
     1, "its sum lacks"},
    {"OtherWarpsFewer", Honest::ByWarp, changed_terms([](Json& claim) {
         set_terms_of(claim, "the same beyond the limit", "count", 90);
     }),
     1, "its sum lacks"},
    {"UnderAnotherPolicy", Honest::ByWarp, set("inputs/K1/launch.json", "/policy", "srr"), 1, "K1"},
    {"OnMoreMultiprocessors", Honest::ByWarp, set("inputs/K1/launch.json", "/multiprocessors", 2),
     1, "K1"},
};

WARPBOUND_ATTACKS(TamperedWarps, of_warps);

} // namespace
} // namespace warpbound
