#include "assembly/amd/offload_bundle.hpp"

#include "assembly/amd/processor.hpp"
#include "assembly/binary/byte_reader.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace warpbound::assembly::amd {

namespace {

constexpr std::string_view magic = "__CLANG_OFFLOAD_BUNDLE__";
constexpr std::string_view compressed_magic = "CCOB";
constexpr std::uint64_t most_entries = 10'000;

/// "gfx90a:xnack-" of "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; empty: of another architecture.
std::string_view processor_of(std::string_view id) {
    if (id.find("amdgcn") == std::string_view::npos) return {};
    const std::size_t at = id.rfind("-gfx");
    return at == std::string_view::npos ? std::string_view{} : id.substr(at + 1);
}

} // namespace

bool is_offload_bundle(std::string_view bytes) {
    return bytes.substr(0, magic.size()) == magic ||
           bytes.substr(0, compressed_magic.size()) == compressed_magic;
}

Result<std::vector<BundledCode>> read_offload_bundle(std::string_view bytes) {
    if (bytes.substr(0, magic.size()) != magic)
        return Failure{"a compressed offload bundle; write it without compression: clang "
                       "--no-offload-compress, or unbundle it: clang-offload-bundler --unbundle "
                       "--type=o --targets=hipv4-amdgcn-amd-amdhsa--gfx90a --input=FILE "
                       "--output=code.hsaco"};
    const auto count = number_at<std::uint64_t>(bytes, magic.size());
    if (!count || *count > most_entries)
        return Failure{"not a whole offload bundle: its table ends early"};
    std::vector<BundledCode> entries;
    std::string there;
    std::uint64_t at = magic.size() + 8;
    for (std::uint64_t i = 0; i < *count; ++i) {
        const auto offset = number_at<std::uint64_t>(bytes, at);
        const auto size = number_at<std::uint64_t>(bytes, at + 8);
        const auto id_size = number_at<std::uint64_t>(bytes, at + 16);
        const auto id = id_size ? bytes_at(bytes, at + 24, *id_size) : std::nullopt;
        if (!offset || !size || !id)
            return Failure{fmt::format("not a whole offload bundle: entry {} ends early", i)};
        at += 24 + *id_size;
        const auto code = bytes_at(bytes, *offset, *size);
        if (!code)
            return Failure{
                fmt::format("not a whole offload bundle: the code of '{}' ends early", *id)};
        there += fmt::format("{}{}", there.empty() ? "" : ", ", *id);
        const auto target = parse_processor(processor_of(*id));
        if (target && !code->empty()) entries.push_back({std::string{*id}, *target, *code});
    }
    if (entries.empty())
        return Failure{fmt::format(
            "holds no code for an AMD processor that is read: it holds {}; expected one of {}",
            there.empty() ? "nothing" : there, list_of_processors())};
    return entries;
}

} // namespace warpbound::assembly::amd
