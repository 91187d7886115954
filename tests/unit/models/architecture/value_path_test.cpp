// Values of a description by their path.
#include "models/architecture/costless_groups.hpp"
#include "models/architecture/schema.hpp"
#include "models/architecture/shipped.hpp"
#include "models/architecture/value_path.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpbound::models {
namespace {

SourcedValue measured(std::int64_t lo, std::int64_t hi) {
    SourcedValue value;
    value.interval = Interval{.lo = lo, .typical = std::nullopt, .hi = hi};
    value.source = "here";
    value.grade = Grade::Measured;
    return value;
}

class SetValue : public testing::Test {
protected:
    std::string refusal(std::string_view path, std::int64_t lo, std::int64_t hi) {
        const auto set = set_value(machine_, path, measured(lo, hi));
        return set ? std::string{} : set.error().what;
    }
    Architecture machine_ = load_architecture("fermi-gtx470").value();
};

TEST_F(SetValue, PutsAValueWhereItIsFound) {
    for (const char* path : {"schedulers/same-warp-interval", "memories/interconnect/latency",
                             "classes/load-global/pass-cost"}) {
        ASSERT_EQ(refusal(path, 3, 4), "");
        const auto* found = find_value(machine_, path);
        ASSERT_NE(found, nullptr);
        EXPECT_EQ(found->interval, measured(3, 4).interval);
        EXPECT_EQ(found->unit, "cycles");
    }
    EXPECT_EQ(machine_.digest, "");
    // What was put there reads back.
    EXPECT_TRUE(read_architecture({.name = "again", .text = write_architecture(machine_)}));
}

TEST_F(SetValue, RefusesNumbersThatNoReaderAccepts) {
    EXPECT_EQ(refusal("write-buffer/entries", 0, 0),
              "write-buffer/entries is 0; expected 1 to 1000000000000");
    EXPECT_EQ(refusal("classes/barrier/latency", 0, largest_cycles + 1),
              "classes/barrier/latency is 1000000001; expected 0 to 1000000000");
    EXPECT_EQ(refusal("write-buffer/entries", 1, 2),
              "write-buffer/entries is 1..2; expected one number, it is a count");
}

TEST_F(SetValue, ListsEveryGroupOnce) {
    std::vector<std::string> paths;
    for (const auto& [path, group] : value_groups(machine_))
        paths.push_back(path);
    for (const auto& rule : group_rules())
        EXPECT_THAT(paths, testing::Contains(std::string{rule.element}).Times(1));
    EXPECT_THAT(paths, testing::Contains("classes/float-add").Times(1));
    EXPECT_THAT(paths, testing::Contains("memories/dram").Times(1));
    EXPECT_EQ(paths.size(), group_rules().size() + machine_.classes.size() +
                                machine_.memories.size() + machine_.operand_collectors.size());
}

TEST(AssumeValue, SetsAnIntervalWithGradeAssumed) {
    Architecture machine = load_architecture("turing-t4").value();
    const std::string before = machine.digest;
    ASSERT_TRUE(assume_value(machine, "blocks/replacement=3..2000"));
    const SourcedValue* value = find_value(machine, "blocks/replacement");
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->interval, (Interval{.lo = 3, .typical = std::nullopt, .hi = 2000}));
    EXPECT_EQ(value->grade, Grade::Assumed);
    EXPECT_NE(machine.digest, before);
    ASSERT_TRUE(assume_value(machine, "memories/l2/latency=7"));
    EXPECT_EQ(find_value(machine, "memories/l2/latency")->interval->hi, 7);
    // The description that a bundle keeps is the one that was used.
    EXPECT_TRUE(same_machine(
        machine,
        read_architecture({.name = "again", .text = write_architecture(machine)}).value()));
}

TEST(AssumeValue, LeavesOutGroupsThatOnlyDelay) {
    Architecture machine = load_architecture("ampere-rtx3060").value();
    const std::string before = machine.digest;
    ASSERT_TRUE(machine.has_read_ports());
    ASSERT_TRUE(assume_value(machine, "register-file=none"));
    ASSERT_TRUE(assume_value(machine, "fetch=none"));
    ASSERT_TRUE(assume_value(machine, "memories/constant=none"));
    EXPECT_FALSE(machine.has_read_ports());
    EXPECT_FALSE(machine.has_instruction_caches());
    EXPECT_TRUE(machine.imperfect_parts().empty());
    EXPECT_NE(machine.digest, before);
    EXPECT_THAT(groups_that_cost_nothing(machine),
                testing::UnorderedElementsAre("fetch", "register-file", "memories/constant"));
    EXPECT_THAT(statements_on_costless_groups(machine),
                testing::Contains(
                    "Instruction fetch never delays (fetch=none), as the user states, unchecked."));
    EXPECT_THAT(label_of(machine), testing::HasSubstr("(modified: fetch=none; register-file=none; "
                                                      "memories/constant=none; sha256:"));
    EXPECT_THAT(statement_on(machine),
                testing::HasSubstr("register-file is stated to cost nothing (shipped: described)"));
    EXPECT_TRUE(same_machine(
        machine,
        read_architecture({.name = "again", .text = write_architecture(machine)}).value()));
    // What costs nothing has no values.
    const auto both = assume_value(machine, "register-file/banks=4");
    ASSERT_FALSE(both);
    EXPECT_THAT(both.error().what, testing::HasSubstr("register-file=none"));
}

TEST(AssumeValue, LeavesOutCollectorsWithTheirBanks) {
    Architecture machine = load_architecture("gtx480-gpgpusim").value();
    for (const char* const group : {"register-file=none", "fetch=none", "memories/constant=none"})
        ASSERT_TRUE(assume_value(machine, group));
    EXPECT_TRUE(machine.imperfect_parts().empty());
}

TEST(AssumeValue, NamesTheGroupsThatOnlyDelay) {
    Architecture machine = load_architecture("turing-t4").value();
    for (const char* const text : {"fetches=none", "blocks=none", "memories/dram=none", "=none"}) {
        const auto refused = assume_value(machine, text);
        ASSERT_FALSE(refused) << text;
        EXPECT_THAT(
            refused.error().what,
            testing::HasSubstr("expected fetch, register-file, memory-queue or memories/constant"));
    }
}

TEST(AssumeValue, RefusesOtherText) {
    Architecture machine = load_architecture("turing-t4").value();
    for (const char* const text :
         {"", "blocks/replacement", "blocks/replacement=", "blocks/replacement=2..1",
          "blocks/replacement=-1", "blocks/replacement=1..", "blocks/replacement=..1",
          "blocks/replacement=1...2", "blocks/replacement=99999999999999999999", "nothing=1",
          "blocks/nothing=1", "schedulers/count=1..2"})
        EXPECT_FALSE(assume_value(machine, text)) << text;
}

} // namespace
} // namespace warpbound::models
