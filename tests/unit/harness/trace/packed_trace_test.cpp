// Traces as the tracer stores them today: version 6, `.xz`, and `.tracez` of Accel-Sim 2.0; damage
// is refused.

#include "harness/trace/packed_trace.hpp"
#include "harness/trace/sass_trace.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <random>

namespace warpbound::harness::trace {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string texts = std::string{WARPBOUND_SOURCE_DIR} + "/tests/fuzz/corpus/sass_trace/";
const std::string packed = std::string{WARPBOUND_SOURCE_DIR} + "/tests/fuzz/corpus/packed_trace/";

std::string bytes_of(const std::string& file) {
    return assembly::read_source(file).value().text;
}
std::string refusal_of(std::string bytes, std::size_t limit = unpacked_limit) {
    const auto text = text_of_tracez({"k.tracez", std::move(bytes)}, limit);
    return text ? "accepted" : to_string(text.error());
}

TEST(PackedTrace, HasTheTraceOfItsText) {
    const auto plain = read_sass_trace(read_trace_text(texts + "version-6.traceg").value());
    ASSERT_TRUE(plain) << to_string(plain.error());
    for (const char* file :
         {"with-dictionary.tracez", "small-parts.tracez", "version-6.traceg.xz"}) {
        const auto text = read_trace_text(packed + file);
        ASSERT_TRUE(text) << to_string(text.error());
        const auto trace = read_sass_trace(text.value());
        ASSERT_TRUE(trace) << file << ": " << to_string(trace.error());
        EXPECT_EQ(trace.value(), plain.value()) << file;
        // The bytes of a stream are those of the text.
        const auto stream = open_trace(packed + file);
        ASSERT_TRUE(stream);
        std::string read(text.value().text.size() + 1, ' ');
        EXPECT_EQ(stream.value().read(0, read).value(), text.value().text.size());
        EXPECT_EQ(read.substr(0, read.size() - 1), text.value().text);
    }
}

TEST(PackedTrace, RefusesMoreThanTheLimit) {
    const std::string bytes = bytes_of(packed + "with-dictionary.tracez");
    EXPECT_THAT(refusal_of(bytes, 1000), HasSubstr("holds more than the limit of"));
    EXPECT_THAT(to_string(open_trace(packed + "version-6.traceg.xz", 1000).error()),
                HasSubstr("holds more than the limit of 1000 bytes"));
}

// Each cut and each changed byte is refused, or gives text; none is read outside the file.
TEST(PackedTrace, IsRefusedWhereItIsDamaged) {
    for (const char* file : {"with-dictionary.tracez", "small-parts.tracez"}) {
        const std::string whole = bytes_of(packed + file);
        for (std::size_t size = 0; size < whole.size(); size += 7)
            EXPECT_NE(refusal_of(whole.substr(0, size)), "accepted") << file << " cut at " << size;
        std::mt19937 random{1};
        int refused = 0;
        for (int trial = 0; trial < 2000; ++trial) {
            std::string damaged = whole;
            char& byte = damaged[random() % damaged.size()];
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << (random() % 8U)));
            if (refusal_of(std::move(damaged)) != "accepted") ++refused;
        }
        EXPECT_GT(refused, 500) << file;
    }
}

void set_number(std::string& bytes, std::size_t at, std::uint32_t number) {
    for (std::size_t i = 0; i < sizeof number; ++i)
        bytes[at + i] = static_cast<char>(number >> (8U * i));
}

