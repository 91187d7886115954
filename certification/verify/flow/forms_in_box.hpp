#pragma once
/// \file
/// What the registers of the threads of a box hold, as affine forms of their indices, and which
/// ways through the code these threads may take (docs/theory, S79). Shares no code with the
/// analysis.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "certification/verify/flow/affine_form.hpp"
#include "certification/verify/flow/launch_values.hpp"
#include "certification/verify/flow/warp_execution.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// What is known of registers: the same forms, and the same truth, for all threads of the box.
struct RegisterForms {
    std::map<assembly::Register, AffineForm> numbers;
    std::map<assembly::Register, bool> truths;

    friend bool operator==(const RegisterForms&, const RegisterForms&) = default;
};

/// Reads the operands of instructions where registers hold given forms.
class FormReader {
public:
    FormReader(const LaunchValues& launch, const ThreadBox& box, const RegisterForms& forms)
        : launch_{launch}, box_{box}, forms_{forms} {}

    /// What the instruction writes to a register where it executes.
    [[nodiscard]] std::optional<AffineForm> number_written(const assembly::Instruction& instruction,
                                                           assembly::Register reg) const;
    [[nodiscard]] std::optional<bool> truth_written(const assembly::Instruction& instruction,
                                                    assembly::Register reg) const;
    [[nodiscard]] std::optional<AffineForm> number(const assembly::Operand& operand) const;
    [[nodiscard]] std::optional<bool> truth(const assembly::RegisterOperand& predicate) const;
    /// Whether the guard of the instruction holds: for all threads of the box, or for none.
    [[nodiscard]] std::optional<bool> executes(const assembly::Instruction& instruction) const;
    /// The low 32 bits of the only address that the instruction accesses.
    [[nodiscard]] std::optional<AffineForm> address(const assembly::Instruction& access) const;

private:
    const LaunchValues& launch_;
    const ThreadBox& box_;
    const RegisterForms& forms_;
};

/// Forms before each instruction that some thread of the box may reach. The arguments must outlive
/// it.
class FormsInBox {
public:
    /// `launch`: values that all threads of the launch read. `ways`: of the threads of the box.
    FormsInBox(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
               const LaunchValues& launch, const ThreadBox& box, const PossibleWays& ways);

    using Visit =
        std::function<void(std::size_t block, const assembly::Instruction&, const FormReader&)>;
    void visit(const Visit& each) const;
    /// Whether each thread of a part of the box that ends executes one of these blocks. `Shape:`
    /// blocks[block]. `part`: what threads of the part may do.
    [[nodiscard]] bool all_ends_lie_behind(const std::vector<bool>& blocks,
                                           const PossibleWays& part) const;

private:
    void follow(std::size_t block, RegisterForms& forms, const Visit& each) const;
    [[nodiscard]] bool may_leave_over(const assembly::Edge& edge, const FormReader& at_end) const;

    const assembly::Function& function_;
    const assembly::ControlFlowGraph& graph_;
    const LaunchValues& launch_;
    ThreadBox box_;
    std::vector<std::optional<RegisterForms>> at_begin_; ///< Per block; none: not reached.
    std::vector<bool> taken_;                            ///< Per edge.
    std::vector<bool> ends_;                             ///< Per block: a thread may end there.
};

} // namespace warpbound::certification::verify
