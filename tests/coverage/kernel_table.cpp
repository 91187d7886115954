#include "tests/coverage/kernel_table.hpp"

#include "tests/silicon/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace warpbound::coverage {

namespace {

using silicon::Record;

struct Parameter {
    std::string name;
    std::int64_t size = 4;
    bool pointer = false;
};

std::vector<std::string> words_of(const std::string& text) {
    std::istringstream in{text};
    std::vector<std::string> words;
    for (std::string word; in >> word;)
        words.push_back(word);
    return words;
}

/// `*name` is a pointer, `name:SIZE` has so many bytes, `name` four.
Parameter parameter_of(const std::string& word) {
    if (word.front() == '*') return {word.substr(1), 8, true};
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) return {word, 4, false};
    return {word.substr(0, colon), std::stoll(word.substr(colon + 1)), false};
}

/// The largest power of two, up to 16, that divides the size.
std::int64_t alignment_of(std::int64_t size) {
    std::int64_t alignment = 16;
    while (size % alignment != 0)
        alignment /= 2;
    return alignment;
}

std::int64_t first_parameter(const std::string& target) {
    return target == "sm_100" ? 0x380 : target == "sm_90" ? 0x210 : 0x160;
}

Result<std::vector<std::string>> argument_options(const Record& row, const std::string& target) {
    std::vector<std::string> options;
    std::vector<std::string> given = words_of(row.at("arguments"));
    std::int64_t offset = first_parameter(target);
    for (const std::string& word : words_of(row.at("parameters"))) {
        const Parameter parameter = parameter_of(word);
        const std::int64_t alignment = alignment_of(parameter.size);
        offset = (offset + alignment - 1) / alignment * alignment;
        if (parameter.pointer) options.push_back(fmt::format("0x{:x}=multiple:256", offset));
        const auto found = std::find_if(given.begin(), given.end(), [&](const std::string& one) {
            return one.rfind(parameter.name + "=", 0) == 0;
        });
        if (found != given.end()) {
            options.push_back(
                fmt::format("0x{:x}={}", offset, found->substr(parameter.name.size() + 1)));
            given.erase(found);
        }
        offset += parameter.size;
    }
    if (!given.empty())
        return Failure{fmt::format("{}: no parameter for {}", row.at("kernel"), given.front())};
    return options;
}

/// `16x8x2` as a number of blocks or threads.
std::int64_t product_of(const std::string& extents) {
    std::istringstream in{extents};
    std::int64_t product = 1;
    for (std::string extent; std::getline(in, extent, 'x');)
        product *= std::stoll(extent);
    return product;
}

Result<std::vector<std::string>> launch_options(const Record& row, const std::string& target) {
    const std::string& grid = row.at("grid");
    const std::string& block = row.at("block");
    std::string launch =
        fmt::format("{}x{},block={},grid={}", product_of(grid), product_of(block), block, grid);
    if (!row.at("shared-memory").empty()) launch += ",shared-memory=" + row.at("shared-memory");
    std::vector<std::string> options{"--launch", launch};
    const auto arguments = argument_options(row, target);
    if (!arguments) return arguments.as_failure();
    for (const std::string& argument : arguments.value())
        options.insert(options.end(), {"--arg", argument});
    return options;
}

} // namespace

Result<std::vector<KernelCase>> read_kernel_table(const std::filesystem::path& folder) {
    const auto rows =
        silicon::read_table(folder / "kernels.csv", {"file", "kernel", "grid", "block",
                                                     "shared-memory", "parameters", "arguments"});
    if (!rows) return rows.as_failure();
    std::vector<KernelCase> cases;
    for (const Record& row : rows.value())
        for (const char* target : {"sm_75", "sm_80", "sm_86", "sm_90", "sm_100"}) {
            const auto listing = folder / fmt::format("{}.{}.sass.xz", row.at("file"), target);
            if (!std::filesystem::exists(listing)) continue;
            auto launch = launch_options(row, target);
            if (!launch) return launch.as_failure();
            cases.push_back(
                {row.at("file"), row.at("kernel"), target, listing, std::move(launch).value()});
        }
    return cases;
}

} // namespace warpbound::coverage
