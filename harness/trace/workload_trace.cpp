#include "harness/trace/workload_trace.hpp"

#include "assembly/support/printable.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace warpbound::harness::trace {

namespace {

using Json = nlohmann::ordered_json;
using models::HostOperation;
using models::HostOperationKind;

constexpr int streams_process = 1;
constexpr int engines_process = 2;

Json name_record(std::string_view what, int process, std::size_t track, std::string_view name) {
    return {
        {"name", what}, {"ph", "M"}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

Json slice(std::string_view name, std::string_view category, std::int64_t from, std::int64_t to,
           int process, std::size_t track) {
    return {{"name", name},     {"cat", category}, {"ph", "X"},   {"ts", from},
            {"dur", to - from}, {"pid", process},  {"tid", track}};
}

/// Track within the engines' process.
std::size_t engine_track(HostOperationKind kind) {
    return static_cast<std::size_t>(kind);
}

/// "a", or "NULL".
std::string_view stream_name(const TracedWorkload& workload, const HostOperation& operation) {
    return operation.stream ? std::string_view{workload.streams[*operation.stream]}
                            : std::string_view{"NULL"};
}

} // namespace

std::string csv_of(const TracedWorkload& workload) {
    std::string out = "operation,kind,stream,issued,queued,started,dispatched,ended\n";
    const auto quoted = [](std::string_view text) {
        std::string in_quotes{'"'};
        for (const char character : without_formula(text)) {
            if (character == '"') in_quotes += '"';
            in_quotes += character;
        }
        return in_quotes + '"';
    };
    for (std::size_t index = 0; index < workload.operations.size(); ++index) {
        const HostOperation& operation = workload.operations[index];
        const OperationTimes& times = workload.times[index];
        out +=
            fmt::format("{},{},{},{},{},{},{},{}\n", quoted(operation.name),
                        to_string(operation.kind), quoted(stream_name(workload, operation)),
                        times.issued, times.queued, times.started, times.dispatched, times.ended);
    }
    return out;
}

std::string chrome_trace_of(const TracedWorkload& workload) {
    Json events = Json::array();
    events.push_back(name_record("process_name", streams_process, 0, "streams"));
    for (std::size_t stream = 0; stream < workload.streams.size(); ++stream)
        events.push_back(name_record("thread_name", streams_process, stream + 1,
                                     "stream " + workload.streams[stream]));
    events.push_back(name_record("thread_name", streams_process, 0, "NULL stream"));
    events.push_back(name_record("process_name", engines_process, 0, "engines"));
    events.push_back(name_record("thread_name", engines_process, 0, "execution queue"));
    events.push_back(name_record("thread_name", engines_process, 1, "copies to the device"));
    events.push_back(name_record("thread_name", engines_process, 2, "copies to the host"));
    for (std::size_t index = 0; index < workload.operations.size(); ++index) {
        const HostOperation& operation = workload.operations[index];
        const OperationTimes& times = workload.times[index];
        const std::size_t track = operation.stream ? *operation.stream + 1 : 0;
        const auto wait = [&](std::string_view what, std::int64_t from, std::int64_t to) {
            if (to > from)
                events.push_back(slice(fmt::format("{}: {}", operation.name, what), "wait", from,
                                       to, streams_process, track));
        };
        // Before that, the track shows the operation for which it waits.
        wait("in queue", times.queued, times.started);
        events.push_back(slice(operation.name, to_string(operation.kind), times.started,
                               times.ended, streams_process, track));
        if (operation.kind != HostOperationKind::Launch) {
            events.push_back(slice(operation.name, to_string(operation.kind), times.started,
                                   times.ended, engines_process, engine_track(operation.kind)));
            continue;
        }
        // Several launches wait at once: asynchronous slices are drawn on separate lines.
        for (const auto& [phase, time] :
             {std::pair{"b", times.queued}, std::pair{"e", times.dispatched}})
            events.push_back({{"name", operation.name},
                              {"cat", to_string(operation.kind)},
                              {"ph", phase},
                              {"id", index},
                              {"ts", time},
                              {"pid", engines_process},
                              {"tid", engine_track(operation.kind)}});
    }
    const Json document{{"displayTimeUnit", "ms"},
                        {"otherData",
                         {{"workload", workload.name},
                          {"machine", workload.machine},
                          {"time", "one core cycle is one microsecond"}}},
                        {"traceEvents", events}};
    return document.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace warpbound::harness::trace
