#include "harness/hypotheses/recording.hpp"

#include "harness/json_fields.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace warpbound::harness::hypotheses {

namespace {

using Json = nlohmann::ordered_json;
using models::HostOperationKind;

constexpr const char* form = "warpbound-observed-workloads/1";
constexpr std::int64_t most_amount = std::int64_t{1} << 40U;

constexpr std::array limit_names{
    std::pair{"multiprocessors", &MultiprocessorLimits::multiprocessors},
    std::pair{"threads", &MultiprocessorLimits::threads},
    std::pair{"blocks", &MultiprocessorLimits::blocks},
    std::pair{"registers", &MultiprocessorLimits::registers},
    std::pair{"shared-memory", &MultiprocessorLimits::shared_memory},
    std::pair{"device-threads", &MultiprocessorLimits::device_threads}};

Json json_of(const TimeRange& range) {
    return Json::array({range.earliest, range.latest});
}

Json json_of(const ObservedOperation& operation) {
    Json json{{"kind", to_string(operation.kind)}, {"name", operation.name}};
    json["stream"] = operation.stream ? Json(*operation.stream) : Json(nullptr);
    if (operation.priority != 0) json["priority"] = operation.priority;
    if (!operation.partition.empty()) json["partition"] = operation.partition;
    json["issued"] = json_of(operation.issued);
    if (!operation.is_launch()) {
        json["begin"] = json_of(operation.begin);
        json["end"] = json_of(operation.end);
        return json;
    }
    json["ended-by"] = operation.end.latest;
    json["threads"] = operation.threads;
    if (operation.shared_memory) json["shared-memory"] = *operation.shared_memory;
    if (operation.registers) json["registers"] = *operation.registers;
    Json blocks = Json::array();
    for (const ObservedBlock& block : operation.blocks) {
        Json one = Json::array({block.begin, block.end, block.multiprocessor});
        if (block.longest_gap) one.push_back(*block.longest_gap);
        blocks.push_back(std::move(one));
    }
    json["blocks"] = std::move(blocks);
    return json;
}

Json json_of(const ObservedWorkload& run) {
    Json json{{"experiment", run.experiment},
              {"unit", to_string(run.unit)},
              {"resolution", run.resolution},
              {"latency", run.latency}};
    if (run.calls_in_order) json["calls-in-order"] = true;
    if (run.interruption) json["interruption"] = *run.interruption;
    if (run.copy_engines) json["copy-engines"] = *run.copy_engines;
    Json limits = Json::object();
    for (const auto& [name, member] : limit_names)
        if (run.limits.*member) limits[name] = *(run.limits.*member);
    json["limits"] = std::move(limits);
    json["operations"] = Json::array();
    for (const ObservedOperation& operation : run.operations)
        json["operations"].push_back(json_of(operation));
    return json;
}

std::int64_t time_of(const JsonField& field) {
    return field.integer(-largest_time, largest_time);
}

TimeRange range_of(const JsonField& field) {
    return {time_of(field.item(0)), time_of(field.item(1))};
}

std::optional<std::int64_t> amount_of(const JsonField& field, std::string_view name) {
    if (!field.has(name)) return std::nullopt;
    return field.member(name).integer(0, most_amount);
}

std::vector<ObservedBlock> recorded_blocks(const JsonField& field) {
    std::vector<ObservedBlock> blocks(field.size());
    for (std::size_t number = 0; number < blocks.size() && !field.failed(); ++number) {
        const JsonField one = field.item(number);
        blocks[number] = {time_of(one.item(0)), time_of(one.item(1)),
                          one.item(2).integer(0, most_amount)};
        if (one.size() > 3) blocks[number].longest_gap = one.item(3).integer(0, largest_time);
    }
    return blocks;
}

ObservedOperation operation_of(const JsonField& field) {
    ObservedOperation operation;
    const JsonField kind = field.member("kind");
    const std::string stated = kind.text();
    using enum HostOperationKind;
    bool known = false;
    for (const HostOperationKind one : {Launch, CopyToDevice, CopyToHost})
        if (stated == models::to_string(one)) {
            operation.kind = one;
            known = true;
        }
    if (!known) kind.fail("expected launch, host-to-device or device-to-host");
    operation.name = field.member("name").text();
    if (const JsonField stream = field.member("stream"); !stream.is_null())
        operation.stream = static_cast<std::size_t>(stream.integer(0, 1 << 20));
    if (field.has("priority"))
        operation.priority = static_cast<int>(field.member("priority").integer(-1000, 1000));
    if (field.has("partition")) operation.partition = field.member("partition").text();
    operation.issued = range_of(field.member("issued"));
    if (!operation.is_launch()) {
        operation.begin = range_of(field.member("begin"));
        operation.end = range_of(field.member("end"));
        return operation;
    }
    operation.end.latest = time_of(field.member("ended-by"));
    operation.threads = field.member("threads").integer(1, 1 << 20);
    operation.shared_memory = amount_of(field, "shared-memory");
    if (field.has("registers")) operation.registers = field.member("registers").integer(0, 1 << 20);
    operation.blocks = recorded_blocks(field.member("blocks"));
    return operation;
}

ObservedWorkload run_of(const JsonField& field) {
    ObservedWorkload run;
    run.experiment = field.member("experiment").text();
    const std::string unit = field.member("unit").text();
    if (unit != "cycles" && unit != "ns") field.member("unit").fail("expected cycles or ns");
    run.unit = unit == "ns" ? TimeUnit::Nanoseconds : TimeUnit::Cycles;
    run.resolution = field.member("resolution").integer(0, largest_time);
    run.latency = field.member("latency").integer(0, largest_time);
    if (field.has("calls-in-order")) run.calls_in_order = field.member("calls-in-order").boolean();
    if (field.has("interruption"))
        run.interruption = field.member("interruption").integer(0, largest_time);
    if (field.has("copy-engines"))
        run.copy_engines = static_cast<int>(field.member("copy-engines").integer(1, 64));
    const JsonField limits = field.member("limits");
    for (const auto& [name, member] : limit_names)
        run.limits.*member = amount_of(limits, name);
    const JsonField operations = field.member("operations");
    if (operations.size() > most_operations)
        operations.fail(fmt::format("more than {} operations", most_operations));
    for (std::size_t i = 0; !operations.failed() && i < operations.size(); ++i)
        run.operations.push_back(operation_of(operations.item(i)));
    if (field.failed()) return run;
    if (const auto completed = complete(run); !completed) operations.fail(completed.error().what);
    return run;
}

} // namespace

