#include "harness/suite/emission/ptx_emission.hpp"

#include "harness/suite/emission/ptx_frame.hpp"
#include "harness/suite/emission/ptx_statement.hpp"
#include "harness/suite/emission/register_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace warpbound::harness {

namespace {

/// The first PTX release that knows a target (PTX ISA, release history).
struct PtxRelease {
    int sm;
    std::string_view version;
};
constexpr auto releases = std::to_array<PtxRelease>({{30, "3.1"},
                                                     {35, "3.1"},
                                                     {50, "4.0"},
                                                     {60, "5.0"},
                                                     {70, "6.0"},
                                                     {75, "6.3"},
                                                     {80, "7.0"},
                                                     {90, "7.8"}});

constexpr std::int64_t warp_lanes = 32;

/// How registers of a type are declared, loaded and folded into 32 bits.
struct RegisterType {
    std::string_view name;
    std::string_view type;
    std::string_view fold; ///< `{}` is the register; leaves its value in %part.
};
constexpr auto register_types =
    std::to_array<RegisterType>({{"r", "u32", "mov.b32 %part, {};"},
                                 {"f", "f32", "mov.b32 %part, {};"},
                                 {"rd", "u64", "cvt.u32.u64 %part, {};"},
                                 {"fd", "f64", "mov.b64 %wide, {}; cvt.u32.u64 %part, %wide;"},
                                 {"p", "pred", "selp.b32 %part, 1, 0, {};"},
                                 {"walk_by_", "u64", "cvt.u32.u64 %part, {};"}});

const RegisterType* register_type_of(std::string_view name) {
    const auto* const found =
        std::find_if(register_types.begin(), register_types.end(),
                     [&](const RegisterType& candidate) { return candidate.name == name; });
    return found == register_types.end() ? nullptr : found;
}

/// Classes of instructions that may belong to the loop control.
bool may_be_loop_control(assembly::OpcodeClass opcode_class) {
    using enum assembly::OpcodeClass;
    return opcode_class == IntegerAdd || opcode_class == IntegerCompare ||
           opcode_class == Uniform || opcode_class == Branch;
}

/// Generates the kernel text.

class Writer {
public:
    /// `trips`: iterations of the timed operations.
    explicit Writer(std::int64_t trips) : trips_{trips} { kernel.loops = trips > 1; }

    Result<void> take(const std::vector<Operation>& operations, bool timed) {
        for (const auto& operation : operations) {
            if (operation.ptx.empty() || operation.needs_assembler)
                return Failure{fmt::format("'{}' has no PTX", operation.text), "PTX"};
            if (timed && kernel.loops && may_be_loop_control(operation.opcode_class))
                return Failure{"in a loop it could be one of the loop's own instructions",
                               operation.ptx};
            const PtxEffects effects = effects_of_ptx(operation.ptx);
            for (const auto& reg : effects.reads)
                if (auto known = note_read(reg, effects.largest_offset); !known) return known;
            for (const auto& reg : effects.writes) {
                if (register_type_of(reg.prefix) == nullptr)
                    return Failure{fmt::format("'{}' cannot be written", reg.name()),
                                   operation.ptx};
                written_.insert(reg);
            }
            if (timed) append_to_region(operation, effects, producers_, kernel);
            note_level(operation, kernel);
            if (auto walked = take_walk(operation, effects, kernel); !walked) return walked;
        }
        return boost::outcome_v2::success();
    }

    /// Requires: `before` and `timed` were passed to `take`.
    std::string body(const std::vector<Operation>& before, const std::vector<Operation>& timed) {
        const auto write = [&](const std::vector<Operation>& operations) {
            for (const auto& operation : operations)
                line(operation.ptx);
        };
        declare();
        set_up();
        line("mov.u64 %before, %globaltimer;");
        write(before);
        line("mov.u64 %first, %clock64;");
        if (kernel.loops) text_ += "again:\n  .pragma \"nounroll\";\n";
        write(timed);
        if (kernel.loops) {
            line("sub.u32 %left, %left, 1;");
            line("setp.ne.u32 %more, %left, 0;");
            line("@%more bra again;");
        }
        line("mov.u64 %last, %clock64;");
        line("mov.u64 %after, %globaltimer;");
        keep();
        text_ += ptx_record();
        return std::move(text_);
    }

    PtxKernel kernel;

private:
    /// Notes a register that is read; if not yet written, it needs an initial value.
    Result<void> note_read(const PtxRegister& reg, std::int64_t largest_offset) {
        reserve_memory(reg, warp_lanes, largest_offset, kernel);
        if (!is_address(reg) && register_type_of(reg.prefix) == nullptr)
            return Failure{fmt::format("'{}' is no register of generated PTX", reg.name()), "PTX"};
        if (written_.count(reg) == 0) inputs_.insert(reg);
        return boost::outcome_v2::success();
    }

    void line(std::string_view statement) { text_ += fmt::format("  {}\n", statement); }

    void declare() {
        line(".reg .b64 %records, %kept, %data, %memory, %first, %last, %before, %after, %wide;");
        line(".reg .b32 %never, %sum, %part, %lane, %thread, %warp;");
        line(".reg .pred %leave, %leader;");
        if (kernel.loops) line(".reg .b32 %left; .reg .pred %more;");
        std::set<PtxRegister> all = inputs_;
        all.insert(written_.begin(), written_.end());
        for (const auto& reg : all) {
            const RegisterType* known_type = register_type_of(reg.prefix);
            const std::string_view type = known_type != nullptr         ? known_type->type
                                          : reg.prefix == shared_prefix ? "u32"
                                                                        : "u64";
            line(fmt::format(".reg .{} {};", type, reg.name()));
        }
    }

