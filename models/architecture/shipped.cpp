#include "models/architecture/shipped.hpp"

#include "models/architecture/costless_groups.hpp"
#include "models/architecture/difference.hpp"
#include "models/architecture/shipped_descriptions.hpp"

#include <fmt/format.h>

#include <map>

namespace warpbound::models {

namespace {

std::string text_of_value(const SourcedValue* value) {
    if (value == nullptr) return "not described";
    std::string text = "unknown";
    if (value->interval) {
        const Interval& interval = *value->interval;
        text = interval.is_exact() ? fmt::format("{}", interval.lo)
                                   : fmt::format("{}..{}", interval.lo, interval.hi);
        if (interval.typical) text += fmt::format(" (typical {})", *interval.typical);
    }
    return fmt::format("{} {}, {}: {}", text, value->unit, to_string(value->grade), value->source);
}

const std::map<std::string, Architecture, std::less<>>& shipped_machines() {
    static const auto machines = [] {
        std::map<std::string, Architecture, std::less<>> read;
        for (const auto& [name, text] : shipped_descriptions()) {
            auto machine = read_architecture({"built in", std::string{text}});
            if (machine) read.emplace(machine.value().name, std::move(machine).value());
        }
        return read;
    }();
    return machines;
}

/// "modified: fetch=none; 2 values differ".
std::string standing_text(const Architecture& machine, const Provenance& provenance) {
    std::vector<std::string> parts;
    for (const std::string& path : groups_that_cost_nothing(machine))
        parts.push_back(path + "=none");
    if (provenance.standing == Standing::UserSupplied)
        return fmt::format("user-supplied{}{}", parts.empty() ? "" : "; ", fmt::join(parts, "; "));
    const std::size_t count = provenance.modified.size() - parts.size();
    if (count > 0)
        parts.push_back(fmt::format("{} value{}", count, count == 1 ? " differs" : "s differ"));
    return fmt::format("modified: {}", fmt::join(parts, "; "));
}

} // namespace

Provenance provenance_of(const Architecture& machine) {
    const auto shipped = shipped_machines().find(machine.name);
    if (shipped == shipped_machines().end()) return {Standing::UserSupplied, {}};
    if (machine.digest == shipped->second.digest || same_machine(machine, shipped->second))
        return {};
    Provenance provenance{Standing::Modified, {}};
    if (machine.title != shipped->second.title)
        provenance.modified.push_back({"title", machine.title, shipped->second.title});
    const Differences found = differences(machine, shipped->second);
    for (const auto& [path, stated, built_in] : found.properties)
        provenance.modified.push_back({path, stated.empty() ? "not described" : stated,
                                       built_in.empty() ? "not described" : built_in});
    for (const auto& value : found.values)
        provenance.modified.push_back({value.path, text_of_value(value.a), text_of_value(value.b)});
    return provenance;
}

std::string name_with_standing(const Architecture& machine) {
    const Provenance provenance = provenance_of(machine);
    if (provenance.standing == Standing::Shipped) return machine.name;
    return fmt::format("{} ({})", machine.name, standing_text(machine, provenance));
}

std::string label_of(const Architecture& machine) {
    const Provenance provenance = provenance_of(machine);
    if (provenance.standing == Standing::Shipped) return machine.name;
    return fmt::format("{} ({}{}{})", machine.name, standing_text(machine, provenance),
                       machine.digest.empty() ? "" : "; ", machine.digest);
}

std::string statement_on(const Architecture& machine) {
    const Provenance provenance = provenance_of(machine);
    if (provenance.standing == Standing::Shipped) return {};
    if (provenance.standing == Standing::UserSupplied)
        return fmt::format("The description {} is user-supplied: its values, sources and grades "
                           "are statements by its author.",
                           machine.name);
    std::vector<std::string> changes;
    for (const auto& [path, stated, built_in] : provenance.modified)
        changes.push_back(fmt::format("{} is {} (shipped: {})", path, stated, built_in));
    return fmt::format("The description {} is not the shipped one of that name; its author states "
                       "otherwise: {}.",
                       machine.name, fmt::join(changes, "; "));
}

} // namespace warpbound::models
