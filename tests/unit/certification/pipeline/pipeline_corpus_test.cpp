/// \file
/// Replays the corpora of the fuzz targets about pipelines, whole and with numbers, lines and bytes
/// changed; WARPBOUND_CORPUS_COPIES of each file, for a campaign without libFuzzer.

#include "assembly/support/source_text.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/pipeline_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace warpbound {
namespace {

std::vector<assembly::SourceText> corpus(const std::string& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator{
             std::filesystem::path{WARPBOUND_SOURCE_DIR "/tests/fuzz/corpus"} / folder})
        paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<assembly::SourceText> sources;
    for (const auto& path : paths)
        sources.push_back(assembly::read_source(path).value());
    return sources;
}

using Place = std::pair<std::size_t, std::size_t>; ///< Begin and length.

std::vector<Place> numbers_in(const std::string& text) {
    constexpr const char* digits = "0123456789";
    std::vector<Place> found;
    for (std::size_t at = text.find_first_of(digits); at != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_not_of(digits, at), text.size());
        found.emplace_back(at, end - at);
        at = text.find_first_of(digits, end);
    }
    return found;
}
std::vector<Place> lines_in(const std::string& text) {
    std::vector<Place> found;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        found.emplace_back(at, end - at);
        at = end;
    }
    return found;
}

/// Mostly another number, sometimes another line or byte: the form is broken less often.
std::string damaged(std::string text, std::mt19937_64& random) {
    const auto one_of = [&](const auto& list) { return list[random() % list.size()]; };
    for (std::uint64_t left = 1 + random() % 4; left > 0 && !text.empty(); --left) {
        const auto numbers = numbers_in(text);
        const auto lines = lines_in(text);
        const std::uint64_t kind = numbers.empty() ? 9 : random() % 10;
        if (kind < 7) {
            const auto [at, size] = one_of(numbers);
            const auto [from, length] = one_of(numbers);
            static const std::vector<std::string> edges{"0",
                                                        "1",
                                                        "2",
                                                        "50",
                                                        "1125899906842624",
                                                        "9223372036854775807",
                                                        "99999999999999999999"};
            std::string number = text.substr(at, size);
            if (kind < 3)
                number[random() % size] = static_cast<char>('0' + random() % 10);
            else
                number = kind < 5 ? text.substr(from, length) : one_of(edges);
            text.replace(at, size, number);
        } else if (kind < 9) {
            const auto [at, size] = one_of(lines);
            const auto [from, length] = one_of(lines);
            text.replace(at, kind == 7 ? size : 0,
                         random() % 3 == 0 ? "" : text.substr(from, length));
        } else {
            text[random() % text.size()] = static_cast<char>(random());
        }
    }
    return text;
}

void replay(const std::string& folder, std::string (*defect)(const std::string&)) {
    const auto sources = corpus(folder);
    ASSERT_GE(sources.size(), 2U);
    const auto copies = tests::from_environment("WARPBOUND_CORPUS_COPIES", 100);
    const auto seed = tests::from_environment("WARPBOUND_PROPERTY_SEED", 20261128);
    for (const auto& source : sources) {
        EXPECT_EQ(defect(source.text), "") << source.name;
        std::mt19937_64 random{seed};
        for (std::uint64_t copy = 0; copy < copies; ++copy) {
            const std::string text = damaged(source.text, random);
            ASSERT_EQ(defect(text), "") << source.name << ", copy " << copy << ":\n" << text;
        }
    }
}

TEST(PipelineCorpus, OfDescriptionsHasBoundsWithEvidenceThatHold) {
    replay("pipelines", tests::defect_of_pipelines);
}

TEST(PipelineCorpus, OfBundlesHasNoAcceptedClaimBelowTheAnalysis) {
    replay("pipeline_bundle", tests::defect_of_pipeline_bundle);
}

} // namespace
} // namespace warpbound
