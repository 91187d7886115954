#include "models/architecture/schema.hpp"

#include <algorithm>
#include <array>

namespace warpbound::models {
namespace {

constexpr auto geometry = std::to_array<ValueRule>({
    {.name = "multiprocessors", .unit = "1", .minimum = 1, .exact = true},
    {.name = "warp-size", .unit = "threads", .minimum = 1, .exact = true},
    {.name = "core-clock", .unit = "kHz", .minimum = 1},
    {.name = "memory-clock", .unit = "kHz", .minimum = 1},
    {.name = "fp32-lanes", .unit = "1", .minimum = 1, .exact = true},
    {.name = "special-function-units", .unit = "1", .minimum = 1, .exact = true},
});

constexpr auto limits = std::to_array<ValueRule>({
    {.name = "max-warps", .unit = "warps", .minimum = 1, .exact = true},
    {.name = "max-blocks", .unit = "blocks", .minimum = 1, .exact = true},
    {.name = "max-threads", .unit = "threads", .minimum = 1, .exact = true},
    {.name = "max-threads-per-block", .unit = "threads", .minimum = 1, .exact = true},
    {.name = "registers", .unit = "registers", .minimum = 1, .exact = true},
    {.name = "registers-per-block", .unit = "registers", .minimum = 1, .exact = true},
    {.name = "registers-per-thread", .unit = "registers", .minimum = 1, .exact = true},
    {.name = "register-granularity", .unit = "registers", .minimum = 1, .exact = true},
    {.name = "register-partitions", .unit = "1", .minimum = 1, .exact = true},
    {.name = "shared-memory", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "shared-memory-per-block", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "shared-granularity", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "shared-reserved", .unit = "bytes", .exact = true},
});

constexpr auto schedulers = std::to_array<ValueRule>({
    {.name = "count", .unit = "1", .minimum = 1, .exact = true},
    {.name = "issue-slot", .unit = "cycles", .minimum = 1, .exact = true},
    {.name = "same-warp-interval", .unit = "cycles", .minimum = 1},
    {.name = "yield", .unit = "cycles"},
    {.name = "counter-delay", .unit = "cycles"},
});

constexpr auto write_buffer = std::to_array<ValueRule>({
    {.name = "entries", .unit = "1", .minimum = 1, .exact = true},
    {.name = "drain", .unit = "cycles", .minimum = 1},
    {.name = "sector-drain", .unit = "cycles"},
});

constexpr auto control_flow = std::to_array<ValueRule>({
    {.name = "branch-taken", .unit = "cycles"},
    {.name = "branch-not-taken", .unit = "cycles"},
    {.name = "stall-zero-yield", .unit = "cycles", .minimum = 1},
});

constexpr auto blocks = std::to_array<ValueRule>({
    {.name = "start", .unit = "cycles"},
    {.name = "replacement", .unit = "cycles"},
    {.name = "launch", .unit = "cycles"},
    {.name = "most-room", .unit = "1", .exact = true},
});

constexpr auto transfers = std::to_array<ValueRule>({
    {.name = "host-to-device-start", .unit = "ns"},
    {.name = "host-to-device-bandwidth", .unit = "kB/s", .minimum = 1},
    {.name = "device-to-host-start", .unit = "ns"},
    {.name = "device-to-host-bandwidth", .unit = "kB/s", .minimum = 1},
    {.name = "engines", .unit = "1", .minimum = 1, .exact = true},
    {.name = "call", .unit = "ns"},
});

constexpr auto fetch = std::to_array<ValueRule>({
    {.name = "buffer", .unit = "instructions", .minimum = 1, .exact = true},
    {.name = "width", .unit = "instructions", .minimum = 1, .exact = true},
    {.name = "ports", .unit = "1", .minimum = 1, .exact = true},
    {.name = "cache-sets", .unit = "1", .minimum = 1, .exact = true},
    {.name = "cache-ways", .unit = "1", .minimum = 1, .exact = true},
    {.name = "cache-line", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "cache-miss", .unit = "cycles", .minimum = 1},
    // The instruction caches of rules C66 to C70, in place of the values above.
    {.name = "line", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "stream", .unit = "1"},
    {.name = "l0-sets", .unit = "1", .minimum = 1, .exact = true},
    {.name = "l0-ways", .unit = "1", .minimum = 1},
    {.name = "l0-miss", .unit = "cycles", .minimum = 1},
    {.name = "l1-sets", .unit = "1", .minimum = 1, .exact = true},
    {.name = "l1-ways", .unit = "1", .minimum = 1},
    {.name = "l1-service", .unit = "cycles"},
    {.name = "l1-miss", .unit = "cycles", .minimum = 1},
    {.name = "warm", .unit = "1", .exact = true},
});

constexpr auto register_file = std::to_array<ValueRule>({
    {.name = "banks", .unit = "1", .minimum = 1, .exact = true},
    {.name = "result-slots", .unit = "1", .minimum = 1, .exact = true},
    {.name = "write-back", .unit = "cycles", .minimum = 1, .exact = true},
    {.name = "read-ports", .unit = "1", .minimum = 1, .exact = true},
    {.name = "read-window", .unit = "cycles", .minimum = 1, .exact = true},
    {.name = "reuse-slots", .unit = "1", .exact = true},
    {.name = "write-ports", .unit = "1", .minimum = 1, .exact = true},
    {.name = "variable-latency-reads", .unit = "1", .minimum = 1, .exact = true},
});

constexpr auto collectors = std::to_array<ValueRule>({
    {.name = "issue-slots", .unit = "1", .minimum = 1, .exact = true},
    {.name = "entry-ports", .unit = "1", .minimum = 1, .exact = true},
    {.name = "collectors", .unit = "1", .minimum = 1, .exact = true},
    {.name = "exit-ports", .unit = "1", .minimum = 1, .exact = true},
    {.name = "dispatch-slots", .unit = "1", .minimum = 1, .exact = true},
    {.name = "execution-units", .unit = "1", .minimum = 1, .exact = true},
});

constexpr auto memory_queue = std::to_array<ValueRule>({
    {.name = "places", .unit = "1", .minimum = 1, .exact = true},
    {.name = "interval", .unit = "cycles", .minimum = 1},
    {.name = "path-interval", .unit = "cycles", .minimum = 1},
    {.name = "load-return", .unit = "cycles", .minimum = 1},
});

constexpr auto groups = std::to_array<GroupRule>({
    {.element = "geometry", .member = &Architecture::geometry, .values = geometry},
    {.element = "limits", .member = &Architecture::limits, .values = limits},
    {.element = "schedulers", .member = &Architecture::schedulers, .values = schedulers},
    {.element = "write-buffer", .member = &Architecture::write_buffer, .values = write_buffer},
    {.element = "control-flow", .member = &Architecture::control_flow, .values = control_flow},
    {.element = "fetch", .member = &Architecture::fetch, .values = fetch, .may_cost_nothing = true},
    {.element = "register-file",
     .member = &Architecture::register_file,
     .values = register_file,
     .may_cost_nothing = true},
    {.element = "memory-queue",
     .member = &Architecture::memory_queue,
     .values = memory_queue,
     .may_cost_nothing = true},
    {.element = "blocks", .member = &Architecture::blocks, .values = blocks},
    {.element = "transfers", .member = &Architecture::transfers, .values = transfers},
});

constexpr auto class_values_but_latency = std::to_array<ValueRule>({
    {.name = "initiation", .unit = "cycles", .minimum = 1},
    {.name = "source-read", .unit = "cycles"},
    {.name = "line-interval", .unit = "cycles", .minimum = 1},
    {.name = "sector-interval", .unit = "cycles", .minimum = 1},
    {.name = "pass-cost", .unit = "cycles"},
    {.name = "entry", .unit = "cycles", .minimum = 2},
});
constexpr auto latency_value = std::to_array<ValueRule>({
    {.name = "latency", .unit = "cycles"},
});

// Of the forms of instructions (C89, C90): beside the value that holds for all forms.
constexpr auto source_reads_of_forms = std::to_array<ValueRule>({
    {.name = "source-read-regular-32", .unit = "cycles", .of_form = true},
    {.name = "source-read-regular-64", .unit = "cycles", .of_form = true},
    {.name = "source-read-regular-128", .unit = "cycles", .of_form = true},
    {.name = "source-read-uniform-32", .unit = "cycles", .of_form = true},
    {.name = "source-read-uniform-64", .unit = "cycles", .of_form = true},
    {.name = "source-read-uniform-128", .unit = "cycles", .of_form = true},
});
constexpr auto latencies_of_forms = std::to_array<ValueRule>({
    {.name = "latency-regular-32", .unit = "cycles", .of_form = true},
    {.name = "latency-regular-64", .unit = "cycles", .of_form = true},
    {.name = "latency-regular-128", .unit = "cycles", .of_form = true},
    {.name = "latency-uniform-32", .unit = "cycles", .of_form = true},
    {.name = "latency-uniform-64", .unit = "cycles", .of_form = true},
    {.name = "latency-uniform-128", .unit = "cycles", .of_form = true},
});
constexpr auto source_read_of_copies = std::to_array<ValueRule>({
    {.name = "source-read-copy", .unit = "cycles", .of_form = true},
});
constexpr auto latency_of_copies = std::to_array<ValueRule>({
    {.name = "latency-copy", .unit = "cycles", .of_form = true},
});
constexpr auto constant_load_forms = std::to_array<ValueRule>({
    {.name = "source-read-regular-32", .unit = "cycles", .of_form = true},
    {.name = "source-read-regular-64", .unit = "cycles", .of_form = true},
    {.name = "source-read-immediate-32", .unit = "cycles", .of_form = true},
    {.name = "source-read-immediate-64", .unit = "cycles", .of_form = true},
    {.name = "latency-regular-32", .unit = "cycles", .of_form = true},
    {.name = "latency-regular-64", .unit = "cycles", .of_form = true},
    {.name = "latency-immediate-32", .unit = "cycles", .of_form = true},
    {.name = "latency-immediate-64", .unit = "cycles", .of_form = true},
});
constexpr auto multiply_forms = std::to_array<ValueRule>({
    {.name = "initiation-wide", .unit = "cycles", .minimum = 1, .of_form = true},
});
// These instructions take far longer than the others of their classes.
constexpr auto vote_forms = std::to_array<ValueRule>({
    {.name = "initiation-match", .unit = "cycles", .minimum = 1, .of_form = true},
    {.name = "latency-match", .unit = "cycles", .of_form = true},
    {.name = "initiation-reduction", .unit = "cycles", .minimum = 1, .of_form = true},
    {.name = "latency-reduction", .unit = "cycles", .of_form = true},
});
constexpr auto move_forms = std::to_array<ValueRule>({
    {.name = "initiation-matrix", .unit = "cycles", .minimum = 1, .of_form = true},
    {.name = "latency-matrix", .unit = "cycles", .of_form = true},
    {.name = "source-read-matrix", .unit = "cycles", .of_form = true},
});
constexpr auto copy_forms = std::to_array<ValueRule>({
    {.name = "latency-copies", .unit = "cycles", .of_form = true},
});
constexpr auto tensor_forms = std::to_array<ValueRule>({
    {.name = "latency-warpgroup", .unit = "cycles", .of_form = true},
    {.name = "initiation-double", .unit = "cycles", .minimum = 1, .of_form = true},
    {.name = "initiation-warpgroup", .unit = "cycles", .minimum = 1, .of_form = true},
});
constexpr auto conversion_forms = std::to_array<ValueRule>({
    {.name = "initiation-double", .unit = "cycles", .minimum = 1, .of_form = true},
    {.name = "latency-double", .unit = "cycles", .of_form = true},
});
constexpr auto fence_forms = std::to_array<ValueRule>({
    {.name = "latency-cta", .unit = "cycles", .of_form = true},
    {.name = "latency-gpu", .unit = "cycles", .of_form = true},
    {.name = "latency-sys", .unit = "cycles", .of_form = true},
});

template <std::size_t First, std::size_t Second>
constexpr std::array<ValueRule, First + Second>
joined(const std::array<ValueRule, First>& first, const std::array<ValueRule, Second>& second) {
    std::array<ValueRule, First + Second> both;
    std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), both.begin()));
    return both;
}

