#pragma once
/// \file
/// Scripts run unchanged in the solvers at hand.

#include <chrono>
#include <optional>
#include <string>

namespace warpbound::certification::verify {

enum class Answer { Unsat, Sat, Unknown };

/// In the linked Z3. A limit, or a script that it does not take, gives `Unknown`.
Answer ask_z3(const std::string& script, std::chrono::milliseconds limit);
std::string z3_version();

/// The path of cvc5 when it is on PATH.
std::optional<std::string> find_cvc5();
/// In a process of its own that reads the script from its standard input. A limit of time, output
/// or memory, another exit code than 0, and any other text than an answer give `Unknown`.
Answer ask_cvc5(const std::string& program, const std::string& script,
                std::chrono::milliseconds limit);

} // namespace warpbound::certification::verify
