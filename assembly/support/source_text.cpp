#include "assembly/support/source_text.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

namespace warpbound::assembly {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdin) std::fclose(file);
    }
};

constexpr int patience_milliseconds = 5000;
constexpr long anonymous_pipe = 0x50495045; // PIPEFS_MAGIC of linux/magic.h

/// Opens a file for reading. A named pipe that nobody writes would be waited for for ever.
Result<std::FILE*> open_to_read(const std::filesystem::path& path, const std::string& name) {
    const auto refuse = [&name] {
        return Failure{std::string{"cannot be opened: "} + std::strerror(errno), name};
    };
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return refuse();
    struct stat status {};
    struct statfs system {};
    const bool named_pipe = ::fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) &&
                            ::fstatfs(descriptor, &system) == 0 && system.f_type != anonymous_pipe;
    pollfd readable{descriptor, POLLIN, 0};
    if (named_pipe && ::poll(&readable, 1, patience_milliseconds) == 0) {
        ::close(descriptor);
        return Failure{"is a pipe, and nothing came through it for 5 s; expected a file, or - for "
                       "standard input",
                       name};
    }
    ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) & ~O_NONBLOCK);
    std::FILE* const file = ::fdopen(descriptor, "rb");
    if (file != nullptr) return file;
    const Failure failure = refuse();
    ::close(descriptor);
    return failure;
}

} // namespace

Result<SourceText> read_source(const std::string& path, std::size_t limit) {
    const std::string name = path == "-" ? "standard input" : path;
    std::error_code ignored;
    if (path != "-" && std::filesystem::is_directory(path, ignored))
        return Failure{"a file was expected, this is a folder", name};
    Result<std::FILE*> opened{stdin};
    if (path != "-") opened = open_to_read(path, name);
    if (!opened) return opened.as_failure();
    const std::unique_ptr<std::FILE, CloseFile> file{opened.value()};
    SourceText source{name, {}};
    std::array<char, 65536> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
        if (source.text.size() + got > limit)
            return Failure{"larger than the limit of " + std::to_string(limit) + " bytes", name};
        source.text.append(buffer.data(), got);
    }
    if (std::ferror(file.get()) != 0)
        return Failure{std::string{"cannot be read: "} + std::strerror(errno), name};
    return source;
}

} // namespace warpbound::assembly
