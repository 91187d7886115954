#include "assembly/isa/annotation.hpp"
#include "assembly/isa/operand_reader.hpp"
#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <map>

namespace warpbound::assembly {

namespace {

std::string statement(const Instruction& instruction, bool quoted_labels) {
    std::string text;
    // What decides a branch of AMD is in its name.
    if (instruction.guard && instruction.guard->predicate.file != RegisterFile::State)
        text = fmt::format("@{} ", print_operand(instruction.guard->predicate));
    text += opcode_text(instruction);
    bool first = true;
    for (const auto& operand : instruction.operands) {
        text += first ? " " : ", ";
        first = false;
        const auto* target = std::get_if<TargetOperand>(&operand);
        if (target != nullptr && !target->label.empty() && quoted_labels)
            text += fmt::format("`({})", target->label);
        else
            text += print_operand(operand);
    }
    return text;
}

/// Labels by their address; indirect targets without a name get one.
std::map<std::int64_t, std::vector<std::string>> labels_of(const Function& function) {
    std::map<std::int64_t, std::vector<std::string>> labels;
    const auto add = [&](std::int64_t address, const std::string& name) {
        auto& names = labels[address];
        for (const auto& known : names)
            if (known == name) return;
        names.push_back(name);
    };
    for (const auto& instruction : function.instructions) {
        for (const auto& operand : instruction.operands)
            if (const auto* target = std::get_if<TargetOperand>(&operand);
                target != nullptr && !target->label.empty() && target->address)
                add(*target->address, target->label);
        for (const auto address : instruction.indirect_targets)
            add(address, fmt::format(".L_at_{:x}", address));
    }
    return labels;
}

/// As `noted_targets` reads it, with a blank before it; empty when there are none.
std::string targets_note(const Instruction& instruction,
                         std::map<std::int64_t, std::vector<std::string>>& labels) {
    if (instruction.indirect_targets.empty()) return {};
    std::string text = " (*\"BRANCH_TARGETS ";
    for (std::size_t i = 0; i < instruction.indirect_targets.size(); ++i)
        text += (i == 0 ? "" : ",") + labels[instruction.indirect_targets[i]].front();
    return text + "\"*)";
}

std::string print_bare(const Function& function) {
    std::string out =
        fmt::format("!Arch {}\n!Kernel {}\n", to_string(function.target), function.name);
    if (function.register_count) out += fmt::format("!RegCount {}\n", *function.register_count);
    if (function.shared_memory) out += fmt::format("!Shared {}\n", *function.shared_memory);
    auto labels = labels_of(function);
    for (const auto& instruction : function.instructions) {
        for (const auto& label : labels[instruction.address])
            out += label + ":\n";
        out += fmt::format("  {}{}{}{};\n", statement(instruction, false),
                           targets_note(instruction, labels), instruction.control ? " " : "",
                           instruction.control ? print_annotation(*instruction.control) : "");
    }
    return out + "!EndKernel\n";
}

/// Bytes of a section `.nv.shared.k`.
std::optional<std::int64_t> shared_section(const Function& function) {
    if (!function.shared_memory) return std::nullopt;
    return *function.shared_memory + reserved_shared_memory(function.target);
}

std::string print_nvdisasm_head(const Function& function) {
    std::string out = fmt::format("\t.target\t{}\n", to_string(function.target));
    if (const auto bytes = shared_section(function))
        out += fmt::format("\t.section\t.nv.shared.{},\"aw\",@nobits\n\t.zero\t{}\n", function.name,
                           *bytes);
    out += fmt::format("\t.section\t.text.{}\n", function.name);
    if (function.register_count)
        out += fmt::format("\t.sectioninfo\t@\"SHI_REGISTERS={}\"\n", *function.register_count);
    return out;
}

std::string print_cuobjdump_head(const Function& function) {
    std::string out = fmt::format("\tcode for {}\n", to_string(function.target));
    if (function.register_count)
        out += fmt::format("\tValue:\tfunction: {}(0x0)\tregister count: {}\n", function.name,
                           *function.register_count);
    if (const auto bytes = shared_section(function))
        out += fmt::format("    0      0 {:6x}  0  4            NOBITS       3    0        0 "
                           ".nv.shared.{}\n",
                           *bytes, function.name);
    return out + fmt::format("\t\tFunction : {}\n", function.name);
}

std::string print_disassembly(const Function& function, bool nvdisasm) {
    std::string out = nvdisasm ? print_nvdisasm_head(function) : print_cuobjdump_head(function);
    auto labels = labels_of(function);
    std::size_t next_word = 0;
    std::optional<std::uint32_t> source_frame;
    for (const auto& instruction : function.instructions) {
        if (instruction.source_frame != source_frame)
            out += print_source_markers(function.source_lines, instruction.source_frame);
        source_frame = instruction.source_frame;
        for (; next_word < function.control_words.size() &&
               function.control_words[next_word].address < instruction.address;
             ++next_word)
            out +=
                fmt::format("{:86}/* 0x{:016x} */\n", "", function.control_words[next_word].bits);
        for (const auto& label : labels[instruction.address])
            out += label + ":\n";
        std::string text = statement(instruction, true) + targets_note(instruction, labels);
        if (!instruction.encoding && instruction.control)
            text += fmt::format(" {}", print_annotation(*instruction.control));
        out += fmt::format("        /*{:04x}*/ {:>26}{} ;", instruction.address, "", text);
        if (instruction.encoding) {
            out += fmt::format(" /* 0x{:016x} */", instruction.encoding->low);
            if (instruction.encoding->high)
                out += fmt::format("\n{:86}/* 0x{:016x} */", "", *instruction.encoding->high);
        }
        out += "\n";
    }
    return nvdisasm ? out : out + "\t\t..........\n\n";
}

} // namespace

std::string print(const Instruction& instruction) {
    return statement(instruction, false) + " ;";
}

std::string print(const Program& program) {
    std::string out;
    for (const auto& function : program.functions)
        out += program.form == TextForm::Bare
                   ? print_bare(function)
                   : print_disassembly(function, program.form == TextForm::Nvdisasm);
    return out;
}

} // namespace warpbound::assembly
