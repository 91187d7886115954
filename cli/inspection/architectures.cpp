/// \file
/// `warpbound architectures`: lists, shows, compares and imports machine descriptions.

#include "assembly/amd/processor.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "harness/calibration/topology.hpp"
#include "models/architecture/coverage.hpp"
#include "models/architecture/difference.hpp"
#include "models/architecture/library.hpp"
#include "models/architecture/self_check.hpp"
#include "models/architecture/shipped.hpp"
#include "models/architecture/value_path.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace warpbound::cli {

namespace {

struct ArchitecturesOptions {
    std::string name;
    std::string other; ///< To compare with.
    std::string format = "text";
    std::string topology; ///< File to import.
    std::string target;
    std::string base;
    std::string output;
    std::string new_name;
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
    if (value.measured != models::MeasuredOn::Nothing)
        json["measured"] = models::to_string(value.measured);
    if (!value.reason.empty()) json["reason"] = value.reason;
    return json;
}

/// Every group of a description with its heading.
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
        "{}: {}\n  target {}, issue control {}\n  digest {}\n  {}\n",
        models::name_with_standing(architecture), architecture.title,
        to_string(architecture.target),
        architecture.issue_control == models::IssueControl::Encoded ? "encoded" : "interlocked",
        architecture.digest, models::to_string(models::coverage_of(architecture)));
    for (const std::string& contradiction : models::self_check(architecture))
        out += fmt::format("  contradiction: {}\n", contradiction);
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
    return json_text("architecture",
                     {{"name", architecture.name},
                      {"title", architecture.title},
                      {"target", to_string(architecture.target)},
                      {"digest", architecture.digest},
                      {"coverage", models::to_string(models::coverage_of(architecture))},
                      {"contradictions", models::self_check(architecture)},
                      {"groups", groups}});
}

std::string side_text(const models::SourcedValue* value) {
    if (value == nullptr) return "not described";
    return fmt::format("{} {}, {}: {}{}{}", interval_text(*value), value->unit,
                       models::to_string(value->grade), value->source,
                       value->reason.empty() ? "" : "; ", value->reason);
}

std::string difference_text(const models::Architecture& a, const models::Architecture& b,
                            const models::Differences& found) {
    if (found.properties.empty() && found.values.empty())
        return fmt::format("{} and {} describe the same machine\n", a.name, b.name);
    std::string out = fmt::format("- {}: {}\n+ {}: {}\n", a.name, a.title, b.name, b.title);
    for (const auto& [path, before, after] : found.properties)
        out +=
            fmt::format("\n{}\n  - {}\n  + {}\n", path, before.empty() ? "not described" : before,
                        after.empty() ? "not described" : after);
    std::string sources;
    for (const auto& value : found.values)
        (value.of_source_only() ? sources : out) += fmt::format(
            "\n{}\n  - {}\n  + {}\n", value.path, side_text(value.a), side_text(value.b));
    if (!sources.empty()) out += "\nthe same number from another source\n" + sources;
    return out;
}

std::string difference_json(const models::Architecture& a, const models::Architecture& b,
                            const models::Differences& found) {
    const auto side = [](const models::SourcedValue* value) {
        return value == nullptr ? Json() : value_json(*value);
    };
    const auto identity = [](const models::Architecture& machine) {
        return Json{{"name", machine.name}, {"digest", machine.digest}};
    };
    Json properties = Json::array();
    for (const auto& [path, before, after] : found.properties)
        properties.push_back({{"path", path},
                              {"a", before.empty() ? Json() : Json(before)},
                              {"b", after.empty() ? Json() : Json(after)}});
    Json values = Json::array();
    for (const auto& value : found.values)
        values.push_back({{"path", value.path},
                          {"a", side(value.a)},
                          {"b", side(value.b)},
                          {"source-only", value.of_source_only()}});
    return json_text(
        "architecture-difference",
        {{"a", identity(a)}, {"b", identity(b)}, {"properties", properties}, {"values", values}});
}

Exit compare(const ArchitecturesOptions& options) {
    const auto a = models::load_architecture(options.name);
    if (!a) return refuse(a.error());
    const auto b = models::load_architecture(options.other);
    if (!b) return refuse(b.error());
    const auto found = models::differences(a.value(), b.value());
    return write_result(options.format == "json" ? difference_json(a.value(), b.value(), found)
                                                 : difference_text(a.value(), b.value(), found));
}

