#include "analyzer/policies/time_division/blocking_terms.hpp"

#include "analyzer/evidence/path_certificates.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// What slots are blocked by.
struct BlockingResource {
    const char* id;          ///< Of its certificates, before their numbers.
    const char* certificate; ///< Their text.
    const char* term;
    const char* term_in_waves;
    BlockedTime SlotBlocking::*time;
};

constexpr BlockingResource ports{
    "execution-time-upper-ports", "slots that a warp blocks by occupying ports",
    "slots of the warp in which another warp occupies a port",
    "slots of the critical path in which a port is occupied", &SlotBlocking::by_ports};
constexpr BlockingResource stages{
    "execution-time-upper-stages",
    "slots that a warp blocks by register reads in the stages in front of the units",
    "slots in which register reads of a warp hold the stages in front of the units",
    "slots in which register reads of a warp hold the stages in front of the units",
    &SlotBlocking::by_reads};

/// Certificates are numbered in the order of what the instructions add; in several waves there is
/// one.
std::map<InstructionCosts, BoundTerm>
certified_costs(const TimedKernel& kernel, const AnalysisRun& run,
                const std::map<SlotDistance, SlotBlocking>& blocking,
                const BlockingResource& resource, bool in_waves) {
    std::map<InstructionCosts, BoundTerm> certified;
    for (const auto& [distance, slots] : blocking)
        for (const auto& [costs, warps] : (slots.*resource.time).warps)
            certified[costs];
    std::size_t number = 0;
    for (auto& [costs, term] : certified) {
        const std::string end = in_waves ? in_any_warp_slot : fmt::format("-{}", ++number);
        const CertificateName name{resource.id + end, resource.certificate};
        term = {in_waves ? resource.term_in_waves : resource.term, 1,
                certified_most(kernel, run, name, costs), name.id};
    }
    return certified;
}

void add_terms(std::vector<BoundTerm>& terms, const BlockedTime& blocked,
               const std::map<InstructionCosts, BoundTerm>& certified) {
    for (const auto& [costs, warps] : blocked.warps) {
        BoundTerm term = certified.at(costs);
        term.count = warps;
        terms.push_back(std::move(term));
    }
}

void add_number(std::vector<BoundTerm>& terms, const char* text, std::int64_t count,
                std::int64_t cycles) {
    if (count > 0 && cycles > 0) terms.push_back({text, count, cycles});
}

} // namespace

BlockingTerms::BlockingTerms(const TimedKernel& kernel, const ScheduledLaunch& launch,
                             const AnalysisRun& run, const TimeDivisionPath& critical)
    : changes_warp_slot_{critical.changes_warp_slot} {
    if (changes_warp_slot_)
        blocking_[hull(critical.distances)] =
            blocking_of_any_slot(kernel, launch, critical.distances, critical.barriers);
    else
        blocking_ = blocking_by_distance(kernel, launch);
    const bool in_waves = launch.shape.waves() > 1;
    ports_ = certified_costs(kernel, run, blocking_, ports, in_waves);
    stages_ = certified_costs(kernel, run, blocking_, stages, in_waves);
}

const SlotBlocking& BlockingTerms::of(const std::vector<SlotDistance>& slots) const {
    return changes_warp_slot_ ? blocking_.begin()->second : blocking_.at(slots.front());
}

std::vector<BoundTerm> BlockingTerms::by_issues(const std::vector<SlotDistance>& slots) const {
    const SlotBlocking& blocking = of(slots);
    std::vector<BoundTerm> terms;
    add_terms(terms, blocking.by_ports, ports_);
    add_number(terms,
               "port that is still occupied when the critical path changes the multiprocessor", 1,
               blocking.left_by_ports);
    add_terms(terms, blocking.by_reads, stages_);
    add_number(terms, "slots that may be blocked again after the start of the last block", 1,
               blocking.left_by_reads);
    return terms;
}

std::vector<BoundTerm> BlockingTerms::by_stores(const std::vector<SlotDistance>& slots) const {
    const SlotBlocking& blocking = of(slots);
    std::vector<BoundTerm> terms;
    add_number(terms, "slots of the warp in which the write buffer is full", blocking.by_stores,
               blocking.slot_of_store);
    return terms;
}

} // namespace warpbound::analyzer
