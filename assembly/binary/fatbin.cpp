#include "assembly/binary/fatbin.hpp"

#include "assembly/binary/byte_reader.hpp"
#include "assembly/binary/elf.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace warpbound::assembly {

namespace {

// Container: magic, version, bytes of this header, bytes of the entries. Entry: kind, version,
// bytes of this header, bytes of the image, ..., at 28 the number of the target, at 40 flags.
// Source: read off the output of CUDA 11.8 and 13.0.
constexpr std::uint32_t magic = 0xba55ed50;
constexpr std::uint64_t least_entry_header = 48;
constexpr std::uint64_t compressed_flags = 0x2000 | 0x8000; // LZ4; zstd.
constexpr std::uint16_t ptx_kind = 1;
constexpr std::uint16_t cubin_kind = 2;
constexpr std::size_t most_images = 100'000;

Failure ends_early() {
    return Failure{"the fat binary ends early"};
}

Result<void> read_entries(std::string_view entries, std::vector<FatbinImage>& images) {
    while (!entries.empty()) {
        const auto kind = number_at<std::uint16_t>(entries, 0);
        const auto header = number_at<std::uint32_t>(entries, 4);
        const auto size = number_at<std::uint64_t>(entries, 8);
        if (!kind || !header || !size || *header < least_entry_header) return ends_early();
        const auto front = bytes_at(entries, 0, *header);
        const auto image = bytes_at(entries, *header, *size);
        if (!front || !image) return ends_early();
        if (images.size() == most_images)
            return Failure{fmt::format("more than {} images", most_images)};
        const auto flags = *number_at<std::uint64_t>(*front, 40);
        const auto sm = static_cast<int>(*number_at<std::uint32_t>(*front, 28) & 0xffffU);
        if (*kind == ptx_kind || *kind == cubin_kind)
            images.push_back({*kind == ptx_kind ? ImageKind::Ptx : ImageKind::Cubin, sm,
                              (flags & compressed_flags) != 0, *image});
        entries.remove_prefix(front->size() + image->size());
    }
    return boost::outcome_v2::success();
}

} // namespace

bool is_fatbin(std::string_view bytes) {
    return number_at<std::uint32_t>(bytes, 0) == magic;
}

Result<std::vector<FatbinImage>> read_fatbins(std::string_view bytes) {
    std::vector<FatbinImage> images;
    while (!bytes.empty()) {
        if (bytes.front() == '\0') { // Padding between two fat binaries.
            bytes.remove_prefix(1);
            continue;
        }
        const auto header = number_at<std::uint16_t>(bytes, 6);
        const auto size = number_at<std::uint64_t>(bytes, 8);
        if (!is_fatbin(bytes)) return Failure{"no fat binary where one was expected"};
        if (!header || !size || *header < 16) return ends_early();
        const auto entries = bytes_at(bytes, *header, *size);
        if (!entries) return ends_early();
        if (auto read = read_entries(*entries, images); !read) return read.as_failure();
        bytes.remove_prefix(*header + entries->size());
    }
    return images;
}

Result<std::vector<FatbinImage>> read_host_elf(std::string_view bytes) {
    const auto file = read_elf(bytes);
    if (!file) return file.as_failure();
    if (const ElfSection* section = file.value().section(".nv_fatbin"))
        return read_fatbins(section->contents);
    if (file.value().section("__nv_relfatbin") != nullptr) return refusal_of_relocatable_code();
    return Failure{"a program without GPU code (no section .nv_fatbin); expected one that nvcc "
                   "made, or a cubin"};
}

} // namespace warpbound::assembly
