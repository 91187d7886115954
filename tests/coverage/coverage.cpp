/// \file
/// Scores the program on the kernels of examples/coverage: how many are read, bounded, certified
/// and verified, and how much of what the analysis needs is derived from the code.

#include "tests/coverage/page.hpp"
#include "tests/coverage/score_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace {

using namespace warpbound::coverage;

constexpr auto usage =
    "usage: coverage PROGRAM FOLDER [--every N] [--only TEXT] [--csv FILE] [--verified PERCENT]\n"
    "       [--shard I/N --scores FILE | --join FILE ..]\n";

struct Choice {
    std::size_t every = 1; ///< Each n-th row.
    std::string only;      ///< Rows whose file, kernel or target contains this text.
    std::string csv;
    std::size_t verified = 0; ///< Least share of verified kernels, in percent.
    std::size_t shard = 1;    ///< Of `shards`, from 1 on.
    std::size_t shards = 1;
    std::string scores; ///< File for the scores of the shard, in place of tables.
    std::vector<std::filesystem::path> joined; ///< Such files; nothing is then scored.
};

/// "2/7"; false for other text.
bool read_shard(const std::string& text, Choice& choice) {
    char* end = nullptr;
    choice.shard = std::strtoul(text.c_str(), &end, 10);
    if (*end != '/') return false;
    choice.shards = std::strtoul(end + 1, &end, 10);
    return *end == '\0' && choice.shard >= 1 && choice.shard <= choice.shards;
}

std::vector<KernelCase> chosen(const std::vector<KernelCase>& all, const Choice& choice) {
    std::vector<KernelCase> some;
    for (std::size_t i = 0; i < all.size(); i += choice.every) {
        const std::string name = all[i].file + " " + all[i].kernel + " " + all[i].target;
        if (name.find(choice.only) != std::string::npos) some.push_back(all[i]);
    }
    return some;
}

/// An empty folder that is removed in the end.
class Scratch {
public:
    Scratch() {
        std::string name = (std::filesystem::temp_directory_path() / "coverageXXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error{"no temporary folder"};
        folder_ = name;
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_;
};

std::vector<Row> scored(const std::vector<KernelCase>& cases, const std::string& program,
                        const std::filesystem::path& sources) {
    std::vector<Row> rows(cases.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        const Scratch scratch;
        for (std::size_t i = next++; i < cases.size(); i = next++) {
            rows[i] = {cases[i], score_of(cases[i], program, sources, scratch.folder(), {})};
            if (i % 50 == 49) fmt::print(stderr, "{} of {}\n", i + 1, cases.size());
        }
    };
    std::vector<std::thread> workers;
    for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i)
        workers.emplace_back(work);
    for (std::thread& worker : workers)
        worker.join();
    return rows;
}

/// Each `shards`-th of the chosen ones.
std::vector<KernelCase> part_of(const std::vector<KernelCase>& cases, const Choice& choice) {
    std::vector<KernelCase> part;
    for (std::size_t i = choice.shard - 1; i < cases.size(); i += choice.shards)
        part.push_back(cases[i]);
    return part;
}

int failed(const std::string& message) {
    fmt::print(stderr, "coverage: {}\n", message);
    return EXIT_FAILURE;
}

} // namespace

int main(int count, char** words) {
    const std::vector<std::string> arguments{words + 1, words + count};
    if (arguments.size() < 2 || arguments.size() % 2 != 0) return failed(usage);
    Choice choice;
    for (std::size_t i = 2; i < arguments.size(); i += 2) {
        if (arguments[i] == "--every")
            choice.every = std::max(1UL, std::strtoul(arguments[i + 1].c_str(), nullptr, 10));
        else if (arguments[i] == "--only")
            choice.only = arguments[i + 1];
        else if (arguments[i] == "--csv")
            choice.csv = arguments[i + 1];
        else if (arguments[i] == "--verified")
            choice.verified = std::strtoul(arguments[i + 1].c_str(), nullptr, 10);
        else if (arguments[i] == "--scores")
            choice.scores = arguments[i + 1];
        else if (arguments[i] == "--join")
            choice.joined.emplace_back(arguments[i + 1]);
        else if (arguments[i] != "--shard" || !read_shard(arguments[i + 1], choice))
            return failed(usage);
    }
    const auto table = read_kernel_table(arguments[1]);
    if (!table) return failed(to_string(table.error()));
    const std::vector<KernelCase> cases = chosen(table.value(), choice);
    if ((choice.shards > 1) != !choice.scores.empty() ||
        (!choice.scores.empty() && !choice.joined.empty()))
        return failed(usage);
    if (!choice.scores.empty()) {
        std::ofstream out{choice.scores};
        out << scores_of(scored(part_of(cases, choice), arguments[0], arguments[1]));
        return out.flush() ? EXIT_SUCCESS : failed("cannot write " + choice.scores);
    }
    auto joined = joined_scores(cases, choice.joined);
    if (!choice.joined.empty() && !joined) return failed(to_string(joined.error()));
    const auto rows = choice.joined.empty() ? scored(cases, arguments[0], arguments[1])
                                            : std::move(joined).value();
    if (!choice.csv.empty()) std::ofstream{choice.csv} << csv_of(rows);
    fmt::print("{}", page_of(rows));
    const auto with = [&](bool Score::*member) {
        return static_cast<std::size_t>(std::count_if(
            rows.begin(), rows.end(), [&](const Row& row) { return row.score.*member; }));
    };
    if (with(&Score::outside) > 0) return failed("a simulated run lies outside its bounds");
    if (100 * with(&Score::verified) < choice.verified * rows.size())
        return failed(fmt::format("less than {} % are verified", choice.verified));
    return EXIT_SUCCESS;
}
