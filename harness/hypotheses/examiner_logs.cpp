#include "harness/hypotheses/examiner_logs.hpp"

#include "harness/hypotheses/recording.hpp"
#include "harness/json_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace warpbound::harness::hypotheses {

namespace {

/// A log as read.
struct Log {
    std::string scenario;
    std::string label;
    std::int64_t process = 0;
    std::int64_t resident_threads = 0;
    std::vector<ObservedOperation> kernels;
};

/// Seconds in the log.
std::int64_t nanoseconds(const JsonField& field) {
    constexpr double most_seconds = 1e8;
    const double seconds = field.number();
    if (std::abs(seconds) <= most_seconds) return std::llround(seconds * 1e9);
    field.fail("expected seconds from the start of the run");
    return 0;
}

/// A number, or up to three of which it is the product.
std::int64_t count_of(const JsonField& field) {
    constexpr std::int64_t most = 1 << 30;
    if (!field.is_array()) return field.integer(1, most);
    if (field.size() < 1 || field.size() > 3) field.fail("expected one to three numbers");
    std::int64_t product = 1;
    for (std::size_t i = 0; i < field.size() && !field.failed(); ++i) {
        product *= field.item(i).integer(1, most);
        if (product > most) field.fail("too large a number");
    }
    return product;
}

std::vector<ObservedBlock> blocks_of(const JsonField& entry) {
    const JsonField times = entry.member("block_times");
    const JsonField multiprocessors = entry.member("block_smids");
    if (times.size() == 0 || times.size() != 2 * multiprocessors.size())
        times.fail("expected two times for each item of block_smids, at least two");
    std::vector<ObservedBlock> blocks;
    for (std::size_t i = 0; !times.failed() && i < multiprocessors.size(); ++i) {
        blocks.push_back({nanoseconds(times.item(2 * i)), nanoseconds(times.item(2 * i + 1)),
                          multiprocessors.item(i).integer(0, 1 << 20)});
        if (blocks.back().end < blocks.back().begin)
            times.item(2 * i + 1).fail("the block ends before it begins");
    }
    return blocks;
}

/// `whole`: the log, whose head may state what the entry leaves out.
ObservedOperation kernel_of(const JsonField& entry, const JsonField& whole) {
    const auto stated = [&](std::string_view key) {
        return entry.has(key) ? entry.member(key) : whole.member(key);
    };
    ObservedOperation kernel;
    kernel.blocks = blocks_of(entry);
    kernel.threads = count_of(stated("thread_count"));
    if (entry.has("block_count") &&
        count_of(entry.member("block_count")) != static_cast<std::int64_t>(kernel.blocks.size()))
        entry.member("block_count").fail("disagrees with the number of block_smids");
    if (entry.has("shared_memory"))
        kernel.shared_memory = entry.member("shared_memory").integer(0, 1 << 30);
    const JsonField calls =
        entry.member(entry.has("cuda_launch_times") ? "cuda_launch_times" : "kernel_launch_times");
    kernel.issued = {nanoseconds(calls.item(0)), nanoseconds(calls.item(1))};
    if (kernel.issued.latest < kernel.issued.earliest) calls.fail("the call ends before it begins");
    // 0: the host did not wait for this kernel.
    if (calls.size() > 2) kernel.end.latest = nanoseconds(calls.item(2));
    if (entry.has("kernel_name")) kernel.name = entry.member("kernel_name").text();
    return kernel;
}

Result<Log> read_log(const assembly::SourceText& source) {
    const auto document = parse_json(source);
    if (!document) return document.as_failure();
    std::optional<Failure> failure;
    const JsonField whole{document.value(), "", failure};
    Log log;
    log.scenario = whole.member("scenario_name").text();
    log.label =
        whole.has("label") ? whole.member("label").text() : whole.member("benchmark_name").text();
    if (whole.has("PID")) log.process = whole.member("PID").integer(0, INT32_MAX);
    log.resident_threads = whole.member("max_resident_threads").integer(1, 1 << 30);
    const JsonField times = whole.member("times");
    for (std::size_t i = 0; i < times.size() && !failure; ++i) {
        const JsonField entry = times.item(i);
        if (!entry.is_object()) entry.fail("expected an object");
        if (!entry.has("block_times")) continue;
        if (log.kernels.size() >= most_operations) times.fail("more than 1024 kernels");
        ObservedOperation kernel = kernel_of(entry, whole);
        if (kernel.name.empty()) kernel.name = fmt::format("kernel {}", log.kernels.size() + 1);
        kernel.name = fmt::format("{}/{}", log.label, kernel.name);
        log.kernels.push_back(std::move(kernel));
    }
    if (!failure && log.kernels.empty()) times.fail("no entry has block_times");
    if (!failure) return log;
    failure->where = source.name;
    return *failure;
}

} // namespace

Result<std::vector<ObservedWorkload>>
read_examiner_logs(const std::vector<assembly::SourceText>& logs, const ExaminerOptions& options) {
    struct Scenario {
        ObservedWorkload workload;
        std::int64_t process = 0;
        std::size_t streams = 0;
    };
    std::vector<Scenario> scenarios;
    for (const assembly::SourceText& source : logs) {
        auto read = read_log(source);
        if (!read) return read.as_failure();
        Log& log = read.value();
        auto scenario = std::find_if(scenarios.begin(), scenarios.end(), [&](const Scenario& one) {
            return one.workload.experiment == log.scenario;
        });
        if (scenario == scenarios.end()) {
            scenario = scenarios.insert(scenario, Scenario{});
            scenario->process = log.process;
            ObservedWorkload& workload = scenario->workload;
            workload.experiment = log.scenario;
            workload.unit = TimeUnit::Nanoseconds;
            workload.resolution = options.resolution;
            workload.latency = options.latency;
            workload.limits.device_threads = log.resident_threads;
            workload.limits.multiprocessors = options.multiprocessors;
            if (options.multiprocessors)
                workload.limits.threads = log.resident_threads / *options.multiprocessors;
        }
        ObservedWorkload& workload = scenario->workload;
        if (scenario->process != log.process)
            return Failure{fmt::format("/PID: {}, and another log of '{}' has {}; expected logs of "
                                       "one process, whose kernels share an execution queue",
                                       log.process, log.scenario, scenario->process),
                           source.name};
        if (workload.limits.device_threads != log.resident_threads)
            return Failure{fmt::format("/max_resident_threads: {}, and another log of '{}' has {}",
                                       log.resident_threads, log.scenario,
                                       *workload.limits.device_threads),
                           source.name};
        const auto priority = options.priorities.find(log.label);
        for (ObservedOperation& kernel : log.kernels) {
            kernel.stream = scenario->streams;
            kernel.priority = priority == options.priorities.end() ? 0 : priority->second;
            workload.operations.push_back(std::move(kernel));
        }
        ++scenario->streams;
        if (workload.operations.size() > most_operations)
            return Failure{fmt::format("/times: more than {} kernels of '{}' in all logs",
                                       most_operations, log.scenario),
                           source.name};
    }
    std::vector<ObservedWorkload> workloads;
    for (Scenario& scenario : scenarios) {
        if (auto completed = complete(scenario.workload); !completed) return completed.as_failure();
        workloads.push_back(std::move(scenario.workload));
    }
    return workloads;
}

} // namespace warpbound::harness::hypotheses
