#include "harness/execution/block_store.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace warpbound::harness::execution {

namespace {

/// Writes the parts of a warp one after the other, each after its length.
template <typename Part> void append_part(std::string& bytes, const std::vector<Part>& part) {
    static_assert(std::is_trivially_copyable_v<Part>);
    const std::uint64_t count = part.size();
    bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
    bytes.append(reinterpret_cast<const char*>(part.data()), count * sizeof(Part));
}

bool read_all(int descriptor, char* into, std::size_t bytes, std::uint64_t& offset) {
    while (bytes > 0) {
        const ssize_t got = ::pread(descriptor, into, bytes, static_cast<off_t>(offset));
        if (got <= 0) return false;
        into += got;
        bytes -= static_cast<std::size_t>(got);
        offset += static_cast<std::uint64_t>(got);
    }
    return true;
}

template <typename Part>
bool read_part(int descriptor, std::vector<Part>& part, std::uint64_t& offset) {
    std::uint64_t count = 0;
    if (!read_all(descriptor, reinterpret_cast<char*>(&count), sizeof count, offset)) return false;
    part.resize(count);
    return read_all(descriptor, reinterpret_cast<char*>(part.data()), count * sizeof(Part), offset);
}

} // namespace

Result<void> BlockStore::write(const RecordedBlock& block) {
    if (!file_) file_.reset(std::tmpfile());
    std::string bytes;
    for (const RecordedWarp& warp : block.warps) {
        append_part(bytes, warp.stretches);
        append_part(bytes, warp.executing);
        append_part(bytes, warp.accesses);
        append_part(bytes, warp.listed);
    }
    if (!file_ || std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size() ||
        std::fflush(file_.get()) != 0)
        return Failure{"the recording of a large launch could not be written to a temporary file; "
                       "expected space where TMPDIR or /tmp lies"};
    entries_.push_back({nullptr, end_, block.warps.size()});
    end_ += bytes.size();
    return boost::outcome_v2::success();
}

Result<void> BlockStore::add(RecordedBlock block) {
    std::size_t size = sizeof block;
    for (RecordedWarp& warp : block.warps) {
        warp.stretches.shrink_to_fit();
        warp.accesses.shrink_to_fit();
        size += warp.size();
    }
    if (kept_ + size > kept_limit_) return write(block);
    kept_ += size;
    entries_.push_back({std::make_shared<const RecordedBlock>(std::move(block)), 0, 0});
    return boost::outcome_v2::success();
}

Result<std::shared_ptr<const RecordedBlock>> BlockStore::block(std::int64_t number) const {
    const auto index = static_cast<std::size_t>(number);
    if (number < 0 || index >= entries_.size())
        return Failure{fmt::format("block {} is not among the {} that were executed", number,
                                   entries_.size())};
    const Entry& entry = entries_[index];
    if (entry.kept) return entry.kept;
    auto block = std::make_shared<RecordedBlock>();
    block->warps.resize(entry.warps);
    std::uint64_t offset = entry.offset;
    const int descriptor = ::fileno(file_.get());
    for (RecordedWarp& warp : block->warps)
        if (!read_part(descriptor, warp.stretches, offset) ||
            !read_part(descriptor, warp.executing, offset) ||
            !read_part(descriptor, warp.accesses, offset) ||
            !read_part(descriptor, warp.listed, offset))
            return Failure{"the temporary file with the recording could not be read again"};
    return std::shared_ptr<const RecordedBlock>{std::move(block)};
}

} // namespace warpbound::harness::execution
