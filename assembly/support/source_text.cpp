#include "assembly/support/source_text.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

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

std::string digest_of(const std::string& bytes) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
        throw std::runtime_error{"SHA-256 is not available"};
    constexpr const char* digits = "0123456789abcdef";
    std::string text = "sha256:";
    for (unsigned int i = 0; i < size; ++i) {
        text += digits[digest[i] >> 4U];
        text += digits[digest[i] & 15U];
    }
    return text;
}

} // namespace warpbound::assembly
