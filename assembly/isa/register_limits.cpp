#include "assembly/isa/register_limits.hpp"

#include <charconv>

namespace warpbound::assembly {

namespace {

bool is_word(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '$';
}

/// `R12`, `UR3`, `P0`, `UP1` as a whole word; nothing for other words.
std::optional<Register> register_word(std::string_view word) {
    const bool uniform = !word.empty() && word.front() == 'U';
    if (uniform) word.remove_prefix(1);
    if (word.size() < 2 || (word.front() != 'R' && word.front() != 'P')) return std::nullopt;
    const bool predicate = word.front() == 'P';
    int index = 0;
    const auto [end, error] = std::from_chars(word.data() + 1, word.data() + word.size(), index);
    if (end != word.data() + word.size() || index < 0) return std::nullopt;
    if (error != std::errc{}) index = 1 << 30; // too large for an int: no such register
    if (predicate)
        return Register{uniform ? RegisterFile::UniformPredicate : RegisterFile::Predicate, index};
    return Register{uniform ? RegisterFile::Uniform : RegisterFile::General, index};
}

struct FindMissing {
    Target target;

    [[nodiscard]] std::optional<std::string> check(RegisterFile file, int index) const {
        if (index < register_count(file, target)) return std::nullopt;
        return to_string(Register{file, index});
    }
    [[nodiscard]] std::optional<std::string> check(RegisterFile file,
                                                   const std::optional<int>& index) const {
        // URZ and UPT name a file, too; RZ and PT exist everywhere. -1 is a constant register.
        return check(file, index.value_or(-1) < 0 ? 0 : *index);
    }
    std::optional<std::string> operator()(const RegisterOperand& reg) const {
        return check(reg.file, reg.index);
    }
    std::optional<std::string> operator()(const ConstantOperand& constant) const {
        if (constant.index_register)
            if (auto missing = check(RegisterFile::General, constant.index_register))
                return missing;
        if (constant.uniform_register)
            if (auto missing = check(RegisterFile::Uniform, constant.uniform_register))
                return missing;
        if (constant.bank_register) return check(RegisterFile::Uniform, constant.bank_register);
        return std::nullopt;
    }
    std::optional<std::string> operator()(const MemoryOperand& memory) const {
        for (const auto* reg : {&memory.base, &memory.uniform, &memory.descriptor})
            if (*reg)
                if (auto missing = check((*reg)->file, (*reg)->index)) return missing;
        return std::nullopt;
    }
    std::optional<std::string> operator()(const TextOperand& text) const {
        for (const Register reg : registers_in_text(text.text))
            if (auto missing = check(reg.file, reg.index)) return missing;
        return std::nullopt;
    }
    template <typename Other> std::optional<std::string> operator()(const Other&) const {
        return std::nullopt;
    }
};

} // namespace

int register_count(RegisterFile file, Target target) {
    switch (file) {
    case RegisterFile::General:
        return target.sm < 35 ? 63 : 255;
    case RegisterFile::Predicate:
        return 7;
    case RegisterFile::Uniform:
        // 63 up to Hopper. Later targets have more; how many is not documented, the encoding has 8
        // bits.
        return target.sm < 75 ? 0 : target.sm < 100 ? 63 : 255;
    case RegisterFile::UniformPredicate:
        return target.sm < 75 ? 0 : 7;
    case RegisterFile::Carry:
        return target.sm < 70 ? 1 : 0;
    case RegisterFile::Barrier:
        return target.sm < 70 ? 0 : 16;
    case RegisterFile::Vector:
    case RegisterFile::Scalar:
    case RegisterFile::Accumulation:
    case RegisterFile::State: // Of AMD; LLVM decodes no register that a processor lacks.
        break;
    }
    return 0;
}

std::optional<std::string> missing_register(const Operand& operand, Target target) {
    return std::visit(FindMissing{target}, operand);
}

std::vector<Register> registers_in_text(std::string_view text) {
    std::vector<Register> registers;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at])) {
            ++at;
            continue;
        }
        std::size_t end = at;
        while (end < text.size() && is_word(text[end]))
            ++end;
        if (const auto reg = register_word(text.substr(at, end - at))) registers.push_back(*reg);
        at = end;
    }
    return registers;
}

} // namespace warpbound::assembly
