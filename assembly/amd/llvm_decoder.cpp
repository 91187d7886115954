#include "assembly/amd/llvm_decoder.hpp"

#include "assembly/amd/state_registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <llvm/Config/llvm-config.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrAnalysis.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <unordered_map>

namespace warpbound::assembly::amd {

namespace {

constexpr const char* triple = "amdgcn-amd-amdhsa";

const llvm::Target& llvm_target() {
    static const llvm::Target* const target = [] {
        LLVMInitializeAMDGPUTargetInfo();
        LLVMInitializeAMDGPUTargetMC();
        LLVMInitializeAMDGPUDisassembler();
        LLVMInitializeAMDGPUAsmParser();
        std::string error;
        return llvm::TargetRegistry::lookupTarget(triple, error);
    }();
    return *target;
}

/// Of a register of LLVM's tables that has no parts, or of a half of one: "SGPR4", "M0_gfxpre11".
std::optional<Register> register_of(llvm::StringRef name) {
    for (const llvm::StringRef suffix : {"_LO16", "_HI16"})
        name.consume_back(suffix);
    for (const llvm::StringRef generation : {"_gfx", "_vi", "_ci", "_si"})
        if (const auto at = name.find(generation); at != llvm::StringRef::npos)
            name = name.take_front(at);
    struct Prefix {
        llvm::StringRef name;
        RegisterFile file;
    };
    for (const auto& [prefix, file] :
         {Prefix{"VGPR", RegisterFile::Vector}, Prefix{"SGPR", RegisterFile::Scalar},
          Prefix{"AGPR", RegisterFile::Accumulation}}) {
        if (!name.starts_with(prefix)) continue;
        int index = 0;
        const auto [end, error] =
            std::from_chars(name.data() + prefix.size(), name.data() + name.size(), index);
        if (error == std::errc{} && end == name.data() + name.size()) return Register{file, index};
    }
    if (const auto index = find_state_register({name.data(), name.size()}))
        return Register{RegisterFile::State, *index};
    return std::nullopt;
}

/// The tables of one processor, for wavefronts of one size.
class Tables {
public:
    Tables(Target target, int lanes, const std::string& features)
        : registers_{llvm_target().createMCRegInfo(triple)},
          instructions_{llvm_target().createMCInstrInfo()}, asm_info_{llvm_target().createMCAsmInfo(
                                                                *registers_, triple, options_)},
          subtarget_{llvm_target().createMCSubtargetInfo(
              triple, to_string(target),
              std::string{lanes == 32 ? "+wavefrontsize32,-wavefrontsize64"
                                      : "-wavefrontsize32,+wavefrontsize64"} +
                  features)},
          lanes_{lanes} {}

    [[nodiscard]] const llvm::MCRegisterInfo& registers() const { return *registers_; }
    [[nodiscard]] const llvm::MCInstrInfo& instructions() const { return *instructions_; }
    [[nodiscard]] const llvm::MCAsmInfo& asm_info() const { return *asm_info_; }
    [[nodiscard]] const llvm::MCSubtargetInfo& subtarget() const { return *subtarget_; }
    [[nodiscard]] const llvm::MCTargetOptions& options() const { return options_; }

    /// Adds the 32-bit registers that a register of the tables consists of.
    void add(llvm::MCRegister reg, bool is_implicit, std::vector<Register>& to) {
        auto [found, is_new] = parts_.try_emplace(reg.id());
        if (is_new) {
            if (const auto whole = register_of(registers_->getName(reg)))
                found->second.push_back(*whole);
            for (const auto part : registers_->subregs(reg))
                if (const auto one = register_of(registers_->getName(part)))
                    found->second.push_back(*one);
        }
        for (const Register& one : found->second)
            if (!(is_implicit && lanes_ == 32 && is_upper_half_of_mask(one))) to.push_back(one);
    }

private:
    static bool is_upper_half_of_mask(const Register& reg) {
        return reg.file == RegisterFile::State &&
               (reg.index == static_cast<int>(StateRegister::ExecHi) ||
                reg.index == static_cast<int>(StateRegister::VccHi));
    }

    llvm::MCTargetOptions options_;
    std::unique_ptr<llvm::MCRegisterInfo> registers_;
    std::unique_ptr<llvm::MCInstrInfo> instructions_;
    std::unique_ptr<llvm::MCAsmInfo> asm_info_;
    std::unique_ptr<llvm::MCSubtargetInfo> subtarget_;
    std::unordered_map<unsigned, std::vector<Register>> parts_;
    int lanes_;
};

void sort_unique(std::vector<Register>& registers) {
    std::sort(registers.begin(), registers.end());
    registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
}

void add_registers(const llvm::MCInst& inst, const llvm::MCInstrDesc& description, Tables& tables,
                   DecodedInstruction& out) {
    for (unsigned i = 0; i < inst.getNumOperands(); ++i) {
        const auto& operand = inst.getOperand(i);
        if (operand.isImm() && !out.immediate) out.immediate = operand.getImm();
        if (!operand.isReg() || operand.getReg() == 0) continue;
        tables.add(operand.getReg(), false, i < description.getNumDefs() ? out.writes : out.reads);
    }
    for (const llvm::MCPhysReg reg : description.implicit_uses())
        tables.add(reg, true, out.reads);
    for (const llvm::MCPhysReg reg : description.implicit_defs())
        tables.add(reg, true, out.writes);
    constexpr std::string_view sdwa = "_sdwa";
    if (out.mnemonic.size() > sdwa.size() &&
        std::string_view{out.mnemonic}.substr(out.mnemonic.size() - sdwa.size()) == sdwa)
        out.reads.insert(out.reads.end(), out.writes.begin(), out.writes.end());
    sort_unique(out.reads);
    sort_unique(out.writes);
}

/// "\ts_load_dwordx2 s[0:1], s[4:5], 0x0" into mnemonic and operands.
void set_text(llvm::StringRef text, DecodedInstruction& out) {
    const auto [mnemonic, operands] = text.trim().split(' ');
    out.mnemonic = mnemonic.str();
    out.operands = operands.trim().str();
}

/// Disassembles one kernel's code.
class Disassembly {
public:
    Disassembly(Target target, int lanes, std::string_view code)
        : tables_{target, lanes, {}}, context_{llvm::Triple{triple}, &tables_.asm_info(),
                                               &tables_.registers(), &tables_.subtarget()},
          disassembler_{llvm_target().createMCDisassembler(tables_.subtarget(), context_)},
          printer_{llvm_target().createMCInstPrinter(llvm::Triple{triple}, 0, tables_.asm_info(),
                                                     tables_.instructions(), tables_.registers())},
          analysis_{llvm_target().createMCInstrAnalysis(&tables_.instructions())},
          code_{reinterpret_cast<const std::uint8_t*>(code.data()), code.size()} {}

