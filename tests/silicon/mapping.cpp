#include "tests/silicon/mapping.hpp"

#include "assembly/isa/opcode.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace warpbound::silicon {

namespace {

bool found_in(const std::string& text, const std::regex& pattern) {
    return std::regex_search(text, pattern);
}

std::string chip_of(const Mapping& mapping, const std::string& device) {
    for (const auto& [pattern, chip] : mapping.chips)
        if (found_in(device, pattern)) return chip;
    return {};
}

/// A pattern for a whole text; an empty one matches all.
std::regex whole(const std::string& pattern) {
    return std::regex{pattern.empty() ? std::string{} : fmt::format("^(?:{})$", pattern)};
}

Side side_named(const std::string& name) {
    if (name == "low" || name == "below") return Side::Low;
    return name == "high" || name == "above" ? Side::High : Side::Both;
}

Scope scope_named(const std::string& name) {
    if (name == "card") return Scope::Card;
    return name == "chip" ? Scope::Chip : Scope::Core;
}

/// "IADD3" of "IADD3.X" and of "LDG.32 uniform".
std::string mnemonic_of(const std::string& instruction) {
    return instruction.substr(0, instruction.find_first_of(". /("));
}

Result<std::vector<Tolerance>> read_tolerances(const std::filesystem::path& path) {
    const auto records = read_table(
        path, {"tolerance", "below", "below-percent", "above", "above-percent", "reason"});
    if (!records) return records.as_failure();
    std::vector<Tolerance> tolerances;
    for (const Record& record : records.value()) {
        const auto number = [&](std::string_view column) {
            return number_of(record.find(column)->second).value_or(0);
        };
        tolerances.push_back({record.at("tolerance"), number("below"), number("below-percent"),
                              number("above"), number("above-percent"), record.at("reason")});
    }
    return tolerances;
}

Result<std::vector<Rule>> read_rules(const std::filesystem::path& path,
                                     const std::vector<Tolerance>& tolerances) {
    const auto records =
        read_table(path, {"kind", "instruction", "condition", "sm", "grade", "path", "scope",
                          "form", "factor", "side", "tolerance", "reason"});
    if (!records) return records.as_failure();
    std::vector<Rule> rules;
    for (const Record& record : records.value()) {
        const auto pattern = [&](std::string_view column) {
            return std::regex{record.find(column)->second};
        };
        Rule rule{.kind = whole(record.at("kind")),
                  .instruction = pattern("instruction"),
                  .condition = pattern("condition"),
                  .sm = pattern("sm"),
                  .grade = pattern("grade"),
                  .path = record.at("path"),
                  .scope = scope_named(record.at("scope")),
                  .form = record.at("form"),
                  .factor = number_of(record.at("factor")).value_or(1),
                  .side = side_named(record.at("side")),
                  .tolerance = {},
                  .reason = record.at("reason")};
        const auto tolerance =
            std::ranges::find(tolerances, record.at("tolerance"), &Tolerance::name);
        if (rule.path != "-" && tolerance == tolerances.end())
            return Failure{fmt::format("no tolerance '{}'", record.at("tolerance")), path.string(),
                           static_cast<int>(rules.size()) + 2};
        if (rule.path != "-") rule.tolerance = *tolerance;
        rules.push_back(std::move(rule));
    }
    return rules;
}

Result<std::vector<Exception>> read_exceptions(const std::filesystem::path& path) {
    const auto records = read_table(
        path, {"machine", "path", "device", "kind", "instruction", "condition", "side", "reason"});
    if (!records) return records.as_failure();
    std::vector<Exception> exceptions;
    for (const Record& record : records.value()) {
        const auto pattern = [&](std::string_view column) {
            return std::regex{record.find(column)->second};
        };
        exceptions.push_back({pattern("machine"), pattern("path"), pattern("device"),
                              whole(record.at("kind")), pattern("instruction"),
                              pattern("condition"), side_named(record.at("side")),
                              record.at("reason")});
    }
    return exceptions;
}

Result<std::vector<Machine>> read_machines(const std::filesystem::path& path,
                                           const std::filesystem::path& descriptions) {
    const auto records = read_table(path, {"machine", "chip", "card"});
    if (!records) return records.as_failure();
    std::vector<Machine> machines;
    for (const Record& record : records.value()) {
        const auto text = assembly::read_source(descriptions / (record.at("machine") + ".xml"));
        if (!text) return text.as_failure();
        auto read = models::read_architecture(text.value());
        if (!read) return read.as_failure();
        machines.push_back(
            {std::move(read).value(), record.at("chip"), std::regex{record.at("card")}});
    }
    return machines;
}

/// Without the words that a vendor puts before the name of a card.
std::string card_name(std::string device) {
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view word : {"NVIDIA ", "GeForce ", "Tesla "})
            if (device.starts_with(word)) {
                device.erase(0, word.size());
                again = true;
            }
    }
    return device;
}

} // namespace

