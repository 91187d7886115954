#pragma once
/// \file
/// Abstract state of a thread's registers at a program point: affine numbers and predicates.

#include "analyzer/value/predicate.hpp"
#include "analyzer/value/symbols.hpp"

#include <boost/container/flat_map.hpp>

#include <optional>

namespace warpbound::analyzer {

/// Whether the warp may diverge. Uniform registers belong to the warp: where it may diverge, a
/// thread may read what threads of another path wrote, so nothing is known of uniform registers.
enum class Convergence { Converged, MayDiverge };

/// Registers that have not been written hold their initial values, as symbols.
class SymbolicRegisters {
public:
    explicit SymbolicRegisters(Convergence convergence) : convergence_{convergence} {}

    /// Nothing when the value is not known.
    [[nodiscard]] std::optional<AffineExpression> number(assembly::Register reg) const;
    [[nodiscard]] std::optional<Predicate> predicate(assembly::Register reg) const;

    /// Writes the register. Without a value, it gets the symbol of its definition at `point`;
    /// without a program point, too, it becomes unknown.
    void assign(assembly::Register reg, const std::optional<AffineExpression>& number,
                const std::optional<ProgramPoint>& point);
    void assign(assembly::Register reg, const std::optional<Predicate>& predicate,
                const std::optional<ProgramPoint>& point);
    /// Makes all registers unknown.
    void forget_all();
    /// Another thread of the warp may write it while this one is pending on the SIMT stack.
    [[nodiscard]] bool others_may_write(assembly::Register reg) const {
        return convergence_ == Convergence::MayDiverge &&
               (reg.file == assembly::RegisterFile::Uniform ||
                reg.file == assembly::RegisterFile::UniformPredicate);
    }

    /// Keeps the values that are equal in both; with a program point, the others get the symbols of
    /// their definitions there (as a phi function of SSA form).
    void join(const SymbolicRegisters& other,
              const std::optional<ProgramPoint>& point = std::nullopt);
    friend bool operator==(const SymbolicRegisters&, const SymbolicRegisters&) = default;

private:
    void set(assembly::Register reg, const std::optional<Predicate>& value);
    boost::container::flat_map<assembly::Register, std::optional<AffineExpression>> numbers_;
    boost::container::flat_map<assembly::Register, Predicate> predicates_; ///< Those known.
    Convergence convergence_;
    bool initial_known_ = true; ///< False: registers that are not in `numbers_` are unknown.
};

} // namespace warpbound::analyzer
