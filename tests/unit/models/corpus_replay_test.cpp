// Replays the fuzz corpus of the XML readers, whole, cut short and with bytes changed. A reader may
// refuse; it may not crash, and what it accepts must survive writing and reading.
#include "models/application/application_file.hpp"
#include "models/application/plan.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/facts/source_comments.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/launch/workload.hpp"
#include "models/pipeline/pipeline_file.hpp"
#include "models/pipeline/sample_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>

namespace warpbound::models {
namespace {

std::vector<assembly::SourceText> corpus(const char* folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry :
         std::filesystem::directory_iterator{std::filesystem::path{WARPBOUND_CORPUS} / folder})
        paths.push_back(entry.path());
    std::ranges::sort(paths);
    std::vector<assembly::SourceText> sources;
    for (const auto& path : paths)
        sources.push_back(assembly::read_source(path).value());
    return sources;
}

/// Calls `check` with each text and with damaged copies of it; the seed is in the trace.
template <typename Check> void replay(const char* folder, Check check) {
    const auto sources = corpus(folder);
    ASSERT_FALSE(sources.empty());
    constexpr int copies = 60;
    for (std::size_t index = 0; index < sources.size(); ++index) {
        const auto& source = sources[index];
        check(source);
        for (int copy = 0; copy < copies; ++copy) {
            const auto seed = static_cast<unsigned>(index * copies) + static_cast<unsigned>(copy);
            SCOPED_TRACE(source.name + ", seed " + std::to_string(seed));
            std::mt19937 random{seed};
            assembly::SourceText damaged = source;
            if (damaged.text.empty()) continue;
            if (copy % 3 == 0)
                damaged.text.resize(random() % damaged.text.size());
            else
                for (int flips = 1 + copy % 3; flips > 0; --flips)
                    damaged.text[random() % damaged.text.size()] = static_cast<char>(random());
            check(damaged);
        }
    }
}

TEST(CorpusReplay, FactCommentsAreReadOrRefused) {
    replay("source_comments", [](const assembly::SourceText& source) {
        const auto read = read_fact_comments(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            EXPECT_GT(read.error().line, 0);
            return;
        }
        for (const FactComment& comment : read.value())
            EXPECT_GE(comment.code_line, comment.line);
    });
}

TEST(CorpusReplay, ArchitecturesAreReadOrRefused) {
    replay("architecture", [](const assembly::SourceText& source) {
        const auto read = read_architecture(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            return;
        }
        const auto again =
            read_architecture({.name = "again", .text = write_architecture(read.value())});
        ASSERT_TRUE(again.has_value()) << again.error().what;
        EXPECT_TRUE(same_machine(again.value(), read.value()));
    });
}

TEST(CorpusReplay, FlowFactsAreReadOrRefused) {
    replay("flow_facts", [](const assembly::SourceText& source) {
        const auto read = read_flow_facts(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            return;
        }
        const auto text = write_flow_facts(read.value());
        const auto again = read_flow_facts({.name = "again", .text = text});
        ASSERT_TRUE(again.has_value()) << again.error().what;
        EXPECT_EQ(write_flow_facts(again.value()), text);
    });
}

TEST(CorpusReplay, WorkloadsAreReadOrRefused) {
    replay("workload", [](const assembly::SourceText& source) {
        const auto read = read_workload(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            return;
        }
        for (const HostOperation& operation : read.value().operations) {
            EXPECT_LT(operation.kernel, read.value().kernels.size());
            EXPECT_FALSE(operation.name.empty());
        }
    });
}

TEST(CorpusReplay, PipelinesAreReadOrRefused) {
    replay("pipelines", [](const assembly::SourceText& source) {
        const auto read = read_pipelines(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            return;
        }
        for (const Pipeline& pipeline : read.value().pipelines)
            for (const PipelineStage& stage : pipeline.stages)
                EXPECT_LT(stage.server.value_or(0), read.value().servers.size());
    });
}

TEST(CorpusReplay, SampleFilesAreReadOrRefused) {
    replay("sample_file", [](const assembly::SourceText& source) {
        const auto read = read_sample_file(source, "us");
        if (!read) {
            EXPECT_GT(read.error().line, 0);
            return;
        }
        for (const Nanoseconds time : read.value())
            EXPECT_GE(time.count(), 0);
    });
}

TEST(CorpusReplay, ApplicationsArePlannedOrRefused) {
    replay("applications", [](const assembly::SourceText& source) {
        const auto read = application::read_application(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            return;
        }
        const auto plan = application::plan_of(read.value());
        if (!plan) {
            EXPECT_GT(plan.error().line, 0);
            return;
        }
        for (const auto& operation : plan.value().operations) {
            EXPECT_LT(operation.server, plan.value().servers.size());
            EXPECT_LT(operation.time, plan.value().times.size());
        }
    });
}

TEST(CorpusReplay, KernelProfilesAreReadOrRefused) {
    replay("kernel_profile", [](const assembly::SourceText& source) {
        const auto read = read_profile(source);
        if (!read) {
            EXPECT_FALSE(read.error().what.empty());
            return;
        }
        const auto text = write_profile(read.value());
        ASSERT_TRUE(text.has_value()) << text.error().what;
        const auto again = read_profile({.name = "again", .text = text.value()});
        ASSERT_TRUE(again.has_value()) << again.error().what;
        EXPECT_EQ(again.value().counts, read.value().counts);
        EXPECT_EQ(again.value().steps, read.value().steps);
    });
}

} // namespace
} // namespace warpbound::models
