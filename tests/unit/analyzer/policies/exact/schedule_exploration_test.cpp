#include "analyzer/policies/exact/sm_state_machine.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using assembly::OpcodeClass;
using testing::ElementsAre;

void set(models::ValueGroup& group, std::string_view name, models::Interval interval) {
    for (auto& value : group.values)
        if (value.name == name) {
            value.interval = interval;
            return;
        }
    group.values.push_back(
        {std::string{name}, "cycles", interval, "test", models::Grade::Assumed, ""});
}
void set(models::ValueGroup& group, std::string_view name, std::int64_t number) {
    set(group, name, {number, number, number});
}

/// Two schedulers with slots of two cycles, issues of a warp six cycles apart; `body` begins with a
/// special function (held for 3 cycles by all, 40 to its result) or a store (of one pass; drains
/// in 10 cycles, from a buffer of one entry).
std::unique_ptr<Analyzed> launched(const std::string& body, std::int64_t warps) {
    models::FlowFacts facts;
    if (body.rfind("ST", 0) == 0)
        facts.memory.push_back(
            {0, models::CountRange{1, 1}, std::nullopt, models::MemoryLevel::Dram, {}, {}});
    auto context = analyzed(body, std::move(facts));
    models::Architecture& machine = context->architecture;
    set(machine.schedulers, "count", 2);
    set(machine.schedulers, "issue-slot", 2);
    set(machine.schedulers, "same-warp-interval", 6);
    set(machine.write_buffer, "entries", 1);
    set(machine.write_buffer, "drain", 10);
    for (const auto opcode_class : {OpcodeClass::Exit, OpcodeClass::StoreGlobal}) {
        set(machine.classes.at(opcode_class).values, "latency", 1);
        set(machine.classes.at(opcode_class).values, "initiation", 1);
    }
    auto& special = machine.classes.at(OpcodeClass::SpecialFunction).values;
    set(special, "initiation", 3);
    set(special, "latency", 40);
    context->request.launch = {1, 32 * warps};
    context->request.policy = models::read_policy("variable-rate:fast=0,every=2").value();
    return context;
}

// A and B have slots 0 .. 1, 4 .. 5 and 2 .. 3, 6 .. 7 of one scheduler, C is alone on the other.
// A first: B and C at 3 and 6, in every order of issue within a cycle. C first: B at 3, A misses 4
// .. 5 and issues at 8. When A's slot begins one cycle earlier, the last one always issues at 6.
TEST(ScheduleExploration, TryWhoeverIsFirstAtAPort) {
    const Envelope bounds = envelope(*launched("MUFU.COS R1, R2; EXIT;", 3));
    EXPECT_EQ(bounds.lower.proved.count(), 6 + 40);
    EXPECT_EQ(bounds.upper.proved.count(), 8 + 40);
    EXPECT_EQ(bounds.upper.proof, Proof::ScheduleExploration);
    EXPECT_EQ(bounds.lower.proof, Proof::ScheduleExploration);
}

// The same three. One that enters the buffer at once drains at 10. Then B and C may: with B first,
// C or A follow at 20. With C first, A's slot is over and B's is 22 .. 23.
TEST(ScheduleExploration, TryWhoeverIsFirstInTheWriteBuffer) {
    const Envelope bounds = envelope(*launched("ST [R2], R3; EXIT;", 3));
    EXPECT_EQ(bounds.lower.proved.count(), 30);
    EXPECT_EQ(bounds.upper.proved.count(), 32);
    EXPECT_EQ(bounds.upper.proof, Proof::ScheduleExploration);
}

TEST(ScheduleExploration, AreNotSteppedWhereAValueIsOpen) {
    const auto context = launched("MUFU.COS R1, R2; MOV R3, R1; EXIT;", 3);
    auto& special = context->architecture.classes.at(OpcodeClass::SpecialFunction).values;
    set(context->architecture.classes.at(OpcodeClass::Move).values, "latency", 8);
    EXPECT_EQ(envelope(*context).upper.proof, Proof::ScheduleExploration);
    set(special, "latency", {39, 40, 40});
    EXPECT_EQ(envelope(*context).upper.proof, Proof::ResponseTime);
    set(special, "latency", 40);
    set(special, "initiation", {2, 3, 3});
    EXPECT_EQ(envelope(*context).upper.proof, Proof::ResponseTime);
}

TEST(ScheduleExploration, AreLeftToTheSumWhereOrdersAreTooMany) {
    const auto context = launched("MUFU.COS R1, R2; MUFU.COS R3, R2; MUFU.COS R4, R2; "
                                  "MUFU.COS R5, R2; MUFU.COS R6, R2; MUFU.COS R7, R2; EXIT;",
                                  32);
    const Envelope bounds = envelope(*context);
    EXPECT_EQ(bounds.upper.proof, Proof::ResponseTime);
    EXPECT_GT(bounds.upper.proved, bounds.lower.proved);
}

// Warp slots 0 1 0 2 0 3, time slots of two cycles.
TEST(SlotPeriod, OrdersWarpSlotsByTheirNextTimeSlots) {
    const models::WarpPolicy policy = models::read_policy("variable-rate:fast=0,every=2").value();
    const models::Warps four{4};
    const SlotPeriod slots{SlotTable{policy, four, 2}, policy.every, four};
    EXPECT_EQ(slots.period(), 4);
    EXPECT_EQ(slots.starts(), 4);
    // Where the last warp slot is empty, the others differ.
    EXPECT_EQ((SlotPeriod{SlotTable{policy, four, 2}, policy.every, models::Warps{3}}).starts(),
              12);
    EXPECT_THAT(slots.upcoming(0), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(slots.upcoming(6), ElementsAre(2, 0, 3, 1));
    EXPECT_EQ(slots.owner(7), 2U);
    EXPECT_EQ(slots.own(2, 7), 7);
    EXPECT_EQ(slots.own(2, 8), 12 + 6);
    EXPECT_EQ(slots.own(3, 0), 10);
}

/// Names of places are all that differs a period later.
TEST(SlotPeriods, RepeatAfterAPeriodButForNames) {
    for (const char* text : {"variable-rate:fast=0,every=2", "variable-rate:fast=3,every=3",
                             "variable-rate:fast=1,every=5"})
        for (models::Warps places{2}; places < models::Warps{9}; ++places) {
            const models::WarpPolicy policy = models::read_policy(text).value();
            const SlotTable order{policy, places, 3};
            const SlotPeriod slots{order, policy.every, places};
            for (Time cycle = 0; cycle < 3 * order.period(); ++cycle) {
                const auto& now = slots.upcoming(cycle);
                const auto& later = slots.upcoming(cycle + slots.period());
                for (Time ahead = 0; ahead < 6 * order.period(); ++ahead) {
                    const auto rank = [&](const std::vector<std::size_t>& places_by_slot,
                                          std::size_t owner) {
                        return std::find(places_by_slot.begin(), places_by_slot.end(), owner) -
                               places_by_slot.begin();
                    };
                    ASSERT_EQ(rank(now, slots.owner(cycle + ahead)),
                              rank(later, slots.owner(cycle + slots.period() + ahead)))
                        << text << ", " << places.count() << " places, cycle " << cycle;
                }
            }
        }
}

} // namespace
} // namespace warpbound::analyzer
