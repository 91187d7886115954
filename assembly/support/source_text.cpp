#include "assembly/support/source_text.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace warpbound::assembly {

namespace {

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdin) std::fclose(file);
    }
};

} // namespace

Result<SourceText> read_source(const std::filesystem::path& path, std::size_t limit) {
    const std::string name = path == "-" ? "standard input" : path.string();
    std::error_code ignored;
    if (path != "-" && std::filesystem::is_directory(path, ignored))
        return Failure{"a file was expected, this is a folder", name};
    const std::unique_ptr<std::FILE, CloseFile> file{path == "-" ? stdin
                                                                 : std::fopen(path.c_str(), "rb")};
    if (!file) return Failure{std::string{"cannot be opened: "} + std::strerror(errno), name};
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
