#include "assembly/amd/program_builder.hpp"

#include "assembly/amd/counters.hpp"
#include "assembly/amd/exec_mask.hpp"
#include "assembly/amd/opcodes.hpp"
#include "assembly/amd/processor.hpp"
#include "assembly/amd/state_registers.hpp"
#include "assembly/binary/byte_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace warpbound::assembly::amd {

namespace {

/// `s_cbranch_vccz L`: the branch is taken where VCC is zero.
std::optional<Guard> condition_of(std::string_view mnemonic) {
    struct Condition {
        std::string_view suffix;
        StateRegister decides;
        bool negated;
    };
    constexpr std::array conditions{
        Condition{"_scc0", StateRegister::Scc, true},
        Condition{"_scc1", StateRegister::Scc, false},
        Condition{"_vccz", StateRegister::VccLo, true},
        Condition{"_vccnz", StateRegister::VccLo, false},
        Condition{"_execz", StateRegister::ExecLo, true},
        Condition{"_execnz", StateRegister::ExecLo, false},
    };
    for (const auto& [suffix, decides, negated] : conditions) {
        if (mnemonic.size() < suffix.size() ||
            mnemonic.substr(mnemonic.size() - suffix.size()) != suffix)
            continue;
        Guard guard;
        guard.predicate.file = RegisterFile::State;
        guard.predicate.index = static_cast<int>(decides);
        guard.predicate.negated = negated;
        return guard;
    }
    return std::nullopt;
}

ControlFlow control_flow_of(const DecodedInstruction& decoded) {
    if (decoded.mnemonic.empty()) return ControlFlow::Unknown;
    if (decoded.mnemonic.starts_with("s_endpgm")) return ControlFlow::Exit;
    if (decoded.mnemonic.starts_with("s_trap")) return ControlFlow::Trap;
    if (decoded.is_indirect || decoded.mnemonic.starts_with("s_swappc"))
        return ControlFlow::IndirectBranch;
    // Forks, joins, branches of debuggers, calls, returns from traps: each has a rule of its own.
    for (const std::string_view other : {"s_cbranch", "s_call", "s_rfe", "s_subvector_loop"})
        if (decoded.mnemonic.starts_with(other) && !condition_of(decoded.mnemonic))
            return ControlFlow::Unknown;
    if (!decoded.is_branch) return ControlFlow::None;
    return decoded.target ? ControlFlow::Branch : ControlFlow::Unknown;
}

/// What compilers fill the space behind a kernel with.
bool is_padding(const DecodedInstruction& decoded) {
    return decoded.mnemonic.empty() || decoded.mnemonic == "s_nop" ||
           decoded.mnemonic == "s_code_end";
}

/// A load that writes LDS, not registers.
bool loads_into_lds(const DecodedInstruction& decoded) {
    return decoded.mnemonic.find("_lds_") != std::string::npos ||
           std::string_view{decoded.operands}.ends_with(" lds");
}

/// "v1, v[2:3], s4 offset:16" at its commas outside brackets.
std::vector<Operand> operands_of(const DecodedInstruction& decoded) {
    std::vector<Operand> operands;
    if (decoded.target) {
        operands.emplace_back(TargetOperand{{}, decoded.target});
        return operands;
    }
    std::string_view rest = decoded.operands;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(", "), rest.size());
        operands.emplace_back(TextOperand{std::string{rest.substr(0, end)}});
        rest.remove_prefix(std::min(rest.size(), end + 2));
    }
    return operands;
}

Effects effects_of(const DecodedInstruction& decoded, const OpcodeProperties& properties) {
    Effects effects;
    effects.reads = decoded.reads;
    effects.writes = decoded.writes;
    effects.reads_clock = properties.opcode_class == OpcodeClass::ClockRead;
    effects.exact = !decoded.mnemonic.empty();
    effects.writes_known = effects.exact;
    const bool accesses = decoded.may_load || decoded.may_store;
    if (accesses && loads_into_lds(decoded))
        effects.memory = MemoryEffect{StateSpace::Generic, true, true, properties.bytes_per_lane};
    else if (accesses && properties.space != StateSpace::None)
        effects.memory = MemoryEffect{properties.space, decoded.may_load, decoded.may_store,
                                      properties.bytes_per_lane};
    return effects;
}

Encoding encoding_of(std::string_view code, const DecodedInstruction& decoded) {
    const auto at = static_cast<std::uint64_t>(decoded.address);
    if (decoded.bytes < 8) return {number_at<std::uint32_t>(code, at).value_or(0), std::nullopt};
    return {number_at<std::uint64_t>(code, at).value_or(0), std::nullopt};
}

