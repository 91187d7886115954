#include "analyzer/flow/iteration_paths.hpp"

#include "analyzer/value/operand_forms.hpp"
#include "assembly/isa/branch_guard.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;
using assembly::EdgeKind;
using assembly::Function;
using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;

/// Modulo 2^32, as a signed number.
std::int64_t reduced(std::int64_t number) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(number));
}

constexpr std::size_t most_paths = 64;
constexpr std::size_t most_steps = 20'000; ///< Instructions of all paths.

class PathSearch {
public:
    PathSearch(const Function& function, const ControlFlowGraph& graph, std::size_t loop,
               const std::set<Register>& shared)
        : function_{function}, graph_{graph}, loop_{graph.loops[loop]}, shared_{shared} {}

    std::optional<IterationPaths> paths() {
        follow({}, loop_.header, graph_.blocks[loop_.header].first);
        if (failed_ || found_.paths.empty()) return std::nullopt;
        return std::move(found_);
    }

private:
    /// Called code is in a block for each call, with the same instructions.
    struct Result {
        std::size_t block = 0;
        std::size_t instruction = 0;
        Register reg;
        friend auto operator<=>(const Result&, const Result&) = default;
    };
    struct State {
        std::map<Register, LinearForm> numbers;
        std::map<Register, bool> predicates;
        std::map<DecidedComparison, bool> decided;
    };

    [[nodiscard]] bool is_inside(std::size_t block) const {
        return std::binary_search(loop_.blocks.begin(), loop_.blocks.end(), block);
    }

    /// From an instruction of a block on; what is not decided is tried both ways.
    void follow(State state, std::size_t block, std::size_t from) {
        for (std::size_t i = from; i <= graph_.blocks[block].last; ++i) {
            if (failed_ || ++steps_ > most_steps || found_.paths.size() > most_paths) {
                failed_ = true;
                return;
            }
            const Instruction& instruction = function_.instructions[i];
            if (const auto open = undecided(state, instruction)) {
                for (const bool truth : {false, true}) {
                    State next = state;
                    next.predicates[*open] = truth;
                    follow(std::move(next), block, i);
                }
                return;
            }
            if (const auto comparison = comparison_of(state, instruction)) {
                const auto known = state.decided.find(comparison->first);
                if (known == state.decided.end()) return decide(state, comparison->first, block, i);
                compare(state, instruction, known->second != comparison->second);
                continue;
            }
            const auto flag = flag_of(state, instruction);
            const auto known = flag ? state.decided.find(flag->first) : state.decided.end();
            if (flag && known == state.decided.end()) return decide(state, flag->first, block, i);
            execute(state, block, i);
            if (flag) set_predicate(state, flag->second, !known->second);
        }
        leave(state, block);
    }

    void decide(const State& state, const DecidedComparison& comparison, std::size_t block,
                std::size_t from) {
        for (const bool truth : {false, true}) {
            State next = state;
            next.decided.emplace(comparison, truth);
            follow(std::move(next), block, from);
        }
    }

    void leave(const State& state, std::size_t block) {
        const auto& code = graph_.blocks[block];
        const Instruction& last = function_.instructions[code.last];
        // Another instruction may have written the predicate of its guard.
        const bool executes = last.control_flow != ControlFlow::None && holds_guard(state, last);
        if (last.control_flow == ControlFlow::Exit && code.exits && executes) return;
        const auto* operand = assembly::deciding_operand(last);
        const bool decides = last.mnemonic == "BRA" && last.control_flow == ControlFlow::Branch &&
                             !assembly::asks_other_lanes(last);
        const bool taken = executes && (operand == nullptr || truth(state, *operand));
        for (const std::size_t edge : code.out) {
            const bool is_taken_edge = graph_.edges[edge].kind == EdgeKind::Taken;
            if (code.out.size() > 1 && decides && is_taken_edge != taken) continue;
            const std::size_t to = graph_.edges[edge].to;
            if (to == loop_.header)
                found_.paths.push_back({state.numbers, state.decided});
            else if (is_inside(to))
                follow(at_begin(state), to, graph_.blocks[to].first);
        }
    }

    /// Of a block: other lanes may have written predicates that they share meanwhile.
    [[nodiscard]] State at_begin(State state) const {
        std::erase_if(state.predicates,
                      [&](const auto& one) { return shared_.count(one.first) != 0; });
        return state;
    }

