/// \file
/// Replays the corpora of the fuzz targets about pipelines, whole and with bytes changed.

#include "assembly/support/source_text.hpp"
#include "tests/support/pipeline_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
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

/// A digit or another byte becomes another one: numbers change more often than the form.
std::string damaged(std::string text, std::mt19937_64& random) {
    std::vector<std::size_t> digits;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] >= '0' && text[i] <= '9') digits.push_back(i);
    for (std::uint64_t left = 1 + random() % 3; left > 0; --left)
        if (!digits.empty() && random() % 8 != 0)
            text[digits[random() % digits.size()]] = static_cast<char>('0' + random() % 10);
        else
            text[random() % text.size()] = static_cast<char>(random());
    return text;
}

void replay(const std::string& folder, std::string (*defect)(const std::string&)) {
    const auto sources = corpus(folder);
    ASSERT_GE(sources.size(), 2U);
    constexpr int copies = 100;
    for (const auto& source : sources) {
        EXPECT_EQ(defect(source.text), "") << source.name;
        std::mt19937_64 random{20261128};
        for (int copy = 0; copy < copies; ++copy) {
            const std::string text = damaged(source.text, random);
            EXPECT_EQ(defect(text), "") << source.name << ", copy " << copy << ":\n" << text;
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