std::string write_recording(const Recording& recording) {
    Json json{{"schema", form}, {"device", recording.device}, {"detail", recording.detail}};
    json["notes"] = recording.notes;
    json["not-run"] = Json::array();
    for (const NotRun& one : recording.not_run)
        json["not-run"].push_back({{"experiment", one.experiment}, {"reason", one.reason}});
    json["runs"] = Json::array();
    for (const ObservedWorkload& run : recording.runs)
        json["runs"].push_back(json_of(run));
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Recording> read_recording(const assembly::SourceText& source) {
    const auto document = parse_json(source);
    if (!document) return document.as_failure();
    std::optional<Failure> failure;
    const JsonField root{document.value(), "", failure};
    Recording recording;
    if (root.member("schema").text() != form)
        root.fail(fmt::format("no recording of experiments; expected the schema {}", form));
    recording.device = root.member("device").text();
    recording.detail = root.member("detail").text();
    const JsonField notes = root.member("notes");
    for (std::size_t i = 0; i < notes.size(); ++i)
        recording.notes.push_back(notes.item(i).text());
    const JsonField not_run = root.member("not-run");
    for (std::size_t i = 0; i < not_run.size(); ++i)
        recording.not_run.push_back(
            {not_run.item(i).member("experiment").text(), not_run.item(i).member("reason").text()});
    const JsonField runs = root.member("runs");
    for (std::size_t i = 0; !failure && i < runs.size(); ++i)
        recording.runs.push_back(run_of(runs.item(i)));
    if (!failure) return recording;
    failure->where = source.name;
    return *failure;
}

} // namespace warpbound::harness::hypotheses