    void fold(const PtxRegister& reg) {
        line(fmt::format(fmt::runtime(register_type_of(reg.prefix)->fold), reg.name()));
        line("xor.b32 %sum, %sum, %part;");
    }

    /// Loads the initial register values and waits until they are available: the branch depends on
    /// all of them.
    void set_up() {
        line("ld.param.u64 %records, [records];");
        line("ld.param.u64 %kept, [kept];");
        line("ld.param.u64 %data, [data];");
        line("ld.param.u64 %memory, [memory];");
        line("ld.param.u32 %never, [never];");
        line("mov.u32 %lane, %laneid;");
        line("mov.u32 %thread, %ntid.x;");
        line("mov.u32 %part, %ctaid.x;");
        line("mul.lo.u32 %warp, %thread, %part;");
        // Warps are counted by block, and a block's last warp may be partly empty.
        line("add.u32 %sum, %thread, 31;");
        line("shr.u32 %sum, %sum, 5;");
        line("mul.lo.u32 %part, %sum, %part;");
        line("mov.u32 %sum, %tid.x;");
        line("add.u32 %thread, %warp, %sum;");
        line("shr.u32 %sum, %sum, 5;");
        line("add.u32 %warp, %part, %sum;");
        line("mov.u32 %sum, 0;");
        line("mad.wide.u32 %data, %lane, 8, %data;");
        if (kernel.loops) line(fmt::format("mov.u32 %left, {};", trips_));
        for (const auto& reg : inputs_) {
            if (reg.prefix == shared_prefix) {
                line(fmt::format("mov.u32 {}, shared_words;", reg.name()));
                line(fmt::format("mad.lo.u32 {0}, %lane, {1}, {0};", reg.name(),
                                 shared_word * reg.number));
            } else if (reg.prefix == global_prefix) {
                line(fmt::format("mad.wide.u32 {}, %warp, {}, %memory;", reg.name(),
                                 kernel.memory_per_warp));
                line(fmt::format("mad.wide.u32 {0}, %lane, {1}, {0};", reg.name(), reg.number));
            } else if (reg.prefix == walk_prefix) {
                line(fmt::format("mad.wide.u32 {}, %warp, {}, %memory;", reg.name(),
                                 kernel.memory_per_warp));
                // Pass the address through memory: otherwise ptxas 13.0 copies it after the first
                // clock read. The field of the first clock is overwritten later; a stored record is
                // recognised by its last clock.
                line(fmt::format("mad.wide.u32 %wide, %warp, {}, %records;", sizeof(WarpRecord)));
                line(fmt::format("st.volatile.global.u64 [%wide], {};", reg.name()));
                line(fmt::format("ld.volatile.global.u64 {}, [%wide];", reg.name()));
                line(fmt::format("cvt.u32.u64 %part, {};", reg.name()));
                line("shr.u32 %part, %part, 1;"); // `never` has the highest bit.
                line("xor.b32 %sum, %sum, %part;");
            } else {
                load(reg);
            }
        }
        line("setp.eq.u32 %leave, %sum, %never;");
        line("@%leave bra done;");
    }

    void load(const PtxRegister& reg) {
        const auto offset = static_cast<std::int64_t>(kernel.data.size() * sizeof(std::uint64_t));
        // Each lane loads its own copy: warp-uniform values would go to uniform registers and
        // units.
        kernel.data.insert(kernel.data.end(), warp_lanes, start_value(reg));
        if (reg.prefix == "p") {
            line(fmt::format("ld.global.u32 %part, [%data+{}];", offset));
            line(fmt::format("setp.ne.u32 {}, %part, %never;", reg.name()));
        } else {
            line(fmt::format("ld.global.{} {}, [%data+{}];", register_type_of(reg.prefix)->type,
                             reg.name(), offset));
        }
        fold(reg);
    }

    /// Stores the checksum of the results.
    void keep() {
        for (const auto& reg : written_)
            fold(reg);
        line("mad.wide.u32 %kept, %thread, 4, %kept;");
        line("st.global.u32 [%kept], %sum;");
    }

    std::int64_t trips_;
    std::string text_;
    std::set<PtxRegister> inputs_;
    std::set<PtxRegister> written_;
    Producers producers_;
};

} // namespace

Result<std::string> ptx_header(assembly::Target target) {
    const PtxRelease* release = nullptr;
    for (const auto& candidate : releases)
        if (candidate.sm <= target.sm) release = &candidate;
    if (release == nullptr)
        return Failure{fmt::format("{} has no timer of nanoseconds, which generated PTX reads; "
                                   "expected sm_30 or later",
                                   to_string(target)),
                       "PTX"};
    return fmt::format(".version {}\n.target sm_{}\n.address_size 64\n"
                       ".extern .shared .align 16 .b32 shared_words[];\n",
                       release->version, release->sm);
}

Result<PtxKernel> emit_ptx(const std::string& entry, const std::vector<Operation>& before,
                           const std::vector<Operation>& timed, assembly::Target target,
                           std::int64_t trips) {
    auto header = ptx_header(target);
    if (!header) return header.as_failure();
    Writer writer{trips};
    if (auto taken = writer.take(before, false); !taken) return taken.as_failure();
    if (auto taken = writer.take(timed, true); !taken) return taken.as_failure();
    // Each warp's memory begins at a line boundary.
    constexpr std::int64_t line_bytes = 128;
    auto& per_warp = writer.kernel.memory_per_warp;
    per_warp = (per_warp + line_bytes - 1) / line_bytes * line_bytes;
    const std::string body = writer.body(before, timed);
    PtxKernel kernel = std::move(writer.kernel);
    kernel.entry = entry;
    kernel.text = std::move(header).value() + ptx_entry(entry, body);
    return kernel;
}

} // namespace warpbound::harness
