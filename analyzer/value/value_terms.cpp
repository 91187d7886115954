#include "analyzer/value/value_terms.hpp"

#include "analyzer/value/operand_forms.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <set>
#include <string_view>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;
using Kind = Term::Kind;

/// A predicate's term, and whether it is its negation.
struct TruthTerm {
    TermId term = 0;
    bool negated = false;
    friend bool operator==(const TruthTerm&, const TruthTerm&) = default;
};

struct Registers {
    std::map<Register, TermId> numbers;
    std::map<Register, TruthTerm> truths;

    void forget(Register reg) {
        numbers.erase(reg);
        truths.erase(reg);
    }
    void keep_common(const Registers& other) {
        std::erase_if(numbers, [&](const auto& one) {
            const auto found = other.numbers.find(one.first);
            return found == other.numbers.end() || found->second != one.second;
        });
        std::erase_if(truths, [&](const auto& one) {
            const auto found = other.truths.find(one.first);
            return found == other.truths.end() || !(found->second == one.second);
        });
    }
};

bool has_modifiers(const Instruction& instruction, std::initializer_list<std::string_view> all) {
    return instruction.modifiers.size() == all.size() &&
           std::equal(all.begin(), all.end(), instruction.modifiers.begin());
}

bool is_named(const Instruction& instruction, std::initializer_list<std::string_view> names) {
    return std::ranges::find(names, std::string_view{instruction.mnemonic}) != names.end();
}

class Numbering {
public:
    Numbering(const Function& function, const ControlFlowGraph& graph)
        : function_{function}, graph_{graph} {}

    std::vector<DividedAt> divisions() {
        std::vector<Registers> after(graph_.blocks.size());
        for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
            now_ = before(block, after);
            for (std::size_t i = graph_.blocks[block].first; i <= graph_.blocks[block].last; ++i)
                execute(i);
            after[block] = now_;
        }
        std::vector<DividedAt> found;
        for (const auto& [instruction, division] : found_)
            if (division) found.push_back(*division);
        return found;
    }

