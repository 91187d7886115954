#pragma once
/// \file
/// Who may include whom: the tables of the design and of the architecture page.

#include <array>
#include <string_view>

namespace warpbound::layering {

/// A folder and the folders that its files may include. Every folder may include itself.
struct FolderRule {
    std::string_view folder;
    std::string_view may_include; ///< Separated by blanks; the longest folder that fits counts.
};

/// Top-level folders (design, section 2). `tests`, `benchmarks` may include all.
inline constexpr auto top_level = std::to_array<FolderRule>({
    {"assembly", ""},
    {"models", "assembly"},
    {"harness", "assembly models"},
    {"analyzer", "assembly models"},
    {"certification", "assembly models harness analyzer"},
    {"cli", "assembly models harness analyzer certification"},
});

/// An order of sub-folders, from the lowest one up: a folder may include those of earlier rows.
/// Folders of one row do not see each other. The files that lie directly in the folder are the
/// last row, except for `lowest`, which every row may include.
struct FolderOrder {
    std::string_view folder;
    std::string_view lowest;               ///< Headers directly in the folder, below all rows.
    std::array<std::string_view, 10> rows; ///< Sub-folders of a row, separated by blanks.
};

inline constexpr auto orders = std::to_array<FolderOrder>({
    {"analyzer",
     "analyzer/bound.hpp analyzer/bound_expression.hpp analyzer/request.hpp",
     {"value", "flow", "path", "microarchitecture", "launch", "divergence interference", "evidence",
      "memory policies", "application host pipeline"}},
    {"harness/simulator",
     "",
     {"divergence", "clock", "paths", "decode", "memory", "pipeline", "launch", "sm", "parallel"}},
    {"harness/suite", "", {"emission", "amd", "benchmarks"}},
    {"cli",
     "cli/version.hpp",
     {"options output", "inputs", "program", "simulation prediction", "inspection recordings",
      "bounds", "kernel_measurement evidence application", "measurement pipeline", "campaign"}},
});

/// Files that no file of a folder may include.
struct ForbiddenFolder {
    std::string_view folder;
    std::string_view forbidden;
    std::string_view except; ///< May be included nevertheless; empty: nothing.
    std::string_view reason;
};

inline constexpr auto forbidden = std::to_array<ForbiddenFolder>({
    {"harness/", "models/formulas/", "", "measurements must not depend on the models they judge"},
    {"harness/simulator/", "harness/execution/", "",
     "the timing model replays recordings, whoever made them"},
    {"certification/verify/", "analyzer/", "", "the verifier is independent of the analyzer"},
    {"certification/verify/", "certification/", "certification/verify/",
     "the verifier is independent of what made the evidence"},
});

/// A function of several words that both `analyzer` and `certification/verify` may define: what the
/// timing contract or a format defines, so that it cannot be written in two ways.
struct NameOnBothSides {
    std::string_view name;
    std::string_view reason;
};

inline constexpr std::array<NameOnBothSides, 0> names_on_both_sides{};

/// Third-party headers that are visible in some places only.
struct RestrictedHeader {
    std::string_view header;  ///< Regular expression on the included name.
    std::string_view allowed; ///< Regular expression on the path of the including file.
};

inline constexpr auto restricted = std::to_array<RestrictedHeader>({
    {"^z3", "^(analyzer|certification/verify)/"},
    {"^sqlite3", "^harness/campaign/"},
    {"^tinyxml2", "(xml|reader|writer)"},
    {"^(iostream|ostream|istream|fstream|sstream)$", "^cli/"},
    {"^(cuda|nvrtc|hip/)", "^harness/devices/"},
    {"^(zlib|lzma|zstd)[.]h$", "^assembly/binary/"},
    {"^openssl/", "^(assembly/support|certification)/"},
    {"^CLI/", "^cli/"},
    {"^llvm/", "^assembly/amd/llvm_decoder[.]cpp$"},
});

} // namespace warpbound::layering
