#include "tests/property/evidence_inputs.hpp"

#include "assembly/isa/program.hpp"
#include "assembly/support/source_text.hpp"
#include "models/architecture/value_path.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/evidence.hpp"
#include "tests/support/made_values.hpp"
#include "tests/support/queue_accesses.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/read_through_ports.hpp"
#include "tests/support/small_instruction_caches.hpp"
#include "tests/support/small_operand_caches.hpp"
#include "tests/support/stated_uniformity.hpp"
#include "tests/support/store_values.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace warpbound::tests {

namespace {

/// States that lanes diverge at the first branch that is not always taken.
void diverge_at_first_branch(RandomKernel& kernel) {
    const auto code = read(kernel);
    for (const assembly::Instruction& instruction : code.value()->function->instructions)
        if (instruction.control_flow == assembly::ControlFlow::Branch &&
            assembly::is_guarded(instruction)) {
            kernel.facts.divergents.push_back({instruction.address, {}});
            return;
        }
}

} // namespace

void lead_through_caches(models::Architecture& machine, models::FlowFacts& facts,
                         std::mt19937_64& random) {
    const auto pick = [&](std::uint64_t lo, std::uint64_t hi) {
        return lo + random() % (hi - lo + 1);
    };
    machine.memories = models::load_architecture("gtx480-gpgpusim").value().memories;
    std::erase_if(machine.memories, [](const auto& memory) { return memory.name == "constant"; });
    struct Varied {
        const char* path;
        std::uint64_t lo;
        std::uint64_t hi;
    };
    constexpr std::array varied{Varied{"memories/l1/sets", 1, 8},
                                Varied{"memories/l1/ways", 1, 4},
                                Varied{"memories/l1/service", 1, 4},
                                Varied{"memories/l1/queue", 1, 16},
                                Varied{"memories/l1/mshr-entries", 4, 40},
                                Varied{"memories/l1/mshr-merges", 1, 40},
                                Varied{"memories/l1/write-evict", 0, 1},
                                Varied{"memories/l2/mshr-entries", 4, 64},
                                Varied{"memories/l2/mshr-merges", 1, 8},
                                Varied{"memories/interconnect/queue", 1, 64},
                                Varied{"memories/interconnect/service", 1, 5},
                                Varied{"memories/dram/row-miss", 10, 90},
                                Varied{"memories/dram/queue", 1, 16},
                                Varied{"memories/dram/refresh-interval", 400, 6000},
                                Varied{"memories/dram/refresh-duration", 0, 200}};
    const auto give = [&](const char* path, std::uint64_t number) {
        const auto given = models::override_value(machine, path, static_cast<std::int64_t>(number));
        if (!given) throw std::runtime_error{to_string(given.error())};
    };
    for (const Varied& value : varied)
        give(value.path, pick(value.lo, value.hi));
    constexpr std::array<std::uint64_t, 3> sectors{32, 64, 128};
    give("memories/l1/sector", sectors[pick(0, 2)]);
    give("memories/l2/sector", sectors[pick(0, 2)]);
    set_value(*std::ranges::find(machine.memories, "dram", &models::ValueGroup::name), "latency",
              {200, 300, static_cast<std::int64_t>(pick(300, 500))});
    for (models::MemoryFact& fact : facts.memory) {
        if (fact.conflict_degree || pick(0, 4) == 0) continue;
        fact.level = models::MemoryLevel::Any;
        fact.transactions.reset();
        models::AddressPattern& pattern = fact.pattern.emplace();
        pattern.base = 4 * pick(0, 64);
        pattern.footprint = 4 * pick(1, 4000);
        if (pick(0, 5) == 0) {
            pattern.random = 7;
            continue;
        }
        pattern.thread_stride = 4 * pick(0, 3) * pick(0, 12);
        pattern.warp_stride = 4 * pick(0, 400);
        pattern.block_stride = 4 * pick(0, 2000);
        pattern.iteration_stride = 4 * pick(0, 100);
    }
}