constexpr auto class_values = joined(class_values_but_latency, latency_value);
constexpr auto store_values = joined(class_values, source_reads_of_forms);
constexpr auto shared_load_values = joined(store_values, latencies_of_forms);
constexpr auto constant_load_values = joined(class_values, constant_load_forms);
constexpr auto global_load_values =
    joined(class_values_but_latency, joined(source_reads_of_forms, source_read_of_copies));
constexpr auto multiply_values = joined(class_values, multiply_forms);
constexpr auto vote_values = joined(class_values, vote_forms);
constexpr auto move_values = joined(class_values, move_forms);
constexpr auto copy_wait_values = joined(class_values, copy_forms);
constexpr auto tensor_values = joined(class_values, tensor_forms);
constexpr auto conversion_values = joined(class_values, conversion_forms);
constexpr auto fence_values = joined(class_values, fence_forms);

constexpr auto shared_values = std::to_array<ValueRule>({
    {.name = "banks", .unit = "1", .minimum = 1, .exact = true},
    {.name = "bank-width", .unit = "bytes", .minimum = 1, .exact = true},
});

// The caches and DRAM of rules C23 to C29: sizes are powers of two; flags are 0 or 1.
constexpr auto l1_cache_values = std::to_array<ValueRule>({
    {.name = "latency", .unit = "cycles", .minimum = 1},
    {.name = "size", .unit = "bytes", .minimum = 1},
    {.name = "line", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "bandwidth", .unit = "kB/s", .minimum = 1},
    {.name = "sector", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "sets", .unit = "1", .minimum = 1, .exact = true},
    {.name = "ways", .unit = "1", .minimum = 1},
    {.name = "service", .unit = "cycles", .minimum = 1},
    {.name = "queue", .unit = "1", .minimum = 1, .exact = true},
    {.name = "mshr-entries", .unit = "1", .minimum = 1, .exact = true},
    {.name = "mshr-merges", .unit = "1", .minimum = 1, .exact = true},
    {.name = "write-evict", .unit = "1", .exact = true},
    {.name = "invalidate", .unit = "1", .exact = true},
    {.name = "lines-per-pass", .unit = "1", .minimum = 1, .exact = true},
});

