#include "assembly/support/csv_cell.hpp"

#include "assembly/support/printable.hpp"

namespace warpbound {

std::string csv_cell(std::string_view text) {
    const std::string plain = without_formula(text);
    if (plain.find_first_of(",\"\r\n") == std::string::npos) return plain;
    std::string quoted = "\"";
    for (const char c : plain)
        quoted += c == '"' ? std::string{"\"\""} : std::string{c};
    return quoted + "\"";
}

} // namespace warpbound