Result<std::vector<Row>> read_rows(const std::filesystem::path& path) {
    const auto records =
        read_table(path, {"device", "sm", "kind", "condition", "value", "unit", "source", "grade"});
    if (!records) return records.as_failure();
    std::vector<Row> rows;
    for (const Record& record : records.value()) {
        const auto instruction = record.contains("instruction")
                                     ? record.find("instruction")
                                     : record.find("instruction_or_kernel");
        if (instruction == record.end())
            return Failure{"no column 'instruction'", path.string(), 1};
        const auto value = number_of(record.at("value"));
        if (!value)
            return Failure{fmt::format("'{}' is no number", record.at("value")), path.string(),
                           static_cast<int>(rows.size()) + 2};
        rows.push_back({card_name(record.at("device")), record.at("sm"), record.at("kind"),
                        instruction->second, record.at("condition"), record.at("unit"),
                        record.at("source"), record.at("grade"), *value});
    }
    return rows;
}

Result<Mapping> read_mapping(const std::filesystem::path& tables,
                             const std::filesystem::path& descriptions) {
    Mapping mapping;
    auto machines = read_machines(tables / "machines.csv", descriptions);
    if (!machines) return machines.as_failure();
    mapping.machines = std::move(machines).value();
    const auto chips = read_table(tables / "chips.csv", {"device", "chip"});
    if (!chips) return chips.as_failure();
    for (const Record& record : chips.value())
        mapping.chips.emplace_back(std::regex{record.at("device")}, record.at("chip"));
    const auto tolerances = read_tolerances(tables / "tolerances.csv");
    if (!tolerances) return tolerances.as_failure();
    auto rules = read_rules(tables / "rules.csv", tolerances.value());
    if (!rules) return rules.as_failure();
    mapping.rules = std::move(rules).value();
    auto exceptions = read_exceptions(tables / "exceptions.csv");
    if (!exceptions) return exceptions.as_failure();
    mapping.exceptions = std::move(exceptions).value();
    return mapping;
}

std::optional<Scope> shared_scope(const Mapping& mapping, const Machine& machine, const Row& row) {
    if (found_in(row.device, machine.card)) return Scope::Card;
    if (const auto chip = chip_of(mapping, row.device); !chip.empty() && chip == machine.chip)
        return Scope::Chip;
    if (to_string(machine.description.target) == row.sm) return Scope::Core;
    return std::nullopt;
}

std::variant<Match, std::string> match(const Mapping& mapping, const Row& row) {
    const auto rule = std::ranges::find_if(mapping.rules, [&](const Rule& each) {
        return found_in(row.kind, each.kind) && found_in(row.instruction, each.instruction) &&
               found_in(row.condition, each.condition) && found_in(row.sm, each.sm) &&
               found_in(row.grade, each.grade);
    });
    const bool family = std::ranges::any_of(mapping.machines, [&](const Machine& machine) {
        return to_string(machine.description.target) == row.sm;
    });
    if (!family) return fmt::format("no machine of {} is described", row.sm);
    if (rule == mapping.rules.end())
        return fmt::format("no rule for a {} in {}", row.kind, row.unit);
    if (rule->path == "-") return rule->reason;
    Match found{.rule = &*rule, .path = rule->path, .machines = {}};
    if (const auto at = found.path.find("{class}"); at != std::string::npos) {
        const auto opcode = assembly::find_opcode(mnemonic_of(row.instruction));
        if (!opcode || opcode->opcode_class == assembly::OpcodeClass::Unknown)
            return fmt::format("no opcode class for {}", mnemonic_of(row.instruction));
        found.path.replace(at, 7, assembly::to_string(opcode->opcode_class));
    }
    for (const Machine& machine : mapping.machines)
        if (const auto scope = shared_scope(mapping, machine, row); scope && *scope >= rule->scope)
            found.machines.push_back(&machine);
    if (found.machines.empty())
        return std::string{
            rule->scope == Scope::Card
                ? "another card of a described family: sizes, bandwidths and launches"
                : "another chip of a described family: L2, DRAM"};
    return found;
}

} // namespace warpbound::silicon
