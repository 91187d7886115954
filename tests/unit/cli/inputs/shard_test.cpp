#include "cli/inputs/shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace warpbound::cli {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<Shard> read(const std::string& text, Variables variables = {}) {
    return shard_of(
        text,
        [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional{found->second};
        });
}
std::string name(const std::string& text, Variables variables = {}) {
    const auto shard = read(text, std::move(variables));
    return shard ? shard.value().name() : to_string(shard.error());
}

TEST(Shard, IsTheWholePlanWhereNobodySaysOtherwise) {
    EXPECT_EQ(name(""), "1-of-1");
    EXPECT_TRUE(read("").value().has(0));
    EXPECT_TRUE(read("").value().has(17));
}

TEST(Shard, HasEachPointOnce) {
    for (std::size_t point = 0; point < 30; ++point) {
        int owners = 0;
        for (int index = 1; index <= 7; ++index)
            if (read(std::to_string(index) + "/7").value().has(point)) ++owners;
        EXPECT_EQ(owners, 1) << point;
    }
}

TEST(Shard, IsStatedAsIOfN) {
    EXPECT_EQ(name("3/8"), "3-of-8");
    EXPECT_EQ(name("3/8", {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
              "3-of-8");
    for (const char* wrong : {"0/8", "9/8", "3", "3/", "/8", "3/8/1", "-1/8", "a/b", "1/0", " 1/2"})
        EXPECT_THAT(name(wrong), HasSubstr("expected I/N")) << wrong;
}

TEST(Shard, IsATaskOfAnArrayOfSlurm) {
    const Variables array{{"SLURM_ARRAY_TASK_ID", "12"},  {"SLURM_ARRAY_TASK_MIN", "10"},
                          {"SLURM_ARRAY_TASK_MAX", "13"}, {"SLURM_ARRAY_TASK_COUNT", "4"},
                          {"SLURM_PROCID", "0"},          {"SLURM_NTASKS", "1"}};
    EXPECT_EQ(name("", array), "3-of-4");
    Variables with_gaps = array;
    with_gaps["SLURM_ARRAY_TASK_COUNT"] = "2"; // --array=10,13 or a step.
    EXPECT_THAT(name("", with_gaps), HasSubstr("--shard I/N"));
    EXPECT_EQ(name("1/2", with_gaps), "1-of-2");
}

TEST(Shard, IsAProcessOfMpiOrOfAStep) {
    EXPECT_EQ(name("", {{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "5"}}), "3-of-5");
    EXPECT_EQ(name("", {{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), "1-of-2");
    EXPECT_EQ(name("", {{"SLURM_PROCID", "1"}, {"SLURM_NTASKS", "2"}}), "2-of-2");
    EXPECT_EQ(name("", {{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "1"}}), "1-of-1");
    EXPECT_EQ(name("", {{"PMI_RANK", "4"}, {"PMI_SIZE", "2"}}), "1-of-1");
}

TEST(Shard, IsATaskOfHyperQueueWhereTheNumberOfTasksIsStated) {
    const Variables task{{"HQ_JOB_ID", "7"}, {"HQ_TASK_ID", "3"}};
    EXPECT_EQ(name("/8", task), "3-of-8");
    EXPECT_EQ(read("/8", task).value().source, "HQ_TASK_ID");
    EXPECT_EQ(name("2/8", task), "2-of-8");
    EXPECT_THAT(name("", task), HasSubstr("state the number: --shard /N"));
    EXPECT_THAT(name("/2", task), HasSubstr("expected a task from 1 to N"));
    EXPECT_THAT(name("/", task), HasSubstr("expected a task from 1 to N"));
    EXPECT_THAT(name("/8", {{"HQ_TASK_ID", "0"}}), HasSubstr("hq submit --array 1-8"));
    EXPECT_THAT(name("/8", {{"HQ_TASK_ID", "1/8"}}), HasSubstr("expected a task"));
}

TEST(Shard, OfHyperQueueIsNotThatOfTheSlurmTaskOfItsWorker) {
    const Variables in_slurm{{"HQ_TASK_ID", "3"},
                             {"SLURM_ARRAY_TASK_ID", "1"},
                             {"SLURM_ARRAY_TASK_MIN", "1"},
                             {"SLURM_ARRAY_TASK_MAX", "2"},
                             {"SLURM_ARRAY_TASK_COUNT", "2"}};
    EXPECT_EQ(name("/8", in_slurm), "3-of-8");
    EXPECT_THAT(name("", in_slurm), HasSubstr("--shard /N"));
}

TEST(Shard, GivesAFileItsName) {
    const Shard shard{2, 4, ""};
    EXPECT_EQ(with_shard("runs/{shard}.db", shard), "runs/2-of-4.db");
    EXPECT_EQ(with_shard("runs.db", shard), "runs.db");
    EXPECT_EQ(name_of_all("runs/{shard}.db", shard), "runs/*-of-4.db");
    EXPECT_EQ(name_of_all("{shard}.db", shard), "*-of-4.db");
    EXPECT_EQ(name_of_all("my runs.db", shard), "");
    EXPECT_EQ(name_of_all("my runs.db", {}), "'my runs.db'");
}

} // namespace
} // namespace warpbound::cli
