#pragma once
/// \file
/// What the registers of threads hold at one point of their execution, as sets of numbers, and what
/// comparisons made before say of them (docs/theory, S88). Shares no code with the analysis.

#include "assembly/isa/program.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/number_set.hpp"
#include "certification/verify/flow/value_reader.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::certification::verify {

/// How the number of a register compares.
struct ComparedRegister {
    assembly::Register reg{};
    Order order = Order::Equal;
    bool is_signed = false;
    std::optional<assembly::Register> other{};
    NumberSet numbers{}; ///< Of the other side, where it is no register.

    friend bool operator==(const ComparedRegister&, const ComparedRegister&) = default;
};

/// Of a register that is left out nothing is known.
class HeldNumbers final : public ValueReader {
public:
    /// `followed`: registers whose numbers are kept. Both must outlive it.
    HeldNumbers(const LaunchValues& launch, const std::set<assembly::Register>& followed)
        : launch_{&launch}, followed_{&followed} {}

    NumberSet value(assembly::Register reg, ProgramPoint point) override;
    [[nodiscard]] const LaunchValues& launch() const override { return *launch_; }
    [[nodiscard]] bool is_followed(assembly::Register reg) const {
        return followed_->count(reg) != 0;
    }

    /// Whether it is possible at all that the predicate has this truth.
    bool may_be(const assembly::RegisterOperand& predicate, bool wanted);
    bool may_execute(const assembly::Instruction& instruction);
    bool must_execute(const assembly::Instruction& instruction);

    /// What registers hold behind the instruction, which must outlive this object.
    void execute(const assembly::Instruction& instruction);
    /// Leaves the threads for which the predicate has this truth; false: there are none.
    bool keep_where(const assembly::RegisterOperand& predicate, bool truth);
    /// To what either holds.
    void join(const HeldNumbers& other);
    void forget(assembly::Register reg);
    void drop_all();
    /// Ends that moved since `before` move on to the next of these limits (in ascending order).
    void extend_beyond(const HeldNumbers& before, const std::vector<std::int64_t>& limits);

    friend bool operator==(const HeldNumbers& left, const HeldNumbers& right) {
        return left.numbers_ == right.numbers_ && left.made_by_ == right.made_by_ &&
               left.says_ == right.says_;
    }

private:
    using Comparisons = std::vector<ComparedRegister>;
    /// What a predicate says, as registers were not written since it was.
    struct Sayings {
        Comparisons if_true{};
        Comparisons if_false{};
        friend bool operator==(const Sayings&, const Sayings&) = default;
    };
    /// A register and a constant whose sum a number is.
    struct RegisterSum {
        assembly::Register reg{};
        bool is_subtracted = false;
        NumberSet constant{};
    };

    [[nodiscard]] NumberSet held(assembly::Register reg) const;
    void set(assembly::Register reg, const NumberSet& number);
    std::optional<RegisterSum> as_sum(const assembly::Instruction& instruction);
    Sayings said_by(const assembly::Instruction& instruction, assembly::Register reg);
    Sayings said_by_comparison(const assembly::Instruction& compare);
    void add_sayings(const assembly::RegisterOperand& predicate, bool truth, Comparisons& to);
    /// Its number is about to change. `heirs`: registers that hold it plus these constants then.
    using Heirs = std::vector<std::pair<assembly::Register, NumberSet>>;
    void prepare_write(assembly::Register reg, const Heirs& heirs);
    Heirs heirs_of(assembly::Register reg, const assembly::Instruction& write, bool is_sure);
    bool keep(const ComparedRegister& comparison);
    bool keep_all(const Comparisons& comparisons);
    bool narrow_to(assembly::Register reg, const NumberSet& numbers);

    const LaunchValues* launch_;
    const std::set<assembly::Register>* followed_;
    std::map<assembly::Register, NumberSet> numbers_;
    /// Instructions whose sources were not written since.
    std::map<assembly::Register, const assembly::Instruction*> made_by_;
    std::map<assembly::Register, Sayings> says_;
    int depth_ = 0; ///< Of narrowed numbers that narrow others.
};

} // namespace warpbound::certification::verify
