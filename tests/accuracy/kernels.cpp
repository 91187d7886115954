#include "tests/accuracy/kernels.hpp"

#include "assembly/isa/reader.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

namespace warpbound::tests {
namespace {

constexpr std::int64_t turns = 20; // Of every generated loop.

[[noreturn]] void stop(const std::string& what) {
    throw std::runtime_error{what};
}

/// Writes a loop for Fermi (interlocked) or Turing (stall counts and scoreboards).
class Loop {
public:
    Loop(bool encoded, Stress stress, std::string name)
        : encoded_{encoded}, stress_{stress}, name_{std::move(name)} {
        text_ = encoded ? "!Arch sm_75\n!Kernel generated\n" : "!Arch sm_20\n!Kernel generated\n";
        plain("MOV R2, c[0x0][0x20]", 4);
        plain("MOV R3, c[0x0][0x24]", 4);
        text_ += "turn:\n";
        header_ = address_;
    }

    /// An instruction of fixed latency; `stall` is what follows it at least on an encoded machine.
    void plain(const std::string& instruction, int stall = 1) {
        put(instruction, fmt::format(" ?trans{}", stall));
    }
    /// One that waits for scoreboards, "0" or "0,1".
    void waiting(const std::string& instruction, const std::string& scoreboards, int stall = 1) {
        put(instruction, fmt::format(" &req={{{}}} ?trans{}", scoreboards, stall));
    }
    /// One whose result a scoreboard announces; it waits for what used the scoreboard before.
    void variable(const std::string& instruction, int scoreboard) {
        put(instruction, fmt::format(" &req={{{0}}} &wr=0x{0} ?trans2", scoreboard));
    }
    void load_shared(const std::string& to, int degree, int scoreboard) {
        facts_.memory.push_back({address_,
                                 std::nullopt,
                                 models::CountRange{degree, degree},
                                 models::MemoryLevel::Any,
                                 {},
                                 {}});
        variable(fmt::format("LDS {}, [R3]", to), scoreboard);
    }
    void store_shared(const std::string& from, int degree) {
        facts_.memory.push_back({address_,
                                 std::nullopt,
                                 models::CountRange{degree, degree},
                                 models::MemoryLevel::Any,
                                 {},
                                 {}});
        plain(fmt::format("STS [R3], {}", from), 2);
    }
    void load_global(const std::string& to, models::MemoryLevel level, int transactions,
                     int scoreboard) {
        facts_.memory.push_back({address_,
                                 models::CountRange{transactions, transactions},
                                 std::nullopt,
                                 level,
                                 {},
                                 {}});
        variable(fmt::format("{} {}, [R2]", encoded_ ? "LDG.E" : "LD", to), scoreboard);
    }
    void store_global(const std::string& from, int transactions) {
        facts_.memory.push_back({address_,
                                 models::CountRange{transactions, transactions},
                                 std::nullopt,
                                 models::MemoryLevel::Dram,
                                 {},
                                 {}});
        plain(fmt::format("{} [R2], {}", encoded_ ? "STG.E" : "ST", from), 2);
    }

    void load_pattern(const std::string& to, const models::AddressPattern& pattern,
                      int scoreboard) {
        facts_.memory.push_back({address_, {}, {}, models::MemoryLevel::Any, {}, pattern});
        variable(fmt::format("{} {}, [R2]", encoded_ ? "LDG.E" : "LD", to), scoreboard);
    }
    void store_pattern(const std::string& from, const models::AddressPattern& pattern) {
        facts_.memory.push_back({address_, {}, {}, models::MemoryLevel::Any, {}, pattern});
        plain(fmt::format("{} [R2], {}", encoded_ ? "STG.E" : "ST", from), 2);
    }

    std::unique_ptr<AccuracyKernel> finish(const std::string& architecture) {
        put("@P0 BRA turn", " ?trans5");
        put("EXIT", " ?trans5");
        text_ += "!EndKernel\n";
        facts_.loops.push_back({header_, turns, turns, {}});
        auto kernel = std::make_unique<AccuracyKernel>();
        kernel->name = name_;
        kernel->stress = stress_;
        kernel->architecture = architecture;
        auto program = assembly::read_program({.name = name_, .text = text_});
        if (!program) stop(to_string(program.error()) + "\n" + text_);
        kernel->program = std::move(program).value();
        kernel->function = &kernel->program.functions.front();
        kernel->facts = std::move(facts_);
        return kernel;
    }

private:
    void put(const std::string& instruction, const std::string& control) {
        text_ += instruction + (encoded_ ? control : "") + ";\n";
        address_ += encoded_ ? 16 : 8;
    }

