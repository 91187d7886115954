/// \file
/// `warpbound architectures`: which machines are described, and what a description says.

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

namespace {

struct Options {
    std::string name;
    std::string format = "text";
};

std::string interval_text(const models::SourcedValue& value) {
    if (!value.interval) return "unknown";
    const models::Interval& interval = *value.interval;
    if (interval.is_exact()) return fmt::format("{}", interval.lo);
    if (interval.typical)
        return fmt::format("{}..{} (typical {})", interval.lo, interval.hi, *interval.typical);
    return fmt::format("{}..{}", interval.lo, interval.hi);
}

Json value_json(const models::SourcedValue& value) {
    Json json{{"name", value.name}, {"unit", value.unit}};
    if (value.interval) {
        json["lo"] = value.interval->lo;
        if (value.interval->typical) json["typical"] = *value.interval->typical;
        json["hi"] = value.interval->hi;
    }
    json["grade"] = models::to_string(value.grade);
    json["source"] = value.source;
    if (!value.reason.empty()) json["reason"] = value.reason;
    return json;
}

/// Every group of a description with the heading it is shown under.
std::vector<std::pair<std::string, const models::ValueGroup*>>
groups_of(const models::Architecture& architecture) {
    auto groups = models::value_groups(architecture);
    for (auto& [heading, group] : groups)
        for (const auto& [opcode_class, timing] : architecture.classes)
            if (group == &timing.values) heading += fmt::format(" (unit {})", timing.unit);
    return groups;
}

std::string show_text(const models::Architecture& architecture) {
    std::string out = fmt::format(
        "{}: {}\n  target {}, issue control {}\n  digest {}\n", architecture.name,
        architecture.title, to_string(architecture.target),
        architecture.issue_control == models::IssueControl::Encoded ? "encoded" : "interlocked",
        architecture.digest);
    for (const auto& [heading, group] : groups_of(architecture)) {
        if (group->values.empty()) continue;
        out += fmt::format("\n{}\n", heading);
        for (const auto& value : group->values) {
            out +=
                fmt::format("  {:<20} {:>24} {:<9} {:<14} {}\n", value.name, interval_text(value),
                            value.unit, models::to_string(value.grade), value.source);
            if (!value.reason.empty()) out += fmt::format("  {:<20} {}\n", "", value.reason);
        }
    }
    return out;
}

std::string show_json(const models::Architecture& architecture) {
    Json groups = Json::array();
    for (const auto& [heading, group] : groups_of(architecture)) {
        Json values = Json::array();
        for (const auto& value : group->values)
            values.push_back(value_json(value));
        groups.push_back({{"group", heading}, {"values", values}});
    }
    return Json{{"name", architecture.name},
                {"title", architecture.title},
                {"target", to_string(architecture.target)},
                {"digest", architecture.digest},
                {"groups", groups}}
               .dump(2) +
           "\n";
}

Exit run(const Options& options) {
    if (!options.name.empty()) {
        const auto architecture = models::load_architecture(options.name);
        if (!architecture) return refuse(architecture.error());
        return write_result(options.format == "json" ? show_json(architecture.value())
                                                     : show_text(architecture.value()));
    }
    Json list = Json::array();
    std::string text;
    for (const auto& entry : models::list_architectures()) {
        const auto architecture = models::load_architecture(entry.path.string());
        if (!architecture) return refuse(architecture.error());
        list.push_back({{"name", entry.name},
                        {"title", architecture.value().title},
                        {"target", to_string(architecture.value().target)},
                        {"digest", architecture.value().digest}});
        text += fmt::format("{:<18} {:<7} {}\n", entry.name, to_string(architecture.value().target),
                            architecture.value().title);
    }
    return write_result(options.format == "json" ? list.dump(2) + "\n" : text);
}

} // namespace

void add_architectures(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "architectures", "List the described machines, or show one with its sources");
    command->add_option("NAME", options->name, "Name from the list, or a description file");
    add_format(*command, options->format, {"text", "json"});
    command->footer("Example: warpbound architectures fermi-gtx470");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
