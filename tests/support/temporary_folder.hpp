#pragma once
/// \file
/// A folder that exists for the duration of a test.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace warpbound::tests {

/// Removed with its contents, also if a test made it read-only.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "warpbound-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error{"no temporary folder could be made"};
        path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored; // Nothing can be done in a destructor.
        std::filesystem::permissions(path_, std::filesystem::perms::owner_all, ignored);
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    TemporaryFolder(TemporaryFolder&&) = delete;
    TemporaryFolder& operator=(TemporaryFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace warpbound::tests
