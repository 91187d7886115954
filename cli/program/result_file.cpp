/// \file
/// Files of results: complete or not there.
#include "cli/program/command.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace warpbound::cli {

namespace {

Failure write_failure(const std::string& path, int error) {
    return Failure{"the result could not be written: " + std::generic_category().message(error),
                   path == "-" || path.empty() ? "standard output" : path};
}

bool is_pipe_or_device(const std::string& path) {
    std::error_code unknown;
    const auto status = std::filesystem::status(path, unknown);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

/// Name of the file that holds the result until it is complete.
std::string temporary_name_of(const std::string& path) {
    return is_pipe_or_device(path) ? path : path + ".partial";
}

/// Opens a pipe or device, or makes a new file in place of one that an ended process left.
Result<std::FILE*> open_written(const std::string& path, const std::string& written) {
    const bool is_new = written != path;
    if (is_new) {
        std::error_code ignored;
        const auto left = std::filesystem::symlink_status(written, ignored);
        if (std::filesystem::exists(left) && !std::filesystem::is_regular_file(left))
            return Failure{"is a link or no plain file; expected to make a file of this name: "
                           "remove it",
                           written};
        std::filesystem::remove(written, ignored);
    }
    const int flags = is_new ? O_CREAT | O_EXCL | O_NOFOLLOW : 0;
    const int descriptor = ::open(written.c_str(), O_WRONLY | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) return write_failure(path, errno);
    std::FILE* const file = ::fdopen(descriptor, "wb");
    if (file != nullptr) return file;
    const int error = errno;
    ::close(descriptor);
    return write_failure(path, error);
}

} // namespace

Result<ResultFile> ResultFile::open(const std::string& path) {
    if (path.empty() || path == "-") return ResultFile{path, "", stdout};
    const std::string written = temporary_name_of(path);
    const auto file = open_written(path, written);
    if (!file) return file.as_failure();
    return ResultFile{path, written, file.value()};
}

ResultFile::ResultFile(ResultFile&& other) noexcept
    : path_{std::move(other.path_)}, written_{std::move(other.written_)},
      file_{std::exchange(other.file_, nullptr)}, error_{other.error_}, to_terminal_{
                                                                            other.to_terminal_} {}

ResultFile::~ResultFile() {
    if (file_ == nullptr || written_.empty()) return;
    std::fclose(file_);
    if (written_ != path_) std::remove(written_.c_str());
}

void ResultFile::write(std::string_view text) {
    std::string safe;
    if (to_terminal_) text = safe = printable(std::string{text});
    if (error_ != 0 || std::fwrite(text.data(), 1, text.size(), file_) == text.size()) return;
    error_ = errno != 0 ? errno : EIO;
}

Result<void> ResultFile::commit() {
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    std::FILE* const file = std::exchange(file_, nullptr);
    if (!written_.empty() && std::fclose(file) != 0 && error_ == 0) error_ = errno;
    if (!written_.empty() && written_ != path_) {
        std::error_code renamed;
        if (error_ == 0) std::filesystem::rename(written_, path_, renamed);
        if (renamed) error_ = renamed.value();
        if (error_ != 0) std::remove(written_.c_str());
    }
    if (error_ != 0) return write_failure(path_, error_);
    return boost::outcome_v2::success();
}

Exit write_result(const std::string& text, const std::string& path) {
    auto file = ResultFile::open(path);
    if (!file) return refuse(file.error());
    file.value().write(printable(text));
    const auto written = file.value().commit();
    return written ? Exit::Holds : refuse(written.error());
}

Result<void> check_output(const std::string& output, const std::string& input) {
    if (output.empty() || output == "-") return boost::outcome_v2::success();
    // Files that do not exist can only be compared by name.
    const auto whole_name = [](const std::string& file) {
        std::error_code failed;
        const auto absolute = std::filesystem::absolute(file, failed);
        auto canonical = std::filesystem::weakly_canonical(absolute, failed);
        return failed ? absolute : canonical;
    };
    for (const std::string& written : {output, temporary_name_of(output)}) {
        std::error_code unknown;
        if (whole_name(written) == whole_name(input) ||
            std::filesystem::equivalent(written, input, unknown))
            return Failure{fmt::format("would overwrite {}, from which it is made", input), output};
    }
    return boost::outcome_v2::success();
}

} // namespace warpbound::cli