Instruction instruction_of(DecodedInstruction decoded, std::string_view code) {
    const OpcodeProperties properties = properties_of(decoded.mnemonic);
    Instruction instruction;
    instruction.address = decoded.address;
    instruction.opcode_class = properties.opcode_class;
    instruction.control_flow = control_flow_of(decoded);
    if (decoded.is_conditional) instruction.guard = condition_of(decoded.mnemonic);
    instruction.operands = operands_of(decoded);
    instruction.effects = effects_of(decoded, properties);
    instruction.encoding = encoding_of(code, decoded);
    instruction.mnemonic =
        decoded.mnemonic.empty() ? std::string{"(no instruction)"} : std::move(decoded.mnemonic);
    return instruction;
}

/// The value behind a word that begins a line, blanks aside; nothing: no line has it.
std::optional<std::string_view> value_of_line(std::string_view text, std::string_view word) {
    constexpr std::string_view blanks = " \t";
    for (std::size_t at = text.find(word); at != std::string_view::npos;
         at = text.find(word, at + 1)) {
        const std::size_t line = text.rfind('\n', at) + 1;
        if (text.substr(line, at - line).find_first_not_of(blanks) != std::string_view::npos)
            continue;
        std::string_view rest = text.substr(at + word.size());
        if (!rest.empty() && blanks.find(rest.front()) == std::string_view::npos) continue;
        rest = rest.substr(0, rest.find_first_of("\r\n;"));
        rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
        return rest.substr(0, rest.find_last_not_of(blanks) + 1);
    }
    return std::nullopt;
}

/// ",+sramecc,-xnack" of "gfx90a:sramecc+:xnack-".
std::string features_of(std::string_view processor) {
    std::string out;
    std::size_t at = processor.find(':');
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(processor.find(':', at + 1), processor.size());
        const std::string_view feature = processor.substr(at + 1, end - at - 1);
        if (feature.size() > 1)
            out += fmt::format(",{}{}", feature.back(), feature.substr(0, feature.size() - 1));
        at = end == processor.size() ? std::string_view::npos : end;
    }
    return out;
}

} // namespace

Result<Function> build_function(const CodeObjectKernel& kernel, Target target,
                                const CodeDecoder& decoder) {
    auto decoded = decoder.decode(target, kernel.lanes, kernel.code);
    if (!decoded) return decoded.as_failure();
    auto& all = decoded.value();
    while (!all.empty() && is_padding(all.back()))
        all.pop_back();
    if (all.empty()) return Failure{fmt::format("kernel '{}' has no instruction", kernel.name)};
    Function function;
    function.name = kernel.name;
    function.target = target;
    function.step = 4;
    if (kernel.vgprs)
        function.register_count = static_cast<int>(std::max(*kernel.vgprs, kernel.allocated_vgprs));
    function.shared_memory = kernel.lds_bytes;
    function.entry = kernel.entry;
    function.entry.lanes = kernel.lanes;
    for (auto& one : all)
        function.instructions.push_back(instruction_of(std::move(one), kernel.code));
    add_counters(function);
    add_exec_guards(function);
    return function;
}

Program build_program(const CodeObject& object, const std::string& name,
                      const CodeDecoder& decoder) {
    Program program;
    program.form = TextForm::Amd;
    program.name = name;
    for (const CodeObjectKernel& kernel : object.kernels) {
        auto function = build_function(kernel, object.target, decoder);
        if (function)
            program.functions.push_back(std::move(function).value());
        else
            program.unread.push_back({kernel.name, object.target, {function.error()}});
    }
    return program;
}

Result<Program> read_code(const SourceText& source, const CodeDecoder* decoder) {
    if (decoder == nullptr)
        return Failure{"code of AMD, and nothing here decodes its instructions", source.name};
    const auto object = read_code_object(source.text);
    if (!object) return Failure{object.error().what, source.name};
    Program program = build_program(object.value(), source.name, *decoder);
    program.digest = digest_of(source.text);
    return program;
}

Result<AssemblyText> describe_text(std::string name, std::string text,
                                   const std::optional<Target>& stated) {
    AssemblyText described;
    const auto line = value_of_line(text, ".amdgcn_target");
    std::string_view named = line.value_or(std::string_view{});
    if (const std::size_t at = named.find("gfx"); at != std::string_view::npos)
        named = named.substr(at, named.find('"', at) - at);
    const auto target = stated ? stated : parse_processor(named);
    if (!target && named.empty())
        return Failure{"assembly without .amdgcn_target; say which processor: --target gfx90a",
                       std::move(name)};
    if (!target)
        return Failure{fmt::format("assembly for {}, which is not read; expected one of {}", named,
                                   list_of_processors()),
                       std::move(name)};
    described.features = features_of(named);
    described.target = *target;
    const auto* const processor = find_processor(*target);
    const auto wave32 = value_of_line(text, ".amdhsa_wavefront_size32");
    described.lanes =
        processor != nullptr && processor->has_wave32 && wave32.value_or("1") != "0" ? 32 : 64;
    described.name = std::move(name);
    described.text = std::move(text);
    return described;
}

bool is_amd_assembly(std::string_view text) {
    return value_of_line(text, ".amdgcn_target") || value_of_line(text, ".amdhsa_kernel");
}

} // namespace warpbound::assembly::amd
