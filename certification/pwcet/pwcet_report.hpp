#pragma once
/// \file
/// Report on pWCET estimates: estimate, observation and bound in one table, each with its kind.

#include "assembly/support/source_text.hpp"
#include "certification/pwcet/pwcet.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// A bound shown beside the estimates. Side: upper.
struct BoundBeside {
    std::int64_t value = 0;
    std::string unit;
    std::string kind; ///< "proved-bound", "bound-under-assumptions", or "stated-bound".
    std::string source;
    models::LaunchIdentity launched{};       ///< Nothing where it is a number that was typed.
    std::vector<std::string> not_compared{}; ///< What a file does not say of the launch.
};

/// Compares the launch of the bound with that of the times and fills `not_compared`. Refuses a
/// bound in another unit, and one of another launch, with what differs.
Result<void> compare_launches(BoundBeside& bound, const std::vector<TimesInRunOrder>& times);
/// A sentence on what was not compared; empty where everything was, and without a bound.
std::string not_compared_text(const std::optional<BoundBeside>& bound);

/// The upper bound of the execution time in a JSON report of `analyze`. Refuses a text that is
/// none, and a report without such a claim.
Result<BoundBeside> read_bound(const assembly::SourceText& source);

struct PwcetReport {
    std::string file;
    std::string tool_version;
    PwcetRequest request;
    std::vector<SeriesPwcet> series;
    std::vector<PwcetRow> envelope; ///< Of several series; see `envelope_of`.
    std::optional<BoundBeside> bound;
};

/// How an estimate stands against the runs and against the bound.
enum class Standing {
    Plausible,
    NotInformative, ///< Above the bound, which is the stronger statement.
    Refuted,        ///< The runs exceed it more often than its probability allows.
};
std::string_view to_string(Standing standing); ///< "", "not informative", "refuted".

/// Refuted: so many exceedances have a binomial probability below 1 %.
Standing standing_of(const SeriesPwcet& series, const PwcetRow& row,
                     const std::optional<BoundBeside>& bound);

/// A run above the bound refutes the bound.
bool refutes_bound(const SeriesPwcet& series, const std::optional<BoundBeside>& bound);

/// No series refused.
bool is_estimated(const PwcetReport& report);
/// An estimate or the bound is refuted.
bool is_refuted(const PwcetReport& report);

/// What no fit of recorded runs covers, one sentence each.
const std::vector<std::string>& not_covered();

/// A time of the sample with its decimals.
std::string time_in(const SeriesPwcet& series, double value);
/// "12.35": a time with one decimal more than the sample has.
std::string estimate_text(const SeriesPwcet& series, double value);
/// "1150.2 to 1180.1"; "above 1150.2" where the sample does not limit it.
std::string interval_text(const SeriesPwcet& series, const models::QuantileInterval& interval);
/// "183 of 1000 runs above 1040, exponential tail".
std::string method_text(const SeriesPwcet& series, const PwcetRequest& request);
/// Parameters of a fit by their names.
std::vector<std::pair<std::string, double>> parameters_of(const models::TailFit& fit);

std::string render_text(const PwcetReport& report);
std::string render_json(const PwcetReport& report);
/// One self-contained page with plots.
std::string render_html(const PwcetReport& report);

} // namespace warpbound::certification