    std::vector<DecodedInstruction> run() {
        std::vector<DecodedInstruction> all;
        for (std::uint64_t at = 0; at < code_.size();) {
            all.push_back(instruction_at(at));
            at += static_cast<std::uint64_t>(all.back().bytes);
        }
        return all;
    }

private:
    DecodedInstruction instruction_at(std::uint64_t at) {
        DecodedInstruction one;
        one.address = static_cast<std::int64_t>(at);
        llvm::MCInst inst;
        std::uint64_t size = 0;
        if (disassembler_->getInstruction(inst, size, code_.slice(at), at, llvm::nulls()) !=
            llvm::MCDisassembler::Success) {
            one.bytes = static_cast<int>(std::min<std::uint64_t>(4, code_.size() - at));
            return one;
        }
        one.bytes = static_cast<int>(size);
        std::string text;
        llvm::raw_string_ostream stream{text};
        printer_->printInst(&inst, at, "", tables_.subtarget(), stream);
        set_text(text, one);
        const auto& description = tables_.instructions().get(inst.getOpcode());
        add_registers(inst, description, tables_, one);
        one.may_load = description.mayLoad();
        one.may_store = description.mayStore();
        one.is_branch =
            description.isBranch() || description.isCall() || description.isIndirectBranch();
        one.is_conditional = description.isConditionalBranch();
        one.is_indirect = description.isIndirectBranch();
        std::uint64_t target = 0;
        if (one.is_branch && analysis_->evaluateBranch(inst, at, size, target))
            one.target = static_cast<std::int64_t>(target);
        return one;
    }

    Tables tables_;
    llvm::MCContext context_;
    std::unique_ptr<llvm::MCDisassembler> disassembler_;
    std::unique_ptr<llvm::MCInstPrinter> printer_;
    std::unique_ptr<llvm::MCInstrAnalysis> analysis_;
    llvm::ArrayRef<std::uint8_t> code_;
};

class Llvm final : public CodeDecoder {
public:
    [[nodiscard]] Result<std::vector<DecodedInstruction>>
    decode(Target target, int lanes, std::string_view code) const override {
        return Disassembly{target, lanes, code}.run();
    }

    [[nodiscard]] Result<std::string> assemble(const AssemblyText& text) const override {
        llvm::SourceMgr sources;
        sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text.text, text.name, true),
                                   llvm::SMLoc());
        std::optional<Failure> first;
        sources.setDiagHandler(
            [](const llvm::SMDiagnostic& found, void* to) {
                auto& failure = *static_cast<std::optional<Failure>*>(to);
                if (failure || found.getKind() != llvm::SourceMgr::DK_Error) return;
                failure = Failure{found.getMessage().str(), found.getFilename().str(),
                                  found.getLineNo(), found.getColumnNo() + 1};
            },
            &first);
        const Tables tables{text.target, text.lanes, text.features};
        llvm::MCContext context{llvm::Triple{triple}, &tables.asm_info(), &tables.registers(),
                                &tables.subtarget(), &sources};
        const std::unique_ptr<llvm::MCObjectFileInfo> objects{
            llvm_target().createMCObjectFileInfo(context, false)};
        context.setObjectFileInfo(objects.get());
        llvm::SmallString<0> object;
        llvm::raw_svector_ostream stream{object};
        std::unique_ptr<llvm::MCAsmBackend> backend{llvm_target().createMCAsmBackend(
            tables.subtarget(), tables.registers(), tables.options())};
        auto writer = backend->createObjectWriter(stream);
        const std::unique_ptr<llvm::MCStreamer> streamer{llvm_target().createMCObjectStreamer(
            llvm::Triple{triple}, context, std::move(backend), std::move(writer),
            std::unique_ptr<llvm::MCCodeEmitter>{
                llvm_target().createMCCodeEmitter(tables.instructions(), context)},
            tables.subtarget())};
        const std::unique_ptr<llvm::MCAsmParser> parser{
            llvm::createMCAsmParser(sources, context, *streamer, tables.asm_info())};
        const std::unique_ptr<llvm::MCTargetAsmParser> target_parser{
            llvm_target().createMCAsmParser(tables.subtarget(), *parser, tables.instructions(),
                                            tables.options())};
        parser->setTargetParser(*target_parser);
        const bool failed = parser->Run(false);
        if (first) return *first;
        if (failed || context.hadError()) return Failure{"is not assembled", text.name};
        return std::string{object.data(), object.size()};
    }
};

} // namespace

const CodeDecoder& llvm_decoder() {
    static const Llvm decoder;
    return decoder;
}

std::string llvm_version() {
    return LLVM_VERSION_STRING;
}

} // namespace warpbound::assembly::amd