    /// A predicate that the instruction asks and that the path has not decided.
    static std::optional<Register> undecided(const State& state, const Instruction& instruction) {
        const auto open = [&](const RegisterOperand& operand) -> std::optional<Register> {
            if (!operand.index || !is_predicate(operand.file)) return std::nullopt;
            const Register reg{operand.file, *operand.index};
            return state.predicates.count(reg) != 0 ? std::nullopt : std::optional{reg};
        };
        if (instruction.guard)
            if (const auto reg = open(instruction.guard->predicate)) return reg;
        const bool asks = instruction.mnemonic == "SEL" || instruction.mnemonic == "ISETP" ||
                          instruction.mnemonic == "PLOP3" ||
                          instruction.control_flow == ControlFlow::Branch;
        if (!asks) return std::nullopt;
        const std::size_t first = instruction.control_flow == ControlFlow::Branch ? 0 : 2;
        for (std::size_t i = first; i < instruction.operands.size(); ++i)
            if (const auto* predicate = as_predicate(instruction.operands[i]))
                if (const auto reg = open(*predicate)) return reg;
        return std::nullopt;
    }

    static bool truth(const State& state, const RegisterOperand& operand) {
        const bool plain = !operand.index || state.predicates.at({operand.file, *operand.index});
        return plain != operand.negated;
    }
    static bool holds_guard(const State& state, const Instruction& instruction) {
        return !instruction.guard || truth(state, instruction.guard->predicate);
    }

    /// The comparison of ISETP, and whether it asks for its opposite.
    std::optional<std::pair<DecidedComparison, bool>> comparison_of(State& state,
                                                                    const Instruction& isetp) {
        if (isetp.mnemonic != "ISETP" || isetp.operands.size() != 5 || !holds_guard(state, isetp))
            return std::nullopt;
        const auto comparator = comparator_of(isetp);
        auto left = source(state, isetp.operands[2]);
        auto right = source(state, isetp.operands[3]);
        if (!comparator || !left || !right) return std::nullopt;
        using enum Comparator;
        const bool swaps = *comparator == LessEqual || *comparator == Greater;
        if (swaps) std::swap(left, right);
        const bool is_equality = *comparator == Equal || *comparator == NotEqual;
        const bool is_opposite =
            *comparator == NotEqual || *comparator == Less || *comparator == Greater;
        return std::pair{DecidedComparison{is_equality, !isetp.has_modifier("U32"), *left, *right},
                         is_opposite};
    }

    static void set_predicate(State& state, const Operand& into, std::optional<bool> truth) {
        const auto* reg = as_predicate(into);
        if (reg == nullptr || !reg->index) return;
        state.predicates.erase({reg->file, *reg->index});
        if (truth) state.predicates[{reg->file, *reg->index}] = *truth;
    }

    static void compare(State& state, const Instruction& isetp, bool holds) {
        const bool other = truth(state, *as_predicate(isetp.operands[4]));
        std::optional<bool> result;
        if (isetp.has_modifier("AND")) result = holds && other;
        if (isetp.has_modifier("OR")) result = holds || other;
        set_predicate(state, isetp.operands[1], std::nullopt);
        set_predicate(state, isetp.operands[0], result);
    }

    IterationSymbol symbol_of(Register reg) {
        const auto [entry, is_new] = found_.registers.emplace(reg, symbols_);
        if (is_new) ++symbols_;
        return entry->second;
    }
    LinearForm other(std::size_t block, std::size_t instruction, Register reg) {
        const auto [entry, is_new] = results_.emplace(Result{block, instruction, reg}, symbols_);
        if (is_new) ++symbols_;
        return form_of(entry->second);
    }
    LinearForm half(const LinearForm& of, bool from_zero) {
        const auto [entry, is_new] = halves_.emplace(IterationPaths::Half{of, from_zero}, symbols_);
        if (is_new) found_.halves.emplace(symbols_++, entry->first);
        return form_of(entry->second);
    }
    LinearForm cleared(const LinearForm& of) {
        const auto [entry, is_new] = cleared_.emplace(of, symbols_);
        if (is_new) found_.cleared.emplace(symbols_++, of);
        return form_of(entry->second);
    }

