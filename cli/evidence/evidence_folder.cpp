#include "cli/evidence/evidence_folder.hpp"

#include "assembly/support/source_text.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace warpbound::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 100'000;
constexpr std::size_t most_bytes = std::size_t{256} << 20U;
constexpr int deepest = 8;

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

/// Refuses what `read_evidence` would.
Result<void> check_limits(const std::string& folder, const certification::EvidenceFiles& files) {
    std::size_t bytes = 0;
    for (const auto& [path, file] : files) {
        bytes += file.bytes.size();
        if (file.bytes.size() > assembly::source_size_limit)
            return Failure{fmt::format("{} bytes, more than the {} that `verify` reads of a file; "
                                       "expected fewer runs",
                                       file.bytes.size(), assembly::source_size_limit),
                           path};
    }
    if (files.size() > most_files || bytes > most_bytes)
        return Failure{fmt::format("{} files with {} bytes, more than the {} files or {} bytes "
                                   "that `verify` reads; expected fewer runs",
                                   files.size(), bytes, most_files, most_bytes),
                       folder};
    return boost::outcome_v2::success();
}

Result<void> write_file(const fs::path& path, const std::string& bytes) {
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    // The folder was empty: each file is a new one, and no link is followed ("x": O_EXCL).
    std::unique_ptr<std::FILE, CloseFile> file{std::fopen(path.c_str(), "wbx")};
    if (!file || std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size() ||
        std::fflush(file.get()) != 0)
        return Failure{"could not be written", path.string()};
    return boost::outcome_v2::success();
}

} // namespace

Result<void> write_evidence(const std::string& folder, const certification::EvidenceFiles& files) {
    if (auto checked = check_limits(folder, files); !checked) return checked.as_failure();
    std::error_code error;
    if (fs::exists(folder, error) && !fs::is_empty(folder, error))
        return Failure{"the folder is not empty; expected an empty or a new one", folder};
    const fs::path root{folder};
    for (const auto& [path, file] : files) {
        if (path == "manifest.json") continue;
        if (auto written = write_file(root / path, file.bytes); !written)
            return written.as_failure();
    }
    return write_file(root / "manifest.json", files.at("manifest.json").bytes);
}

Result<std::map<std::string, std::string>> read_evidence(const std::string& folder) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) return Failure{"a folder was expected", folder};
    std::map<std::string, std::string> files;
    std::size_t bytes = 0;
    fs::recursive_directory_iterator entries{folder, error};
    for (const fs::recursive_directory_iterator end; !error && entries != end;
         entries.increment(error)) {
        const fs::path& path = entries->path();
        if (fs::is_symlink(entries->symlink_status()))
            return Failure{"a link is not evidence", path.string()};
        if (entries.depth() >= deepest)
            return Failure{fmt::format("nested deeper than {}", deepest), path.string()};
        if (entries->is_directory()) continue;
        if (!entries->is_regular_file()) return Failure{"not a plain file", path.string()};
        auto source = assembly::read_source(path);
        if (!source) return source.as_failure();
        bytes += source.value().text.size();
        if (files.size() >= most_files || bytes > most_bytes)
            return Failure{fmt::format("more than {} files or {} bytes", most_files, most_bytes),
                           folder};
        files.emplace(path.lexically_relative(folder).generic_string(),
                      std::move(source.value().text));
    }
    if (error) return Failure{error.message(), folder};
    return files;
}

} // namespace warpbound::cli