Exit run(const ArchitecturesOptions& options) {
    if (!options.other.empty()) return compare(options);
    if (!options.name.empty()) {
        const auto architecture = models::load_architecture(options.name);
        if (!architecture) return refuse(architecture.error());
        suggest(fmt::format("warpbound bound FILE --gpu {} --grid 64 --block 256",
                            shell_word(options.name)));
        return write_result(options.format == "json" ? show_json(architecture.value())
                                                     : show_text(architecture.value()));
    }
    Json list = Json::array();
    std::string text;
    for (const auto& entry : models::list_architectures()) {
        const auto architecture = models::load_architecture(entry);
        if (!architecture) return refuse(architecture.error());
        list.push_back({{"name", entry.name},
                        {"title", architecture.value().title},
                        {"target", to_string(architecture.value().target)},
                        {"digest", architecture.value().digest}});
        suggest(fmt::format("warpbound architectures {}", entry.name));
        text += fmt::format("{:<18} {:<7} {}\n", entry.name, to_string(architecture.value().target),
                            architecture.value().title);
    }
    return write_result(
        options.format == "json" ? json_text("architectures", {{"architectures", list}}) : text);
}

Result<harness::TopologyRequest> request_of(const ArchitecturesOptions& options) {
    harness::TopologyRequest request;
    request.name = !options.new_name.empty()
                       ? options.new_name
                       : std::filesystem::path{options.output}.stem().string();
    if (!options.target.empty()) {
        request.target = assembly::parse_target(options.target);
        if (!request.target) request.target = assembly::amd::parse_processor(options.target);
        if (!request.target)
            return Failure{fmt::format("'{}' is no target; expected one such as sm_80, or of {}",
                                       options.target, assembly::amd::list_of_processors()),
                           "--target"};
    }
    if (!options.base.empty()) {
        auto base = models::load_architecture(options.base);
        if (!base) return base.as_failure();
        request.base = std::move(base).value();
    }
    return request;
}

std::string import_text(const harness::ImportedTopology& imported) {
    std::string out = fmt::format("{}, {}: {} values\n", imported.machine.title,
                                  to_string(imported.machine.target), imported.taken.size());
    for (const std::string& path : imported.taken) {
        const auto* const value = models::find_value(imported.machine, path);
        out += fmt::format("  {:<32} {:>30} {:<8} {}\n", path, interval_text(*value), value->unit,
                           value->reason);
    }
    if (!imported.left_out.empty()) out += "\nleft out\n";
    for (const auto& [field, why] : imported.left_out)
        out += fmt::format("  {}: {}\n", field, why);
    return out;
}

Exit import_file(const ArchitecturesOptions& options) {
    if (options.output == "-") {
        say("warpbound: the values are on standard output; expected the name of a file after -o\n");
        return Exit::Usage;
    }
    if (auto checked = check_output(options.output, options.topology); !checked)
        return refuse(checked.error());
    const auto request = request_of(options);
    if (!request) return refuse(request.error());
    const auto file = assembly::read_source(options.topology);
    if (!file) return refuse(file.error());
    const auto imported = harness::import_topology(file.value(), request.value());
    if (!imported) return refuse(imported.error());
    const std::string text = models::write_architecture(imported.value().machine);
    const auto back = models::read_architecture({options.output, text});
    if (!back)
        return refuse({"the description does not read back: " + back.error().what, options.output});
    const Exit written = write_result(text, options.output);
    if (written != Exit::Holds) return written;
    suggest(fmt::format("warpbound architectures {}", shell_word(options.output)));
    return write_result(import_text(imported.value()));
}

void add_import(CLI::App& command, Invocation& invocation) {
    auto options = std::make_shared<ArchitecturesOptions>();
    CLI::App* part = command.add_subcommand(
        "import", "Write a description from the JSON that mt4g measured on a card");
    part->add_option("FILE", options->topology, "JSON of mt4g")->required();
    part->add_option("-o,--output", options->output, "Description to write")->required();
    CLI::Option* target = part->add_option("--target", options->target,
                                           "Target of the card; needed of AMD's, such as gfx90a");
    part->add_option("--base", options->base,
                     "Description with the values that the file does not have; else unknown")
        ->excludes(target);
    part->add_option("--name", options->new_name,
                     "Name of the description (default: of the file that is written)");
    part->callback(
        [options, &invocation] { invocation.run = [options] { return import_file(*options); }; });
}

} // namespace

void add_architectures(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<ArchitecturesOptions>();
    CLI::App* command = app.add_subcommand(
        "architectures", "List the described machines, show one with its sources, or compare two");
    CLI::Option* name =
        command->add_option("NAME", options->name, "Name from the list, or a description file");
    command
        ->add_option("--diff", options->other,
                     "Compare with this description: every value that differs, with both sources")
        ->needs(name);
    add_format(*command, options->format, {"text", "json"});
    command->footer(
        "Examples: warpbound architectures fermi-gtx470\n"
        "          warpbound architectures fermi-gtx470 --diff card.xml\n"
        "          warpbound architectures import mt4g.json --target gfx90a -o card.xml");
    add_import(*command, invocation);
    command->callback([options, command, &invocation] {
        if (!command->get_subcommands().empty()) return;
        invocation.run = [options] { return run(*options); };
    });
}

} // namespace warpbound::cli