TEST(PackedTrace, SaysWhatIsWrong) {
    const std::string whole = bytes_of(packed + "small-parts.tracez");
    EXPECT_THAT(refusal_of("-kernel name = k\n"), HasSubstr("no end of the kernel's header"));
    EXPECT_THAT(refusal_of(whole.substr(0, whole.find('\0') + 4)), HasSubstr("in its dictionary"));
    EXPECT_THAT(refusal_of(whole + "12345678"), HasSubstr("where its index is"));
    // The header ends; no dictionary; then the first warp: its instructions and its parts.
    const std::size_t warp = whole.find('\0') + 1 + 8;
    std::string other = whole;
    set_number(other, warp, 99);
    EXPECT_THAT(refusal_of(other), HasSubstr("warp 0 of block 0,0,0 is not where the index says"));
    other = whole;
    set_number(other, warp + 8, 1U << 30U);
    EXPECT_THAT(refusal_of(other), HasSubstr("warp 0 of block 0,0,0 is cut off"));
    other = whole;
    set_number(other, warp + 12, 0);
    EXPECT_THAT(refusal_of(other), HasSubstr("warp 0 of block 0,0,0 has damaged zstd data"));
    other = whole;
    const std::size_t of_last_part = whole.size() - 8 - 4; // The index ends with it.
    set_number(other, of_last_part, 77);
    EXPECT_THAT(refusal_of(other), HasSubstr("lines, not the 77 announced"));
    EXPECT_THAT(to_string(read_trace_text(packed + "absent.tracez").error()),
                HasSubstr("absent.tracez"));
}

TEST(PackedTrace, IsKnownByItsName) {
    for (const char* name : {"kernel-1.traceg", "kernel-1-ctx_0x6165bdd7ec90.traceg.xz",
                             "kernel-1.tracez", "a/kernelslist.g", "kernelslist_ctx_0x12.g"})
        EXPECT_TRUE(is_trace_name(name)) << name;
    for (const char* name : {"kernel.sass", "kernel.sass.xz", "kernelslist", "kernel-1.trace", "g"})
        EXPECT_FALSE(is_trace_name(name)) << name;
}

SassTrace version_6() {
    const auto trace = read_sass_trace(read_trace_text(texts + "version-6.traceg").value());
    EXPECT_TRUE(trace) << to_string(trace.error());
    return trace.value();
}

TEST(SassTraceOfVersion6, HasGeneralRegistersAndAddresses) {
    const SassTrace trace = version_6();
    EXPECT_EQ(trace.tracer_version, 6);
    const auto& issues = trace.blocks.at(0).warps.at(0).issues;
    EXPECT_THAT(issues.at(0).sources, ElementsAre(255)); // UR4 and UP0 are left out.
    EXPECT_THAT(issues.at(1).destinations, ElementsAre(4, 5, 6, 7));
    EXPECT_EQ(issues.at(1).width, 16);
    EXPECT_EQ(addresses_of(issues.at(1)).back(), 0x7f0000000000U + 31U * 16U);
}

TEST(SassTraceOfVersion6, RefusesWhatItCannotMean) {
    const std::string text = bytes_of(texts + "version-6.traceg");
    const auto refused = [&](std::string_view part, std::string_view other) {
        std::string changed = text;
        const std::size_t at = changed.find(part);
        EXPECT_NE(at, std::string::npos) << part;
        changed.replace(at, part.size(), other);
        const auto trace = read_sass_trace({"k.traceg", changed});
        return trace ? std::string{"accepted"} : to_string(trace.error());
    };
    EXPECT_THAT(refused("cluster rank = 0", "cluster rank = 1"), HasSubstr("clusters of several"));
    EXPECT_THAT(refused("cluster cta = 0,0,0", "cluster cta = 1,0,0"),
                HasSubstr("clusters of several"));
    EXPECT_THAT(refused("cluster id", "cluster size"), HasSubstr("unexpected 'cluster size"));
    EXPECT_THAT(refused("0 0 NoVal", "0 x NoVal"), HasSubstr("'x' is no immediate"));
    EXPECT_THAT(refused("0 0 NoVal", "0 0 NoVal 1"), HasSubstr("unexpected '1'"));
    EXPECT_THAT(refused("Val 1 2a", "Val 2 2a"), HasSubstr("neither one value"));
    EXPECT_THAT(refused("Val 1 2a", "Val 1 xy"), HasSubstr("value of a register"));
    EXPECT_THAT(refused("UR4", "UR400"), HasSubstr("'400' is no register"));
    EXPECT_THAT(refused("tracer version = 6", "tracer version = 7"),
                HasSubstr("tracer version 7 is not read; expected 1..6"));
}

} // namespace
} // namespace warpbound::harness::trace
