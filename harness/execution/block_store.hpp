#pragma once
/// \file
/// Recordings of the blocks of a launch, in memory and beyond a limit in a temporary file.

#include "harness/recorded_launch.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

namespace warpbound::harness::execution {

class BlockStore {
public:
    /// `kept_limit`: of the recordings in memory. `Unit:` bytes.
    explicit BlockStore(std::size_t kept_limit) : kept_limit_{kept_limit} {}

    /// Adds the next block. Refuses a temporary file that cannot be written.
    Result<void> add(RecordedBlock block);
    /// The block with that number; may be called from several threads.
    [[nodiscard]] Result<std::shared_ptr<const RecordedBlock>> block(std::int64_t number) const;

private:
    struct CloseFile {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    /// Where a block is: in memory, or from `offset` on in the file.
    struct Entry {
        std::shared_ptr<const RecordedBlock> kept;
        std::uint64_t offset = 0;
        std::size_t warps = 0;
    };
    Result<void> write(const RecordedBlock& block);

    std::size_t kept_limit_;
    std::size_t kept_ = 0;
    std::vector<Entry> entries_;
    std::unique_ptr<std::FILE, CloseFile> file_; ///< Removed when it is closed.
    std::uint64_t end_ = 0;
};

} // namespace warpbound::harness::execution