constexpr auto l1_values = joined(l1_cache_values, joined(latencies_of_forms, latency_of_copies));

constexpr auto l2_values = std::to_array<ValueRule>({
    {.name = "latency", .unit = "cycles", .minimum = 1},
    {.name = "size", .unit = "bytes", .minimum = 1},
    {.name = "line", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "bandwidth", .unit = "kB/s", .minimum = 1},
    {.name = "slices", .unit = "1", .minimum = 1, .exact = true},
    {.name = "sector", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "sets", .unit = "1", .minimum = 1, .exact = true},
    {.name = "ways", .unit = "1", .minimum = 1, .exact = true},
    {.name = "service", .unit = "cycles", .minimum = 1},
    {.name = "mshr-entries", .unit = "1", .minimum = 1, .exact = true},
    {.name = "mshr-merges", .unit = "1", .minimum = 1, .exact = true},
    {.name = "write-allocate", .unit = "1", .exact = true},
    {.name = "write-back", .unit = "1", .exact = true},
    {.name = "atomic", .unit = "cycles", .minimum = 1},
    {.name = "reduction", .unit = "cycles", .minimum = 1},
});

constexpr auto interconnect_values = std::to_array<ValueRule>({
    {.name = "latency", .unit = "cycles", .minimum = 1},
    {.name = "service", .unit = "cycles", .minimum = 1},
    {.name = "queue", .unit = "1", .minimum = 1, .exact = true},
});

