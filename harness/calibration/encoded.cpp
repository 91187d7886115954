/// \file
/// Machines with encoded issue control: the relations of machines with interlocks hold for code
/// whose control fields are stated, if stall counts add up as they state (C97).

#include "harness/calibration/relations.hpp"
#include "harness/suite/calibration_benchmarks.hpp"
#include "harness/suite/stated_emission.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness {

namespace {

/// Behind a memory queue (C71) accesses do not wait for their port when they issue: their times
/// show neither its initiation interval nor who shares it, nor the write buffer.
void withdraw_queued(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    const auto of_shared = measurements.find("port-load-shared");
    if (of_shared == nullptr) return;
    const auto times = distances(*of_shared, basis);
    if (*std::ranges::max_element(times) > basis.step) return;
    constexpr const char* why = "accesses issue without waiting for their port, as behind a memory "
                                "queue";
    for (const auto& of : calibrated_classes()) {
        if (!of.has_passes && of.name != "load-constant") continue;
        for (const std::string_view value : {std::string_view{"/initiation"}, port_of_class})
            ledger.withdraw(fmt::format("classes/{}{}", of.name, value), why);
    }
    for (const char* path : {"write-buffer/entries", "write-buffer/drain"})
        ledger.withdraw(path, why);
}

} // namespace

std::string premise_of_encoded(const std::optional<Basis>& basis) {
    if (!basis)
        return "the times of a straight line of instructions with stated stall counts vary, or are "
               "not linear in their number";
    if (basis->step != stated_stall)
        return fmt::format("instructions with a stall count of {} issue {} cycles apart: stall "
                           "counts do not add up as they state",
                           stated_stall, basis->step);
    return {};
}

void keep_encoded(const Measurements& measurements, const Basis& basis, Ledger& ledger) {
    ledger.withdraw("schedulers/same-warp-interval", {});
    withdraw_queued(measurements, basis, ledger);
}

} // namespace warpbound::harness
