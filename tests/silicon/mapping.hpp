#pragma once
/// \file
/// Which value of which description a measured row speaks of: tables in tests/data/silicon.

#include "assembly/support/result.hpp"
#include "models/architecture/architecture.hpp"
#include "tests/silicon/csv.hpp"

#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace warpbound::silicon {

/// One measured number, as published.
struct Row {
    std::string device; ///< Without the vendor's and the brand's name.
    std::string sm;     ///< "sm_75"
    std::string kind;
    std::string instruction;
    std::string condition;
    std::string unit;
    std::string source;
    std::string grade;
    double value = 0;
};
/// The column of the instruction may also be called `instruction_or_kernel`.
Result<std::vector<Row>> read_rows(const std::filesystem::path& path);

/// A described machine with the card and the chip that it is of.
struct Machine {
    models::Architecture description;
    std::string chip;
    std::regex card;
};

/// How far a number holds: in the SM of every card of a compute capability, on a chip, on a card.
enum class Scope { Core, Chip, Card };

enum class Side { Both, Low, High };

/// How far a measured number may lie outside an interval, with the reason.
struct Tolerance {
    std::string name;
    double below = 0; ///< `Unit:` of the value.
    double below_percent = 0;
    double above = 0;
    double above_percent = 0;
    std::string reason;
};

/// Rows that match all patterns (an empty one matches all) speak of `path`; "-": of no value, for
/// the reason given.
struct Rule {
    std::regex kind, instruction, condition, sm, grade;
    std::string path; ///< "{class}" is the opcode class of the instruction.
    Scope scope = Scope::Core;
    std::string form; ///< How the number gives the value (comparison.hpp).
    double factor = 1;
    Side side = Side::Both;
    Tolerance tolerance;
    std::string reason;
};

/// Why a measured number may lie outside the interval of its value.
struct Exception {
    std::regex machine, path, device, kind, instruction, condition;
    Side side = Side::Both;
    std::string reason;
};

struct Mapping {
    std::vector<Machine> machines;
    std::vector<std::pair<std::regex, std::string>> chips; ///< By device, in their order.
    std::vector<Rule> rules;
    std::vector<Exception> exceptions;
};
/// The tables of a folder and the descriptions that they name.
Result<Mapping> read_mapping(const std::filesystem::path& tables,
                             const std::filesystem::path& descriptions);

/// A row with its rule, and the machines that it speaks of.
struct Match {
    const Rule* rule = nullptr;
    std::string path;
    std::vector<const Machine*> machines;
};
/// The match of a row, or why there is none.
std::variant<Match, std::string> match(const Mapping& mapping, const Row& row);

/// Card, chip or compute capability that machine and device share; none when they share none.
std::optional<Scope> shared_scope(const Mapping& mapping, const Machine& machine, const Row& row);

} // namespace warpbound::silicon