constexpr auto dram_values = std::to_array<ValueRule>({
    {.name = "latency", .unit = "cycles", .minimum = 1},
    {.name = "size", .unit = "bytes", .minimum = 1},
    {.name = "line", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "bandwidth", .unit = "kB/s", .minimum = 1},
    {.name = "channels", .unit = "1", .minimum = 1, .exact = true},
    {.name = "banks", .unit = "1", .minimum = 1, .exact = true},
    {.name = "row", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "row-hit", .unit = "cycles", .minimum = 1},
    {.name = "row-miss", .unit = "cycles", .minimum = 1},
    {.name = "queue", .unit = "1", .minimum = 1, .exact = true},
    {.name = "refresh-interval", .unit = "cycles", .minimum = 1},
    {.name = "refresh-duration", .unit = "cycles"},
});

constexpr auto constant_values = std::to_array<ValueRule>({
    {.name = "sets", .unit = "1", .minimum = 1, .exact = true},
    {.name = "ways", .unit = "1", .minimum = 1},
    {.name = "line", .unit = "bytes", .minimum = 1, .exact = true},
    {.name = "miss", .unit = "cycles", .minimum = 1},
    {.name = "hold", .unit = "cycles", .minimum = 1},
    {.name = "warm", .unit = "1", .exact = true},
});

constexpr auto memories = std::to_array<MemoryRule>({
    {.name = "shared", .values = shared_values},
    {.name = "l1", .values = l1_values},
    {.name = "l2", .values = l2_values},
    {.name = "interconnect", .values = interconnect_values},
    {.name = "dram", .values = dram_values},
    {.name = "constant", .values = constant_values, .may_cost_nothing = true},
});

} // namespace

std::span<const GroupRule> group_rules() {
    return groups;
}
std::span<const MemoryRule> memory_rules() {
    return memories;
}

std::span<const ValueRule> collector_rules() {
    return collectors;
}

std::span<const ValueRule> class_rules(assembly::OpcodeClass opcode_class) {
    using enum assembly::OpcodeClass;
    switch (opcode_class) {
    case LoadGlobal:
        return global_load_values;
    case LoadLocal:
        return class_values_but_latency;
    case StoreGlobal:
    case StoreShared:
        return store_values;
    case LoadShared:
        return shared_load_values;
    case LoadConstant:
        return constant_load_values;
    case IntegerMultiply:
        return multiply_values;
    case Vote:
        return vote_values;
    case Move:
        return move_values;
    case Conversion:
        return conversion_values;
    case Tensor:
        return tensor_values;
    case DependenceBarrier:
        return copy_wait_values;
    case MemoryFence:
        return fence_values;
    default:
        return class_values;
    }
}

std::string_view to_string(UnitScope scope) {
    switch (scope) {
    case UnitScope::Warp:
        return "warp";
    case UnitScope::Partition:
        return "partition";
    case UnitScope::Core:
        return "core";
    }
    return "partition";
}

std::string_view to_string(IssueControl control) {
    return control == IssueControl::Encoded ? "encoded" : "interlocked";
}

} // namespace warpbound::models
