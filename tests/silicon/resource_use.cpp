#include "tests/silicon/resource_use.hpp"

#include "analyzer/flow/facts_in_use.hpp"
#include "models/architecture/value_path.hpp"
#include "models/formulas/prediction/prediction.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace warpbound::silicon {

namespace {

using harness::simulator::CacheLevel;

/// The typical number of a value, else the middle of its interval; 0 where there is none.
double number_in(const models::Interval& interval) {
    return interval.typical ? static_cast<double>(*interval.typical)
                            : static_cast<double>(interval.lo + interval.hi) / 2;
}

/// Every value at one number: the typical one, else the middle.
models::Architecture exact(models::Architecture machine) {
    for (auto& [path, group] : models::value_groups(machine))
        for (auto& value : group->values)
            if (value.interval) {
                const std::int64_t number = value.interval->typical.value_or(
                    (value.interval->lo + value.interval->hi + 1) / 2);
                value.interval = models::Interval{number, number, number};
            }
    return machine;
}

/// Loads and stores of global memory without derived transactions take one, as in these launches.
void state_transactions(const assembly::Function& function, models::FlowFacts& facts) {
    for (const auto& instruction : function.instructions) {
        const bool is_global = instruction.mnemonic == "LDG" || instruction.mnemonic == "STG";
        const auto fact =
            std::find_if(facts.memory.begin(), facts.memory.end(),
                         [&](const auto& one) { return one.at == instruction.address; });
        if (!is_global || (fact != facts.memory.end() && fact->transactions)) continue;
        models::MemoryFact one;
        one.at = instruction.address;
        one.transactions = models::CountRange{1, 1};
        if (fact == facts.memory.end())
            facts.memory.push_back(std::move(one));
        else
            *fact = std::move(one);
    }
}

} // namespace

ResourceUse::ResourceUse(const models::Architecture& machine, const assembly::Function& function,
                         std::int64_t warps, std::int64_t multiprocessors)
    : machine_{machine}, warps_{warps}, multiprocessors_{multiprocessors}, function_{function},
      port_busy_(machine.units.size(), 0) {
    for (auto& timing : models::instruction_timings(function, machine, models::FlowFacts{}, 32))
        timings_.push_back(timing ? std::optional{timing.value()} : std::nullopt);
}

double ResourceUse::number(std::string_view path) const {
    const auto* const value = models::find_value(machine_, path);
    return value == nullptr || !value->interval ? 0 : number_in(*value->interval);
}

void ResourceUse::add(const harness::simulator::Event& event) {
    using namespace harness::simulator;
    if (const auto* issued = std::get_if<Issued>(&event); issued && issued->warp >= warps_) {
        ++issued_;
        const std::string& mnemonic = function_.instructions[issued->instruction].mnemonic;
        if (issued->executed && mnemonic == "LDS") shared_loads_ += issued->passes;
        if (issued->executed && mnemonic == "STS") shared_stores_ += issued->passes;
        if (issued->executed && timings_[issued->instruction])
            port_busy_[timings_[issued->instruction]->unit] +=
                static_cast<double>(issued->port_until - issued->cycle);
    } else if (const auto* line = std::get_if<LineAccessed>(&event); line && line->warp >= warps_) {
        const int sectors = std::popcount(line->hit | line->merged | line->missed);
        const int missed = std::popcount(line->missed);
        if (line->level == CacheLevel::L1 && !line->write) {
            l1_busy_ += std::max(1.0, number("memories/l1/service") * sectors / 4);
            l1_sectors_ += sectors;
            l1_missed_ += missed;
        } else if (line->level == CacheLevel::L2) {
            l2_busy_ += std::max(1.0, number("memories/l2/service") * sectors / 4);
            l2_accessed_sectors_ += sectors;
            ++l2_transactions_;
            if (!line->write) l2_read_ += sectors;
            if (!line->write) l2_read_missed_ += missed;
        }
    } else if (const auto* served = std::get_if<DramServed>(&event);
               served && served->warp >= warps_) {
        dram_busy_ += static_cast<double>(served->until - served->cycle);
    } else if (const auto* atomic = std::get_if<AtomicServed>(&event);
               atomic && atomic->warp >= warps_) {
        atomics_ += static_cast<double>(atomic->transactions);
    }
}

void ResourceUse::report(SimulatedLaunch& launch) const {
    const auto cycles = static_cast<double>(launch.cycles);
    const auto sms = static_cast<double>(multiprocessors_);
    const double schedulers = number("schedulers/count");
    launch.instructions = issued_;
    launch.shared_loads = shared_loads_;
    launch.shared_stores = shared_stores_;
    launch.l2_read = std::llround(l2_read_);
    const auto share = [&](const std::string& name, double busy, double count) {
        if (busy > 0) launch.shares.emplace_back(name, busy / (count * cycles));
    };
    share("issue slots", static_cast<double>(issued_), sms * schedulers);
    for (std::size_t unit = 0; unit < machine_.units.size(); ++unit)
        share("port " + machine_.units[unit].name, port_busy_[unit],
              machine_.units[unit].scope == models::UnitScope::Core ? sms : sms * schedulers);
    share("L1", l1_busy_, sms);
    share("L2 slices", l2_busy_, number("memories/l2/slices"));
    share("DRAM", dram_busy_, number("memories/dram/channels"));
    share("atomics of one slice", atomics_ * number("memories/l2/reduction"), 1);
    std::stable_sort(launch.shares.begin(), launch.shares.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    launch.l1_miss_rate = l1_sectors_ == 0 ? 0 : l1_missed_ / l1_sectors_;
    if (l2_transactions_ > 0)
        launch.transaction_bytes =
            number("memories/l2/sector") * l2_accessed_sectors_ / l2_transactions_;
    launch.l2_miss_rate = l2_read_ == 0 ? 0 : l2_read_missed_ / l2_read_;
}

std::map<std::string, double>
predictions_of(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
               const models::Architecture& machine, const models::Launch& launch,
               const models::FlowFacts& stated, const SimulatedLaunch& simulated) {
    auto facts = analyzer::facts_in_use(function, graph, machine, launch, stated);
    if (!facts) return {};
    state_transactions(function, facts.value());
    models::NamedProfile profile;
    profile.name = function.name;
    auto steps = models::steps_along(function, graph, simulated.path, facts.value());
    if (!steps) return {};
    profile.steps = std::move(steps).value();
    profile.counts = models::counts_of(profile.steps);
    models::prediction::Setting setting{.architecture = exact(machine), .launch = launch};
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, double>>{
             {"registers", static_cast<double>(launch.registers.value_or(0))},
             {"shared-memory", static_cast<double>(launch.shared_memory.value_or(0))},
             {"l1-miss-rate", simulated.l1_miss_rate},
             {"l2-miss-rate", simulated.l2_miss_rate},
             {"line-bytes", std::round(simulated.transaction_bytes)},
             {"bsp-lambda", 1}})
        if (!setting.stated.set(name, value)) return {};
    std::map<std::string, double> times;
    for (const auto model : models::prediction::all_models) {
        const auto answer = models::prediction::predict(model, profile, setting,
                                                        models::prediction::Variant::Typical);
        if (!answer.refused()) times.emplace(std::string{to_string(model)}, answer.time->value());
    }
    return times;
}

} // namespace warpbound::silicon