private:
    /// What all paths into the block agree on. A loop's header keeps nothing that the loop writes.
    Registers before(std::size_t block, const std::vector<Registers>& after) const {
        std::optional<Registers> joined;
        for (const std::size_t edge : graph_.blocks[block].in) {
            const std::size_t from = graph_.edges[edge].from;
            if (from >= block) continue; // A back edge.
            if (joined)
                joined->keep_common(after[from]);
            else
                joined = after[from];
        }
        if (!joined) return {};
        for (const assembly::Loop& loop : graph_.loops)
            if (loop.header == block)
                for (const std::size_t inside : loop.blocks)
                    forget_written(graph_.blocks[inside], *joined);
        // Other lanes may write registers of the warp meanwhile.
        const auto is_of_warp = [](const auto& one) {
            return one.first.file == RegisterFile::Uniform ||
                   one.first.file == RegisterFile::UniformPredicate;
        };
        std::erase_if(joined->numbers, is_of_warp);
        std::erase_if(joined->truths, is_of_warp);
        return *joined;
    }

    void forget_written(const assembly::BasicBlock& block, Registers& registers) const {
        for (std::size_t i = block.first; i <= block.last; ++i) {
            const auto& effects = function_.instructions[i].effects;
            if (!effects.writes_known) registers = {};
            for (const Register reg : effects.writes)
                registers.forget(reg);
        }
    }

    TermId id_of(const Term& term) {
        const auto [entry, is_new] = ids_.emplace(term, terms_.size());
        if (is_new) terms_.push_back(term);
        return entry->second;
    }
    TermId unknown() { return id_of({Kind::Unknown, 0, 0, unknowns_++}); }
    TermId number(std::uint32_t value) { return id_of({Kind::Number, 0, 0, value}); }
    TermId negative(TermId of) {
        const Term term = terms_[of];
        if (term.kind == Kind::Negative) return term.first;
        if (term.kind == Kind::Number) return number(0 - static_cast<std::uint32_t>(term.number));
        return id_of({Kind::Negative, of, 0, 0});
    }
    [[nodiscard]] bool is_number(TermId id, std::uint32_t value) const {
        return terms_[id].kind == Kind::Number && terms_[id].number == value;
    }
    [[nodiscard]] bool is(TermId id, Kind kind) const { return terms_[id].kind == kind; }

    TermId held(Register reg) {
        const auto [entry, is_new] = now_.numbers.emplace(reg, 0);
        if (is_new) entry->second = unknown();
        return entry->second;
    }

    std::optional<TermId> source(const Operand& operand) {
        if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
            if (reg->absolute || reg->inverted || is_predicate(reg->file) ||
                !only_suffix(reg->suffixes, "reuse"))
                return std::nullopt;
            const TermId plain = reg->index ? held({reg->file, *reg->index}) : number(0);
            return reg->negated ? negative(plain) : plain;
        }
        if (const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand)) {
            const auto value = value_of(*immediate);
            return value ? std::optional{number(*value)} : std::nullopt;
        }
        const auto* word = std::get_if<assembly::ConstantOperand>(&operand);
        if (word == nullptr || word->absolute || word->inverted || !word->suffixes.empty() ||
            word->bank_register || !is_one_word(*word))
            return std::nullopt;
        const TermId plain = id_of({Kind::Word, 0, static_cast<TermId>(word->bank), word->offset});
        return word->negated ? negative(plain) : plain;
    }

    /// The numbers that an instruction reads, in order; nothing if one is in a form not known.
    std::optional<std::vector<TermId>> sources(const Instruction& instruction) {
        std::vector<TermId> all;
        for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
            if (const auto* predicate = as_predicate(instruction.operands[i])) {
                if (predicate->index) return std::nullopt;
                continue;
            }
            const auto term = source(instruction.operands[i]);
            if (!term) return std::nullopt;
            all.push_back(*term);
        }
        return all;
    }

    /// The terms of a sum that are not zero.
    std::optional<std::vector<TermId>> summands(const Instruction& instruction) {
        const bool is_sum =
            is_named(instruction, {"IADD3", "UIADD3", "VIADD"}) && instruction.modifiers.empty();
        const bool is_product = is_named(instruction, {"IMAD", "UIMAD"}) &&
                                only_modifiers(instruction, {"MOV", "IADD", "U32"});
        const bool is_move = is_named(instruction, {"MOV", "UMOV"}) &&
                             instruction.modifiers.empty() && instruction.operands.size() == 2;
        if (!is_sum && !is_product && !is_move) return std::nullopt;
        auto terms = sources(instruction);
        if (!terms) return std::nullopt;
        if (is_product) {
            if (terms->size() != 3) return std::nullopt;
            const TermId added = terms->at(2);
            if (is_number(terms->at(0), 0) || is_number(terms->at(1), 0))
                terms = {added};
            else if (is_number(terms->at(1), 1))
                terms = {terms->at(0), added};
            else if (is_number(terms->at(0), 1))
                terms = {terms->at(1), added};
            else
                return std::nullopt;
        }
        std::erase_if(*terms, [&](TermId term) { return is_number(term, 0); });
        return terms;
    }

    /// One of the two has the kind: that one and the other.
    [[nodiscard]] std::optional<std::pair<TermId, TermId>> pick(TermId one, TermId other,
                                                                Kind kind) const {
        if (is(one, kind)) return std::pair{one, other};
        if (is(other, kind)) return std::pair{other, one};
        return std::nullopt;
    }

    std::optional<TermId> product_of(std::size_t index) {
        const Instruction& instruction = function_.instructions[index];
        const auto terms = sources(instruction);
        if (!terms || terms->size() != 3 || instruction.operands.size() != 4) return std::nullopt;
        const auto [one, other, added] = std::array{terms->at(0), terms->at(1), terms->at(2)};
        if (instruction.has_modifier("HI")) return high_product_of(instruction, one, other, added);
        if (!only_modifiers(instruction, {"U32"})) return std::nullopt;
        for (const std::size_t divisor_operand : {std::size_t{2}, std::size_t{1}}) {
            const TermId x = divisor_operand == 2 ? one : other;
            const TermId y = divisor_operand == 2 ? other : one;
            const bool negates_x = is(x, Kind::Negative);
            const Term of = terms_[negates_x ? terms_[x].first : x];
            const TermId factor = negates_x ? y : negative(y);
            if (of.kind == Kind::Approximation && factor == of.first && is_number(added, 0))
                return id_of({Kind::Excess, of.first, 0, 0});
            if (of.kind == Kind::FirstQuotient && factor == of.second && added == of.first) {
                DividedAt at;
                at.rest_at = index;
                at.negated_divisor = !negates_x;
                at.divisor_operand = divisor_operand;
                const auto [entry, is_new] = rests_.emplace(index, at);
                if (!is_new && entry->second != at) entry->second.reset();
                return id_of(
                    {Kind::FirstRest, of.first, of.second, static_cast<std::int64_t>(index)});
            }
        }
        return std::nullopt;
    }

    std::optional<TermId> high_product_of(const Instruction& instruction, TermId one, TermId other,
                                          TermId added) {
        if (!has_modifiers(instruction, {"HI", "U32"})) return std::nullopt;
        const auto* pair = std::get_if<RegisterOperand>(&instruction.operands[3]);
        if (pair == nullptr || pair->negated || !is_number(added, 0)) return std::nullopt;
        const TermId upper = pair->index ? held({pair->file, *pair->index + 1}) : number(0);
        if (const auto factors = pick(one, other, Kind::Approximation)) {
            const Term excess = terms_[factors->second];
            if (excess.kind == Kind::Excess && excess.first == terms_[factors->first].first &&
                upper == factors->first)
                return id_of({Kind::Inverse, excess.first, 0, 0});
        }
        if (const auto factors = pick(one, other, Kind::Inverse); factors && is_number(upper, 0))
            return id_of({Kind::FirstQuotient, factors->second, terms_[factors->first].first, 0});
        return std::nullopt;
    }

    /// A correction of a quotient or rest by one step, under the guard that its rest reaches the
    /// divisor.
    std::optional<TermId> corrected(const Instruction& instruction, TermId before) {
        if (!instruction.guard || !instruction.guard->predicate.index) return std::nullopt;
        const RegisterOperand& guard = instruction.guard->predicate;
        const auto truth = now_.truths.find({guard.file, *guard.index});
        if (truth == now_.truths.end() || truth->second.negated != guard.negated)
            return std::nullopt;
        const Term reaches = terms_[truth->second.term];
        const bool is_first = reaches.kind == Kind::FirstReaches;
        if (!is_first && reaches.kind != Kind::NextReaches) return std::nullopt;
        const auto terms = summands(instruction);
        if (!terms || terms->size() != 2) return std::nullopt;
        const TermId step = terms->at(0) == before ? terms->at(1) : terms->at(0);
        if (terms->at(0) != before && terms->at(1) != before) return std::nullopt;
        const auto after = [&](Kind kind) {
            return id_of({kind, reaches.first, reaches.second, reaches.number});
        };
        const Term old = terms_[before];
        if (old.first != reaches.first || old.second != reaches.second) return std::nullopt;
        if (is_number(step, 1)) {
            if (is_first && old.kind == Kind::FirstQuotient) return after(Kind::NextQuotient);
            if (!is_first && old.kind == Kind::NextQuotient && old.number == reaches.number)
                return after(Kind::Quotient);
        }
        if (step == negative(reaches.second) && old.number == reaches.number) {
            if (is_first && old.kind == Kind::FirstRest) return after(Kind::NextRest);
            if (!is_first && old.kind == Kind::NextRest) return after(Kind::Rest);
        }
        return std::nullopt;
    }

    /// What an instruction computes that is not guarded.
    std::optional<TermId> computed(std::size_t index) {
        const Instruction& instruction = function_.instructions[index];
        if (const auto halves = moved_halves(instruction)) return number(*halves);
        if (const auto terms = summands(instruction)) {
            if (terms->empty()) return number(0);
            if (terms->size() == 1) return terms->front();
            constexpr std::uint32_t scale = 0xffffffe; // 32 more in the exponent, less 2.
            if (terms->size() == 2)
                for (const auto& [x, y] :
                     {std::pair{terms->at(0), terms->at(1)}, std::pair{terms->at(1), terms->at(0)}})
                    if (is(x, Kind::Reciprocal) && is_number(y, scale))
                        return id_of({Kind::Scaled, terms_[x].first, 0, 0});
            return std::nullopt;
        }
        if (is_named(instruction, {"IMAD", "UIMAD"})) return product_of(index);
        if (instruction.operands.size() != 2) return std::nullopt;
        const bool from_word = is_named(instruction, {"IABS", "I2F", "MUFU", "F2I"});
        const auto of = from_word ? source(instruction.operands[1]) : std::nullopt;
        if (!of) return std::nullopt;
        const auto made = [&](Kind kind, TermId from) {
            return std::optional{id_of({kind, from, 0, 0})};
        };
        if (instruction.mnemonic == "IABS" && instruction.modifiers.empty())
            return made(Kind::Absolute, *of);
        if (instruction.mnemonic == "I2F" &&
            (has_modifiers(instruction, {"U32", "RP"}) || has_modifiers(instruction, {"RP"})))
            return made(Kind::Float, *of);
        if (instruction.mnemonic == "MUFU" && has_modifiers(instruction, {"RCP"}) &&
            is(*of, Kind::Float))
            return made(Kind::Reciprocal, terms_[*of].first);
        if (instruction.mnemonic == "F2I" &&
            has_modifiers(instruction, {"FTZ", "U32", "TRUNC", "NTZ"}) && is(*of, Kind::Scaled))
            return made(Kind::Approximation, terms_[*of].first);
        return std::nullopt;
    }

    /// Of ISETP: whether a rest reaches the divisor.
    std::optional<TruthTerm> compared(const Instruction& instruction) {
        const auto& operands = instruction.operands;
        if (!is_named(instruction, {"ISETP"}) || operands.size() != 5 ||
            !instruction.has_modifier("U32") || !instruction.has_modifier("AND"))
            return std::nullopt;
        const auto* other = as_predicate(operands[1]);
        const auto* combined = as_predicate(operands[4]);
        const auto comparator = comparator_of(instruction);
        const auto left = source(operands[2]);
        const auto right = source(operands[3]);
        if (other == nullptr || other->index || combined == nullptr || combined->index ||
            combined->negated || !comparator || !left || !right)
            return std::nullopt;
        const auto reaches = [&](TermId rest, TermId divisor) -> std::optional<TermId> {
            const Term term = terms_[rest];
            const bool is_first = term.kind == Kind::FirstRest;
            if ((!is_first && term.kind != Kind::NextRest) || term.second != divisor)
                return std::nullopt;
            return id_of({is_first ? Kind::FirstReaches : Kind::NextReaches, term.first,
                          term.second, term.number});
        };
        using enum Comparator;
        if (*comparator == GreaterEqual || *comparator == Less)
            if (const auto term = reaches(*left, *right))
                return TruthTerm{*term, *comparator == Less};
        if (*comparator == LessEqual || *comparator == Greater)
            if (const auto term = reaches(*right, *left))
                return TruthTerm{*term, *comparator == Greater};
        return std::nullopt;
    }

    void execute(std::size_t index) {
        const Instruction& instruction = function_.instructions[index];
        const auto& effects = instruction.effects;
        if (!effects.writes_known) {
            now_ = {};
            return;
        }
        const auto* into = instruction.operands.empty()
                               ? nullptr
                               : std::get_if<RegisterOperand>(&instruction.operands.front());
        const auto destination = into != nullptr && into->index
                                     ? std::optional{Register{into->file, *into->index}}
                                     : std::nullopt;
        std::optional<TermId> result;
        std::optional<TruthTerm> truth;
        std::map<Register, TermId> words;
        if (destination && is_predicate(destination->file)) {
            if (!instruction.guard) truth = compared(instruction);
        } else if (destination && instruction.guard) {
            result = corrected(instruction, held(*destination));
            note(index, *destination, result);
        } else if (destination) {
            words = loaded(instruction);
            if (words.empty()) result = computed(index);
        }
        for (const Register reg : effects.writes) {
            now_.forget(reg);
            if (!is_predicate(reg.file)) now_.numbers[reg] = unknown();
        }
        if (result) now_.numbers[*destination] = *result;
        if (truth) now_.truths[*destination] = *truth;
        for (const auto& [reg, term] : words)
            now_.numbers[reg] = term;
    }

    /// Words of constant banks, and zeros of CS2R.
    std::map<Register, TermId> loaded(const Instruction& instruction) {
        std::map<Register, TermId> words;
        for (const Register reg : instruction.effects.writes) {
            if (const auto word = loaded_word(instruction, reg))
                if (const auto term = source(*word)) words.emplace(reg, *term);
            const auto* special =
                instruction.mnemonic == "CS2R" && instruction.operands.size() == 2
                    ? std::get_if<assembly::SpecialRegisterOperand>(&instruction.operands[1])
                    : nullptr;
            if (special != nullptr && special->name == "SRZ") words.emplace(reg, number(0));
        }
        return words;
    }

    /// The instruction is in several nodes: it must be the same in all.
    void note(std::size_t index, Register into, const std::optional<TermId>& term) {
        std::optional<DividedAt> division;
        if (term && (is(*term, Kind::Quotient) || is(*term, Kind::Rest))) {
            division = rests_.at(static_cast<std::size_t>(terms_[*term].number));
            if (division) {
                division->instruction = index;
                division->into = into;
                division->is_rest = is(*term, Kind::Rest);
            }
        }
        const auto [entry, is_new] = found_.emplace(index, division);
        if (!is_new && entry->second != division) entry->second.reset();
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    Registers now_;
    std::vector<Term> terms_;
    std::map<Term, TermId> ids_;
    std::int64_t unknowns_ = 0;
    /// By the instruction that computes FirstRest; none where nodes differ.
    std::map<std::size_t, std::optional<DividedAt>> rests_;
    std::map<std::size_t, std::optional<DividedAt>> found_; ///< By instruction.
};

} // namespace

std::vector<DividedAt> divisions_of(const Function& function, const ControlFlowGraph& graph) {
    const bool has_reciprocal = std::ranges::any_of(
        function.instructions, [](const Instruction& one) { return one.mnemonic == "MUFU"; });
    if (!has_reciprocal) return {};
    return Numbering{function, graph}.divisions();
}

} // namespace warpbound::analyzer
