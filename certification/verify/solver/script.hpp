#pragma once
/// \file
/// The SMT-LIB 2.6 script that a path certificate must have (docs/reference/evidence-format.md),
/// from the checked control flow, the table and the flow facts alone.

#include "certification/verify/flow/control_flow.hpp"
#include "certification/verify/flow/path_problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::certification::verify {

/// `Shape:` (coefficient, variable); a term without a variable is a constant.
using LinearSum = std::vector<std::pair<std::int64_t, std::optional<std::size_t>>>;

/// left (relation) factor x right.
struct Constraint {
    models::Relation relation = models::Relation::Equal;
    LinearSum left;
    LinearSum right;
    std::int64_t factor = 1;
};

/// One of both holds.
struct Disjunction {
    Constraint first;
    Constraint second;
};

struct ScriptRow {
    std::string label;
    std::variant<Constraint, Disjunction> content;
};

/// What the counts of a path beyond the bound of a certificate would have to meet.
struct Script {
    std::string id;
    std::string text;
    bool upper = true;
    std::int64_t bound = 0;
    std::vector<std::string> variables; ///< None is negative.
    std::vector<ScriptRow> rows;
};

/// `certificate`: over its table with the states of pairs, if there are some.
Script script_of(const KernelCase& kernel, const ControlFlow& flow, const Certificate& certificate);
/// In SMT-LIB 2.6.
std::string text_of(const Script& script);

/// The first line in which two scripts differ, for people.
std::string first_difference(const std::string& expected, const std::string& shipped);

} // namespace warpbound::certification::verify
