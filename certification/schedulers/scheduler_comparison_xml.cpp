/// \file
/// The comparison of policies as XML; `schema/scheduler-comparison.xsd` describes it.
#include "certification/report/printable_xml.hpp"
#include "certification/report/wording.hpp"
#include "certification/schedulers/scheduler_comparison.hpp"
#include "models/xml/xml_writer.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

using models::XmlElement;

XmlElement policy_element(const SchedulerComparison& comparison, const PolicyResult& result) {
    const auto& seen = result.observed;
    XmlElement policy = printable_element("policy", {{"name", result.policy},
                                                     {"guarantee", result.guarantee},
                                                     {"verdict", result.refuted()    ? "refuted"
                                                                 : result.compared() ? "holds"
                                                                                     : "none"}});
    if (result.bounds) {
        XmlElement bounds =
            printable_element("bounds", {{"kind", "bound-under-assumptions"},
                                         {"lower", std::to_string(result.bounds->lower().count())},
                                         {"upper", std::to_string(result.bounds->upper().count())},
                                         {"unit", "cycles"}});
        if (const auto time = comparison.time_of(result)) {
            bounds.attributes.push_back({"lower-ns", std::to_string(time->lower().count())});
            bounds.attributes.push_back({"upper-ns", std::to_string(time->upper().count())});
        }
        policy.children.push_back(std::move(bounds));
    } else {
        policy.children.push_back(printable_element("refusal", {{"reason", result.refusal}}));
    }
    policy.children.push_back(printable_element(
        "observed", {{"count", std::to_string(seen.times.count)},
                     {"best", std::to_string(seen.times.best)},
                     {"mean", fmt::format("{:.6f}", seen.times.mean)},
                     {"worst", std::to_string(seen.times.worst)},
                     {"unit", "cycles"},
                     {"mean-cpi", fmt::format("{:.6f}", seen.mean_cpi)},
                     {"standard-deviation-cpi", fmt::format("{:.6f}", seen.deviation_cpi)},
                     {"issue-orders", std::to_string(seen.orders)},
                     {"mean-fairness", fmt::format("{:.6f}", seen.mean_fairness)},
                     {"widest-spread", std::to_string(seen.widest_spread)}}));
    return policy;
}

XmlElement rank_element(const SchedulerComparison& comparison, const Rank& ranked) {
    XmlElement rank = printable_element(
        "rank", {{"policy", comparison.policies[ranked.policy].policy}, {"reason", ranked.reason}});
    if (ranked.position) rank.attributes.push_back({"position", std::to_string(*ranked.position)});
    if (ranked.value) rank.attributes.push_back({"value", std::to_string(*ranked.value)});
    for (const std::size_t tied : ranked.ties)
        rank.children.push_back(
            printable_element("tie", {{"policy", comparison.policies[tied].policy}}));
    return rank;
}

} // namespace

std::string render_xml(const SchedulerComparison& comparison) {
    XmlElement root = printable_element(
        "scheduler-comparison", {{"tool-version", comparison.tool_version},
                                 {"kernel", comparison.kernel},
                                 {"kernel-digest", comparison.kernel_digest},
                                 {"architecture", comparison.architecture},
                                 {"architecture-digest", comparison.architecture_digest},
                                 {"launch", comparison.launch},
                                 {"protocol", comparison.protocol},
                                 {"verdict", comparison.verdict()},
                                 {"ranked-by", std::string{to_string(comparison.ranked_by)}}});
    if (comparison.multiprocessors > 1)
        root.attributes.push_back({"multiprocessors", std::to_string(comparison.multiprocessors)});
    if (comparison.clock)
        root.children.push_back(
            printable_element("clock", {{"lowest-hz", std::to_string(comparison.clock->range.lo)},
                                        {"highest-hz", std::to_string(comparison.clock->range.hi)},
                                        {"source", comparison.clock->source},
                                        {"assumption", comparison.clock->assumption}}));
    for (const auto& result : comparison.policies)
        root.children.push_back(policy_element(comparison, result));
    for (const Rank& ranked : rank(comparison))
        root.children.push_back(rank_element(comparison, ranked));
    for (const std::size_t index : best_trades(comparison))
        root.children.push_back(
            printable_element("best-trade", {{"policy", comparison.policies[index].policy}}));
    for (const auto& assumption : comparison.assumptions)
        root.children.push_back(printable_element(
            "assumption", {{"id", assumption.id},
                           {"status", std::string{analyzer::to_string(assumption.status)}},
                           {"text", assumption.text}}));
    for (const auto& reason : comparison.undecided)
        root.children.push_back(printable_element("undecided", {{"reason", reason}}));
    return models::write_xml(root);
}

} // namespace warpbound::certification
