/// \file
/// Holds every described machine against rows measured on silicon and prints the tables of
/// docs/silicon.md. Exit code 1: a measured number lies outside its interval without a stated
/// reason, or a description hides that its value was measured on its card.
#include "tests/silicon/page.hpp"

#include <fmt/core.h>

#include <cstdio>

int main(int argc, char** argv) {
    using namespace warpbound;
    using namespace warpbound::silicon;
    if (argc != 4) {
        fmt::print(stderr, "usage: silicon TABLES DESCRIPTIONS ROWS.csv\n");
        return 2;
    }
    const auto mapping = read_mapping(argv[1], argv[2]);
    const auto rows = mapping ? read_rows(argv[3]) : Result<std::vector<Row>>{mapping.as_failure()};
    if (!rows) {
        fmt::print(stderr, "silicon: {}\n", to_string(rows.error()));
        return 2;
    }
    const Findings findings = hold(mapping.value(), rows.value());
    fmt::print("{}", page_of(mapping.value(), findings));
    const std::string wrong = text_of_outside(findings) + text_of_unmarked(findings);
    fmt::print(stderr, "{}", wrong);
    return wrong.empty() ? 0 : 1;
}