    bool encoded_;
    Stress stress_;
    std::string name_;
    std::string text_;
    std::int64_t address_ = 0;
    std::int64_t header_ = 0;
    models::FlowFacts facts_;
};

using Kernels = std::vector<std::unique_ptr<AccuracyKernel>>;

/// Machine and how its code is written.
struct Target {
    std::string architecture;
    bool encoded;
    int dependent; ///< Stall count that covers a float addition.
};

/// `count` additions, each group of `width` independent of each other and dependent on the group
/// before.
void additions(Loop& loop, const Target& target, int count, int width) {
    for (int k = 0; k < count; ++k) {
        const bool last_of_group = k % width == width - 1;
        const int reg = 8 + k % width;
        loop.plain(fmt::format("FADD R{0}, R{0}, R4", reg),
                   last_of_group ? std::max(1, target.dependent - width + 1) : 1);
    }
}

void add_arithmetic(Kernels& kernels, const Target& target) {
    for (const int width : {1, 2, 4, 8}) {
        for (const int count : {8, 32}) {
            Loop loop{target.encoded, Stress::Arithmetic,
                      fmt::format("add-{}-ilp{}", count, width)};
            additions(loop, target, count, width);
            kernels.push_back(loop.finish(target.architecture));
        }
    }
    for (const int additions_each : {1, 4, 12}) {
        Loop loop{target.encoded, Stress::Arithmetic, fmt::format("special-a{}", additions_each)};
        loop.variable("MUFU.COS R5, R6", 0);
        additions(loop, target, additions_each, 2);
        loop.waiting("FADD R6, R5, R4", "0", target.dependent);
        kernels.push_back(loop.finish(target.architecture));
    }
    for (const int repeated : {1, 3}) {
        Loop loop{target.encoded, Stress::Arithmetic, fmt::format("mixed-{}", repeated)};
        for (int k = 0; k < repeated; ++k) {
            loop.plain("FMUL R8, R8, R4", 1);
            loop.plain("MOV R9, R4", 1);
            loop.plain("FFMA R10, R10, R4, R5", target.dependent);
            loop.plain("FADD R11, R8, R10", target.dependent);
        }
        kernels.push_back(loop.finish(target.architecture));
    }
}

void add_shared(Kernels& kernels, const Target& target) {
    for (const int degree : {1, 2, 8}) {
        for (const int additions_each : {0, 8}) {
            Loop loop{target.encoded, Stress::Shared,
                      fmt::format("shared-d{}-a{}", degree, additions_each)};
            loop.load_shared("R5", degree, 0);
            additions(loop, target, additions_each, 2);
            loop.waiting("FADD R6, R5, R6", "0", target.dependent);
            kernels.push_back(loop.finish(target.architecture));
        }
    }
    for (const int degree : {1, 4}) {
        Loop loop{target.encoded, Stress::Shared, fmt::format("exchange-d{}", degree)};
        loop.store_shared("R6", degree);
        additions(loop, target, 4, 2);
        loop.load_shared("R5", degree, 0);
        loop.waiting("FADD R6, R5, R6", "0", target.dependent);
        kernels.push_back(loop.finish(target.architecture));
    }
}

void add_global(Kernels& kernels, const Target& target) {
    using models::MemoryLevel;
    struct Shape {
        MemoryLevel level;
        int transactions;
        int loads;
        int additions;
    };
    std::vector<Shape> shapes{
        {MemoryLevel::Dram, 1, 1, 0},  {MemoryLevel::Dram, 1, 1, 8},  {MemoryLevel::Dram, 1, 1, 32},
        {MemoryLevel::Dram, 1, 2, 4},  {MemoryLevel::Dram, 1, 4, 4},  {MemoryLevel::Dram, 1, 4, 32},
        {MemoryLevel::Dram, 4, 1, 4},  {MemoryLevel::Dram, 8, 1, 4},  {MemoryLevel::Dram, 8, 2, 16},
        {MemoryLevel::Dram, 32, 1, 0}, {MemoryLevel::Dram, 32, 1, 32}};
    if (target.encoded) // Fermi's L1 and L2 latencies are not known.
        shapes.insert(shapes.end(), {{MemoryLevel::L1, 1, 1, 0},
                                     {MemoryLevel::L1, 1, 2, 16},
                                     {MemoryLevel::L1, 8, 1, 4},
                                     {MemoryLevel::L2, 1, 1, 0},
                                     {MemoryLevel::L2, 1, 2, 16},
                                     {MemoryLevel::L2, 8, 1, 4}});
    for (const auto& shape : shapes) {
        Loop loop{target.encoded, shape.transactions > 1 ? Stress::Divergent : Stress::Coalesced,
                  fmt::format("load-{}-t{}-n{}-a{}", to_string(shape.level), shape.transactions,
                              shape.loads, shape.additions)};
        for (int k = 0; k < shape.loads; ++k)
            loop.load_global(fmt::format("R{}", 20 + k), shape.level, shape.transactions, k);
        additions(loop, target, shape.additions, 2);
        for (int k = 0; k < shape.loads; ++k)
            loop.waiting(fmt::format("FADD R6, R{}, R6", 20 + k), std::to_string(k),
                         target.dependent);
        kernels.push_back(loop.finish(target.architecture));
    }
    for (const int additions_each : {4, 16}) {
        Loop loop{target.encoded, Stress::Coalesced, fmt::format("store-a{}", additions_each)};
        additions(loop, target, additions_each, 2);
        loop.store_global("R8", 1);
        kernels.push_back(loop.finish(target.architecture));
    }
}

constexpr std::uint64_t kib = 1024;

/// Word by word, warp by warp; the next turn goes on behind the last warp of six blocks of eight.
models::AddressPattern stream(std::uint64_t array) {
    return {.base = array << 32U,
            .thread_stride = 4,
            .warp_stride = 128,
            .block_stride = 1024,
            .iteration_stride = 6 * 1024,
            .random = {}};
}

/// One load and what waits for it, `loads` times side by side, with additions between.
void add_loads(Kernels& kernels, const Target& target, Stress stress, const std::string& name,
               const models::AddressPattern& pattern, int loads, int additions_each) {
    Loop loop{target.encoded, stress, fmt::format("{}-n{}-a{}", name, loads, additions_each)};
    for (int k = 0; k < loads; ++k) {
        models::AddressPattern own = pattern;
        own.base += static_cast<std::uint64_t>(k) << 36U;
        if (own.random) *own.random += static_cast<std::uint64_t>(k);
        loop.load_pattern(fmt::format("R{}", 20 + k), own, k);
    }
    additions(loop, target, additions_each, 2);
    for (int k = 0; k < loads; ++k)
        loop.waiting(fmt::format("FADD R6, R{}, R6", 20 + k), std::to_string(k), target.dependent);
    kernels.push_back(loop.finish(target.architecture));
}

void add_streams(Kernels& kernels, const Target& target) {
    struct Shape {
        const char* name;
        std::uint64_t footprint; ///< 0: none, every line is new.
        int loads;
        int additions;
    };
    const Shape shapes[] = {{"stream", 0, 1, 0},
                            {"stream", 0, 1, 16},
                            {"stream", 0, 1, 64},
                            {"stream", 0, 4, 0},
                            {"stream", 0, 4, 64},
                            {"stream-4k", 4 * kib, 1, 0},
                            {"stream-4k", 4 * kib, 2, 16},
                            {"stream-12k", 12 * kib, 1, 16},
                            {"stream-48k", 48 * kib, 1, 0},
                            {"stream-48k", 48 * kib, 1, 16}};
    for (const auto& shape : shapes) {
        auto pattern = stream(1);
        if (shape.footprint != 0) pattern.footprint = shape.footprint;
        add_loads(kernels, target, Stress::Streams, shape.name, pattern, shape.loads,
                  shape.additions);
    }
    auto same = stream(1); // All warps read the same lines.
    same.warp_stride = same.block_stride = 0;
    same.iteration_stride = 128;
    add_loads(kernels, target, Stress::Streams, "broadcast", same, 1, 16);
    for (const int additions_each : {4, 32}) {
        Loop loop{target.encoded, Stress::Streams, fmt::format("copy-a{}", additions_each)};
        loop.load_pattern("R20", stream(1), 0);
        additions(loop, target, additions_each, 2);
        loop.waiting("FADD R6, R20, R6", "0", target.dependent);
        loop.store_pattern("R6", stream(2));
        kernels.push_back(loop.finish(target.architecture));
    }
}

void add_strides(Kernels& kernels, const Target& target) {
    struct Shape {
        std::uint64_t stride;
        std::uint64_t footprint; ///< 0: none.
        int additions;
    };
    const Shape shapes[] = {{8, 0, 16},         {32, 0, 16},        {128, 0, 0},
                            {128, 0, 64},       {32, 8 * kib, 16},  {128, 8 * kib, 16},
                            {32, 48 * kib, 16}, {128, 48 * kib, 16}};
    for (const auto& [stride, footprint, additions_each] : shapes) {
        models::AddressPattern pattern{.base = std::uint64_t{1} << 32U,
                                       .thread_stride = stride,
                                       .warp_stride = 32 * stride,
                                       .block_stride = 256 * stride,
                                       .iteration_stride = 6 * 256 * stride,
                                       .random = {}};
        if (footprint != 0) pattern.footprint = footprint;
        add_loads(kernels, target, Stress::Strides,
                  fmt::format("stride-{}{}", stride,
                              footprint == 0 ? "" : fmt::format("-{}k", footprint / kib)),
                  pattern, 1, additions_each);
    }
}

void add_random(Kernels& kernels, const Target& target) {
    struct Shape {
        std::uint64_t footprint;
        int additions;
    };
    const Shape shapes[] = {{kib, 0},       {8 * kib, 16},  {16 * kib, 16},   {48 * kib, 16},
                            {96 * kib, 16}, {256 * kib, 0}, {4096 * kib, 16}, {4096 * kib, 64}};
    for (const auto& [footprint, additions_each] : shapes)
        add_loads(kernels, target, Stress::Random, fmt::format("random-{}k", footprint / kib),
                  {.base = std::uint64_t{1} << 32U, .footprint = footprint, .random = 7}, 1,
                  additions_each);
}

/// A compiled example with its flow facts; loads are taken to come from DRAM, and an access without
/// a fact to take one pass.
std::unique_ptr<AccuracyKernel> example(const std::string& folder, const std::string& file,
                                        const std::string& facts, const std::string& function,
                                        const std::string& architecture) {
    const std::string path = WARPBOUND_SOURCE_DIR "/examples/" + folder + "/";
    const auto source = assembly::read_source(path + file);
    if (!source) stop(to_string(source.error()));
    auto program = assembly::read_program(source.value());
    if (!program) stop(to_string(program.error()));
    const auto text = assembly::read_source(path + facts);
    if (!text) stop(to_string(text.error()));
    auto stated = models::read_flow_facts(text.value());
    if (!stated) stop(to_string(stated.error()));
    auto kernel = std::make_unique<AccuracyKernel>();
    kernel->name = function;
    kernel->stress = Stress::Compiled;
    kernel->architecture = architecture;
    kernel->program = std::move(program).value();
    const auto found = assembly::find_function(kernel->program, function);
    if (!found) stop(to_string(found.error()));
    kernel->function = found.value();
    kernel->facts = std::move(stated).value();
    for (auto& fact : kernel->facts.memory)
        if (fact.transactions) fact.level = models::MemoryLevel::Dram;
    for (const auto& instruction : kernel->function->instructions)
        if (models::counts_passes(instruction) &&
            kernel->facts.memory_at(instruction.address) == nullptr)
            kernel->facts.memory.push_back({instruction.address,
                                            models::CountRange{},
                                            models::CountRange{},
                                            models::MemoryLevel::Dram,
                                            {},
                                            {}});
    return kernel;
}

} // namespace

std::string_view to_string(Stress stress) {
    switch (stress) {
    case Stress::Arithmetic:
        return "arithmetic";
    case Stress::Shared:
        return "shared memory";
    case Stress::Coalesced:
        return "coalesced";
    case Stress::Divergent:
        return "divergent";
    case Stress::Streams:
        return "streams";
    case Stress::Strides:
        return "strides";
    case Stress::Random:
        return "random";
    case Stress::Compiled:
        break;
    }
    return "compiled examples";
}

std::vector<std::unique_ptr<AccuracyKernel>> accuracy_kernels() {
    Kernels kernels;
    for (const auto& target : {Target{"fermi-gtx470", false, 1}, Target{"turing-t4", true, 4}}) {
        add_arithmetic(kernels, target);
        add_shared(kernels, target);
        add_global(kernels, target);
        add_streams(kernels, target);
        add_strides(kernels, target);
        add_random(kernels, target);
    }
    const std::pair<std::string, std::string> machines[] = {
        {"sm_52", "maxwell-gtx970"}, {"sm_75", "turing-t4"}, {"sm_90", "hopper-h200"}};
    for (const auto& [isa, architecture] : machines) {
        kernels.push_back(
            example("saxpy", isa + ".sass", isa + ".flow-facts.xml", "saxpy_loop", architecture));
        for (const std::string part : {"rows", "columns"})
            kernels.push_back(example("convolution", isa + ".sass",
                                      fmt::format("{}.{}.flow-facts.xml", isa, part),
                                      "convolution_" + part, architecture));
    }
    for (auto& kernel : kernels) {
        kernel->name += " on " + kernel->architecture;
        auto graph = assembly::build_control_flow_graph(*kernel->function);
        if (!graph) stop(kernel->name + ": " + to_string(graph.error()));
        kernel->graph = std::move(graph).value();
    }
    return kernels;
}

} // namespace warpbound::tests