certification::KernelInput input_of(std::uint64_t seed, Drawn drawn) {
    constexpr std::array<std::pair<const char*, int>, 4> machines{
        {{"fermi-gtx470", 20}, {"maxwell-gtx970", 52}, {"turing-t4", 75}, {"hopper-h200", 90}}};
    static const auto conserving = tests::conserving_policies();
    static const auto policies =
        tests::conserving_policies({"variable-rate:fast=0,every=2", "variable-rate:fast=1,every=4",
                                    "srr", "srr", "two-level:active=1"});
    constexpr std::array slots{"variable-rate:fast=0,every=2", "variable-rate:fast=1,every=3",
                               "variable-rate:fast=0,every=5"};
    const auto& [machine, sm] = machines[seed % machines.size()];
    std::mt19937_64 random{seed};
    const auto from_one_to = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(1 + random() % most);
    };
    const bool count_facts = drawn == Drawn::FactsOnCounts;
    const bool in_turns = drawn == Drawn::StrictRoundRobin || drawn == Drawn::CachesInTurns ||
                          drawn == Drawn::FrontEndInTurns;
    const bool in_slots = drawn == Drawn::CachesInSlots || drawn == Drawn::FrontEndInSlots;
    const bool behind_front_end =
        drawn == Drawn::FrontEndInSlots || drawn == Drawn::FrontEndInTurns;
    const bool at_barriers = drawn == Drawn::QueueAtBarriers;
    const bool is_held_back = drawn == Drawn::HeldBackQueue || at_barriers;
    const bool many_waves = drawn == Drawn::ManyWaves;
    const bool fetches = drawn == Drawn::Fetch || (behind_front_end && seed / 4 % 3 != 1) ||
                         (many_waves && seed / 4 % 5 == 1);
    const bool queues =
        drawn == Drawn::MemoryQueue || is_held_back || (many_waves && seed / 4 % 5 == 2);
    const bool operands = drawn == Drawn::Operands || (many_waves && seed / 4 % 5 == 3);
    const bool in_order = in_turns || in_slots || is_held_back;
    const bool alone = count_facts || (!in_order && !many_waves && seed % 3 == 0);
    const std::size_t chosen = random() % policies.size();
    constexpr std::array holding_back{"srr", "two-level:active=1", "variable-rate:fast=0,every=2"};
    std::string policy = in_turns                        ? "srr"
                         : at_barriers                   ? slots[chosen % slots.size()]
                         : is_held_back                  ? holding_back[seed / 4 % 3]
                         : in_slots                      ? slots[chosen % slots.size()]
                         : fetches || queues || operands ? conserving[chosen % conserving.size()]
                         : many_waves || drawn == Drawn::ReadPorts
                             ? conserving[chosen % conserving.size()]
                             : policies[chosen];
    if (drawn == Drawn::ReadPorts && sm >= 50 && seed % 5 == 1) policy = "two-level:active=1";
    RandomKernelOptions options;
    options.sm = sm;
    options.statements = 3 + static_cast<int>(seed % 7);
    options.depth = 1 + static_cast<int>(seed % 3);
    options.calls = seed / 7 % 4 == 0;
    if (count_facts) {
        options.count_facts = true;
        options.statements += 3;
        ++options.depth;
    }
    const bool cached = drawn == Drawn::CachesInSlots || drawn == Drawn::CachesInTurns ||
                        (drawn == Drawn::Any && seed % 5 >= 2) ||
                        (fetches && !many_waves && seed % 3 == 0) ||
                        (behind_front_end && seed % 7 == 3);
    if (cached) options.statements += 5;
    options.barriers = !alone && !many_waves && (at_barriers || seed % 2 == 0);
    const bool is_crowded = (drawn == Drawn::ReadPorts || behind_front_end) && seed % 2 == 1;
    options.memory = options.predicates = !is_crowded;
    options.clock_reads = alone;
    RandomKernel kernel = random_kernel(seed, options);
    models::Architecture architecture = models::load_architecture(machine).value();
    // Made up, where a case is about them.
    architecture.fetch = {};
    architecture.register_file = {};
    architecture.memory_queue = {};
    std::erase_if(architecture.memories,
                  [](const models::ValueGroup& memory) { return memory.name == "constant"; });
    const auto up_to = [&](std::int64_t most) {
        return from_one_to(static_cast<std::uint64_t>(most)) - 1;
    };
    if (operands) {
        kernel.text = with_constants(kernel.text, up_to);
        add_operand_caches(architecture, up_to);
    }
    vary_stores(architecture, seed);
    if (drawn == Drawn::ReadPorts || (behind_front_end && seed / 4 % 3 != 0) ||
        (queues && sm >= 50 && seed % 3 == 1))
        read_through_ports(architecture, kernel.text, random);
    // Of one bank a result of two registers is refused (C108).
    const models::SourcedValue* const banks = architecture.register_file.find("banks");
    if (drawn == Drawn::ReadPorts && seed / 3 % 2 == 0 && banks != nullptr &&
        banks->interval->lo > 1 && architecture.issue_control == models::IssueControl::Encoded &&
        policy != "two-level:active=1")
        put_value(architecture, "register-file/write-ports", {1, 1, 1});
    if (queues) {
        RandomSource source{seed};
        put_memory_queue(architecture, source, false);
    }
    kernel.facts.program_digest = assembly::digest_of(kernel.text);
    const std::int64_t places = from_one_to(4) + (many_waves ? 2 : 0);
    set_value(architecture.limits, "max-blocks", {places, places, places});
    set_value(architecture.blocks, "replacement", {0, 3, 9});
    set_value(architecture.blocks, "start", {5, 5, 20});
    const std::int64_t by_room = up_to(2);
    put_value(architecture, "blocks/most-room", {by_room, by_room, by_room});
    if (is_crowded) set_value(architecture.schedulers, "count", {1, 1, 1});
    if (in_order) {
        const std::int64_t slot = from_one_to(behind_front_end && seed % 2 == 0 ? 1 : 3);
        set_value(architecture.schedulers, "issue-slot", {slot, slot, slot});
        if (seed % 3 != 0 && !at_barriers) set_value(architecture.schedulers, "count", {1, 1, 1});
        if (seed % 5 == 0) set_value(architecture.blocks, "start", {5, 500, 4'000});
    }
    if (cached) lead_through_caches(architecture, kernel.facts, random);
    if (fetches) {
        const auto code = read(kernel);
        add_instruction_caches(architecture, *code.value()->function, up_to, alone);
    }
    // What accesses touch cannot be listed where lanes diverge: their waits count by numbers.
    if (cached && in_order && (seed % 10 == 3 || seed % 10 == 7)) diverge_at_first_branch(kernel);
    certification::KernelInput input;
    input.listing = kernel.text;
    input.kernel = kernel.facts.kernel;
    state_uniform_elsewhere(kernel.facts, input.listing);
    input.flow_facts = models::write_flow_facts(kernel.facts);
    input.architecture = models::write_architecture(architecture);
    const std::int64_t blocks = at_barriers  ? 1
                                : many_waves ? 40 + from_one_to(240)
                                             : from_one_to(16);
    std::int64_t threads = 32 * (in_order && seed % 4 == 1 ? 1 : from_one_to(9));
    if (many_waves) threads += 64;
    if (at_barriers) threads += 96;
    if (seed % 7 == 0) threads -= static_cast<std::int64_t>(seed / 7 % 32); // The last warp's.
    input.launch = alone ? "1x32" : std::to_string(blocks) + "x" + std::to_string(threads);
    // Fits in every machine, some of them less often than places (C30).
    const bool is_limited = !alone && (!many_waves || seed % 6 == 0);
    if (is_limited && seed % 4 < 2)
        input.launch += ",registers=" + std::to_string(16 + seed * 7 % 48);
    if (is_limited && seed % 5 < 2)
        input.launch += ",shared-memory=" + std::to_string(seed * 1009 % 30'000);
    input.policy = policy;
    if (!alone) input.multiprocessors = from_one_to(4);
    return input;
}

} // namespace warpbound::tests
