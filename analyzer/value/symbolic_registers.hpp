#pragma once
/// \file
/// What is known of the registers of a thread at a program point.

#include "analyzer/value/predicate.hpp"
#include "analyzer/value/symbols.hpp"

#include <boost/container/flat_map.hpp>

#include <optional>

namespace warpbound::analyzer {

/// Whether the lanes of a warp may part. Uniform registers are the warp's: where they may, lanes
/// find there what others wrote in the meantime, so nothing is known of them.
enum class Lanes { Together, MayPart };

/// Registers that were not written have the values they began with.
class SymbolicRegisters {
public:
    explicit SymbolicRegisters(Lanes lanes) : lanes_{lanes} {}

    /// Nothing when the number is not known.
    [[nodiscard]] std::optional<AffineExpression> number(assembly::Register reg) const;
    [[nodiscard]] std::optional<Predicate> predicate(assembly::Register reg) const;

    /// The register holds this number now. Nothing: one with a name of its own if there is a place,
    /// else an unknown one.
    void assign(assembly::Register reg, const std::optional<AffineExpression>& number,
                const std::optional<Place>& place);
    void assign(assembly::Register reg, const std::optional<Predicate>& predicate,
                const std::optional<Place>& place);
    /// Nothing is known any more.
    void forget_all();
    /// Another thread of the warp may write it while this one is pending on the SIMT stack.
    [[nodiscard]] bool others_may_write(assembly::Register reg) const {
        return lanes_ == Lanes::MayPart && (reg.file == assembly::RegisterFile::Uniform ||
                                            reg.file == assembly::RegisterFile::UniformPredicate);
    }

    /// Keeps what holds for both; with a place, what differs gets a name of its own.
    void join(const SymbolicRegisters& other, const std::optional<Place>& place = std::nullopt);
    friend bool operator==(const SymbolicRegisters&, const SymbolicRegisters&) = default;

private:
    void set(assembly::Register reg, const std::optional<Predicate>& value);
    boost::container::flat_map<assembly::Register, std::optional<AffineExpression>> numbers_;
    boost::container::flat_map<assembly::Register, Predicate> predicates_; ///< Those known.
    Lanes lanes_;
    bool began_known_ = true; ///< False: registers that are not in `numbers_` are unknown.
};

} // namespace warpbound::analyzer