    std::optional<LinearForm> source(State& state, const Operand& operand) {
        if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
            if (reg->absolute || is_predicate(reg->file) || !only_suffix(reg->suffixes, "reuse"))
                return std::nullopt;
            LinearForm form;
            if (reg->index) {
                const Register held{reg->file, *reg->index};
                if (shared_.count(held) != 0) return std::nullopt;
                const auto found = state.numbers.find(held);
                form = found != state.numbers.end() ? found->second : form_of(symbol_of(held));
            }
            if (reg->negated || reg->inverted) form = form * -1;
            return reg->inverted ? plus(std::move(form), -1) : form;
        }
        const auto* immediate = std::get_if<assembly::ImmediateOperand>(&operand);
        const auto value = immediate != nullptr ? value_of(*immediate) : std::nullopt;
        if (!value) return std::nullopt;
        LinearForm form;
        form.constant = static_cast<std::int32_t>(*value);
        return form;
    }

    /// The numbers that an instruction reads; nothing if one is in a form not known.
    std::optional<std::vector<LinearForm>> sources(State& state, const Instruction& instruction,
                                                   std::size_t first) {
        std::vector<LinearForm> all;
        for (std::size_t i = first; i < instruction.operands.size(); ++i) {
            if (as_predicate(instruction.operands[i]) != nullptr) continue;
            const auto form = source(state, instruction.operands[i]);
            if (!form) return std::nullopt;
            all.push_back(*form);
        }
        return all;
    }

    std::optional<LinearForm> computed(State& state, const Instruction& instruction) {
        const std::string_view name = instruction.mnemonic;
        const bool has_predicate =
            !instruction.operands.empty() && as_predicate(instruction.operands.front()) != nullptr;
        const auto all = sources(state, instruction, has_predicate ? 2 : 1);
        if (!all) return std::nullopt;
        const auto constant = [&](std::size_t i) {
            return i < all->size() && all->at(i).terms.empty() ? std::optional{all->at(i).constant}
                                                               : std::nullopt;
        };
        const auto count = all->size();
        const auto only = [&](std::initializer_list<std::string_view> modifiers) {
            return only_modifiers(instruction, modifiers);
        };
        if (name == "MOV" && count == 1 && only({})) return all->front();
        if ((name == "IADD3" || name == "VIADD") && only({})) {
            LinearForm sum;
            for (const LinearForm& form : *all)
                sum = sum + form;
            return sum;
        }
        if (name == "IMAD" && count == 3 && only({"MOV", "IADD", "U32", "SHL"})) {
            if (const auto factor = constant(1)) return all->at(0) * *factor + all->at(2);
            if (const auto factor = constant(0)) return all->at(1) * *factor + all->at(2);
        }
        if (name == "SEL" && count == 2 && only({}))
            return truth(state, *as_predicate(instruction.operands.back())) ? all->at(0)
                                                                            : all->at(1);
        if (name == "SHF" && count == 3 && constant(0) == 0 && constant(1) == 1 &&
            instruction.has_modifier("R") && instruction.has_modifier("HI") &&
            only({"R", "HI", "S32", "U32"}))
            return half_of(all->at(2), instruction.has_modifier("S32"));
        if (name == "LEA" && negates_pair(instruction)) return std::nullopt;
        // x + (x >>> 31) is x where x is not negative; only its half is asked for.
        if (name == "LEA" && only({"HI"}) && count == 4 && all->at(0) == all->at(1) &&
            constant(2) == 0 && constant(3) == 1)
            return rounded(all->at(0));
        if (name == "LEA" && only({"HI", "SX32"}) && count == 3 && constant(2) == 31)
            return half_of(all->at(0), true) + all->at(1);
        constexpr std::int64_t first_and_third = 0xa0;
        constexpr std::int64_t first_and_second = 0xc0;
        if (name == "LOP3" && count == 4 && only({"LUT"})) {
            const auto table = constant(3);
            constexpr std::int64_t complement_of_second = 0x33;
            if (table == complement_of_second) return plus(all->at(1) * -1, -1);
            const std::size_t other = table == first_and_third ? 2 : 1;
            if (table != first_and_third && table != first_and_second) return std::nullopt;
            if (all->at(0) == plus(all->at(other), -1)) return cleared(all->at(other));
            if (all->at(other) == plus(all->at(0), -1)) return cleared(all->at(0));
        }
        return std::nullopt;
    }

    /// The form plus its sign bit: half of it is half of the form, rounded toward zero.
    LinearForm rounded(const LinearForm& of) {
        const auto [entry, is_new] = rounded_.emplace(of, symbols_);
        if (is_new) rounds_.emplace(symbols_++, of);
        return form_of(entry->second);
    }
    LinearForm half_of(const LinearForm& form, bool is_signed) {
        const bool is_symbol =
            form.terms.size() == 1 && form.constant == 0 && form.terms.begin()->second == 1;
        const auto found = is_symbol ? rounds_.find(form.terms.begin()->first) : rounds_.end();
        if (found != rounds_.end()) return half(found->second, true);
        return half(form, !is_signed);
    }

    /// LOP3 P0, R0, ..: the result compared with zero, and the predicate that says it is not.
    std::optional<std::pair<DecidedComparison, Operand>> flag_of(State& state,
                                                                 const Instruction& instruction) {
        if (instruction.mnemonic != "LOP3" || !holds_guard(state, instruction)) return std::nullopt;
        const auto* flag = as_predicate(instruction.operands.front());
        const auto* combined = as_predicate(instruction.operands.back());
        if (flag == nullptr || !flag->index || combined == nullptr || combined->index ||
            !combined->negated)
            return std::nullopt;
        const auto result = computed(state, instruction);
        if (!result) return std::nullopt;
        return std::pair{DecidedComparison{true, true, *result, {}}, instruction.operands.front()};
    }

    void execute(State& state, std::size_t block, std::size_t index) {
        const Instruction& instruction = function_.instructions[index];
        if (!instruction.effects.writes_known) failed_ = true;
        if (failed_ || !holds_guard(state, instruction)) return;
        const auto result = computed(state, instruction);
        const bool has_flag =
            !instruction.operands.empty() && as_predicate(instruction.operands.front()) != nullptr;
        const auto* into =
            instruction.operands.size() < 2
                ? nullptr
                : std::get_if<RegisterOperand>(&instruction.operands[has_flag ? 1 : 0]);
        for (const Register reg : instruction.effects.writes) {
            if (is_predicate(reg.file)) {
                state.predicates.erase(reg);
                continue;
            }
            const bool is_result = result && into != nullptr && into->index &&
                                   reg == Register{into->file, *into->index};
            state.numbers[reg] = is_result ? *result : other(block, index, reg);
        }
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const assembly::Loop& loop_;
    const std::set<Register>& shared_;
    IterationPaths found_;
    std::map<Result, IterationSymbol> results_;
    std::map<IterationPaths::Half, IterationSymbol> halves_;
    std::map<LinearForm, IterationSymbol> cleared_;
    std::map<LinearForm, IterationSymbol> rounded_;
    std::map<IterationSymbol, LinearForm> rounds_;
    IterationSymbol symbols_ = 0;
    std::size_t steps_ = 0;
    bool failed_ = false;
};

} // namespace

LinearForm operator+(LinearForm a, const LinearForm& b) {
    for (const auto& [symbol, factor] : b.terms)
        if ((a.terms[symbol] = reduced(a.terms[symbol] + factor)) == 0) a.terms.erase(symbol);
    return plus(std::move(a), b.constant);
}

LinearForm operator*(LinearForm a, std::int64_t factor) {
    for (auto& [symbol, own] : a.terms)
        own = reduced(own * reduced(factor));
    std::erase_if(a.terms, [](const auto& term) { return term.second == 0; });
    a.constant = reduced(a.constant * reduced(factor));
    return a;
}

LinearForm plus(LinearForm form, std::int64_t constant) {
    form.constant = reduced(form.constant + constant);
    return form;
}

LinearForm form_of(IterationSymbol symbol) {
    LinearForm form;
    form.terms[symbol] = 1;
    return form;
}

std::optional<IterationPaths> iteration_paths(const Function& function,
                                              const ControlFlowGraph& graph, std::size_t loop,
                                              const std::set<Register>& shared) {
    for (const assembly::Loop& other : graph.loops)
        if (other.parent == loop) return std::nullopt;
    return PathSearch{function, graph, loop, shared}.paths();
}

} // namespace warpbound::analyzer
