#include "models/architecture/architecture.hpp"
#include "models/architecture/self_check.hpp"
#include "tests/unit/models/refusal.hpp"

#include <gmock/gmock.h>

namespace warpbound::models {
namespace {

/// A description whose tested element begins in line 2.
std::string machine(const std::string& part) {
    return "<architecture name='m' title='M' isa='sm_20' issue-control='interlocked'>\n" + part +
           "\n</architecture>\n";
}

std::string drain(const std::string& attributes) {
    return machine("<write-buffer><value name='drain' " + attributes + "/></write-buffer>");
}

constexpr const char* units = "<units><unit name='alu' scope='partition'/></units>";

std::string classes(const std::string& content) {
    return machine(std::string{units} + "\n<classes>" + content + "</classes>");
}

TEST(ArchitectureReader, KeepsValuesWithSourceAndGrade) {
    const auto read = read_architecture(
        as_source(drain("unit='cycles' lo='2' typical='5' hi='34' source='V14' grade='assumed' "
                        "reason='because'")));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    const SourcedValue* const value = read.value().write_buffer.find("drain");
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->interval, (Interval{.lo = 2, .typical = 5, .hi = 34}));
    EXPECT_EQ(value->grade, Grade::Assumed);
    EXPECT_EQ(value->reason, "because");
    EXPECT_EQ(read.value().write_buffer.find("entries"), nullptr);
}

TEST(ArchitectureReader, TakesOneNumberForAnExactValue) {
    const auto read =
        read_architecture(as_source(drain("unit='cycles' value='18' source='V14' grade='vendor'")));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read.value().write_buffer.find("drain")->interval,
              (Interval{.lo = 18, .typical = 18, .hi = 18}));
}

TEST(ArchitectureReader, KeepsOnWhichCardAValueWasMeasured) {
    const std::string value = "unit='cycles' value='18' source='V14' grade='repository' ";
    for (const auto& [stated, expected] :
         {std::pair{"measured='card'", MeasuredOn::Card},
          std::pair{"measured='family'", MeasuredOn::Family}, std::pair{"", MeasuredOn::Nothing}}) {
        const auto read = read_architecture(as_source(drain(value + stated)));
        ASSERT_TRUE(read.has_value()) << read.error().what;
        EXPECT_EQ(read.value().write_buffer.find("drain")->measured, expected);
        const auto again = read_architecture(as_source(write_architecture(read.value())));
        ASSERT_TRUE(again.has_value()) << again.error().what;
        EXPECT_TRUE(same_machine(read.value(), again.value()));
    }
}

TEST(ArchitectureReader, KeepsThatADescriptionStandsForItsTarget) {
    const auto read = read_architecture(
        as_source("<architecture name='m' title='M' isa='sm_20' issue-control='interlocked' "
                  "stands-for-target='yes'/>"));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_TRUE(read.value().stands_for_target);
    EXPECT_TRUE(
        read_architecture(as_source(write_architecture(read.value()))).value().stands_for_target);
}

TEST(Require, NamesTheMissingValueByItsPath) {
    const auto read = read_architecture(as_source(drain("unit='cycles' grade='unknown'")));
    ASSERT_TRUE(read.has_value());
    const auto& buffer = read.value().write_buffer;
    EXPECT_EQ(require(read.value(), buffer, "write-buffer", "drain").error().what,
              "write-buffer/drain is unknown in architecture m; state it with --assume "
              "write-buffer/drain=LO..HI");
    EXPECT_EQ(require(read.value(), buffer, "write-buffer", "entries").error().what,
              "write-buffer/entries is absent from architecture m; state it with --assume "
              "write-buffer/entries=LO..HI");
}

TEST(ArchitectureReader, RefusesWithALine) {
    const std::string known = "unit='cycles' source='s' grade='vendor'";
    const std::vector<Refusal> refusals{
        {"another root", "<machine/>", 1, "no <architecture>"},
        {"missing attribute", "<architecture name='m'/>", 1, "without 'title'"},
        {"unknown attribute",
         "<architecture name='m' title='' isa='sm_20' issue-control='encoded' year='1'/>", 1,
         "'year'"},
        {"name", "<architecture name='../m' title='' isa='sm_20' issue-control='encoded'/>", 1,
         "lower-case"},
        {"isa", "<architecture name='m' title='' isa='gfx1' issue-control='encoded'/>", 1,
         "such as sm_20"},
        {"control fields of AMD",
         "<architecture name='m' title='' isa='gfx90a' issue-control='encoded'/>", 1,
         "AMD's instructions have no control fields"},
        {"issue control", "<architecture name='m' title='' isa='sm_20' issue-control='x'/>", 1,
         "interlocked or encoded"},
        {"standing for its target",
         "<architecture name='m' title='' isa='sm_20' issue-control='encoded' "
         "stands-for-target='no'/>",
         1, "expected yes"},
        {"the cost of a group",
         "<architecture name='m' title='' isa='sm_20' issue-control='encoded'>\n"
         "<fetch costs='little'/></architecture>",
         2, "expected nothing"},
        {"values of a group that costs nothing",
         "<architecture name='m' title='' isa='sm_20' issue-control='encoded'>\n"
         "<fetch costs='nothing'>\n<value name='buffer' unit='instructions' value='1' source='s' "
         "grade='vendor'/></fetch></architecture>",
         2, "and no values"},
        {"the cost of a memory",
         "<architecture name='m' title='' isa='sm_20' issue-control='encoded'>\n"
         "<memories>\n<memory name='dram' costs='nothing'/></memories></architecture>",
         3, "only delay"},
        {"measured on",
         "<architecture name='m' title='' isa='sm_20' issue-control='encoded'>\n"
         "<write-buffer>\n<value name='drain' unit='cycles' value='1' source='s' "
         "grade='vendor' measured='nothing'/></write-buffer></architecture>",
         3, "card or family"},
        {"measured and unknown",
         "<architecture name='m' title='' isa='sm_20' "
         "issue-control='encoded'>\n<write-buffer>\n<value name='drain' "
         "unit='cycles' grade='unknown' measured='card'/></write-buffer>"
         "</architecture>",
         3, "expected no number"},
        {"collector of no unit",
         machine("<operand-collectors>\n<operand-collector unit='alu'/></operand-collectors>"), 3,
         "\"alu\""},
        {"collector of a warp's unit",
         machine("<units><unit name='path' scope='warp'/></units>\n<operand-collectors>"
                 "<operand-collector unit='path'/></operand-collectors>"),
         3, "scope partition or core"},
        {"second collector",
         machine(std::string{units} + "<operand-collectors><operand-collector unit='alu'/>\n"
                                      "<operand-collector unit='alu'/></operand-collectors>"),
         3, "a second operand collector"},
        {"value of a collector",
         machine(std::string{units} + "<operand-collectors><operand-collector unit='alu'>\n"
                                      "<value name='banks'/></operand-collector>"
                                      "</operand-collectors>"),
         3, "expected issue-slots"},
        {"unknown element", machine("<memory/>"), 2, "unknown element <memory>"},
        {"second group", machine("<limits/>\n<limits/>"), 3, "a second <limits>"},
        {"attribute of a group", machine("<limits x=''/>"), 2, "'x'"},
        {"no value", machine("<limits><limit/></limits>"), 2, "expected <value>"},
        {"value without name", machine("<limits><value/></limits>"), 2, "unknown value \"\""},
        {"unknown value", machine("<limits><value name='warps'/></limits>"), 2, "max-warps"},
        {"value of another group", machine("<limits><value name='drain'/></limits>"), 2,
         "unknown value"},
        {"no unit", drain("value='1' source='s' grade='vendor'"), 2, "without 'unit'"},
        {"another unit", drain("unit='ns' value='1' source='s' grade='vendor'"), 2,
         "expected the unit \"cycles\""},
        {"no grade", drain("unit='cycles' value='1' source='s'"), 2, "without 'grade'"},
        {"grade", drain("unit='cycles' value='1' source='s' grade='good'"), 2, "peer-reviewed"},
        {"attribute of a value", drain(known + " value='1' note=''"), 2, "'note'"},
        {"child of a value",
         machine("<write-buffer><value name='drain' " + known +
                 " value='1'>\n<x/></value></write-buffer>"),
         3, "<x> inside <value>"},
        {"no number", drain(known), 2, "no number"},
        {"both forms", drain(known + " value='1' lo='1' hi='1'"), 2, "both value and lo"},
        {"only lo", drain(known + " lo='1'"), 2, "'hi'"},
        {"only typical", drain(known + " typical='1'"), 2, "'lo'"},
        {"text", drain(known + " value='many'"), 2, "\"many\""},
        {"fraction", drain(known + " value='1.5'"), 2, "\"1.5\""},
        {"negative", drain(known + " value='-1'"), 2, "\"-1\""},
        {"below the smallest", drain(known + " lo='0' hi='3'"), 2, "from 1 to"},
        {"huge", drain(known + " value='1000000001'"), 2, "\"1000000001\""},
        {"reversed", drain(known + " lo='3' hi='2'"), 2, "lo 3 is above hi 2"},
        {"typical text", drain(known + " lo='1' typical='x' hi='2'"), 2, "'typical'"},
        {"typical outside", drain(known + " lo='1' typical='5' hi='2'"), 2, "outside 1..2"},
        {"range of a count",
         machine("<write-buffer><value name='entries' unit='1' lo='1' hi='2' source='s' "
                 "grade='vendor'/></write-buffer>"),
         2, "expected one number"},
        {"no source", drain("unit='cycles' value='1' grade='vendor'"), 2, "has no source"},
        {"no reason", drain("unit='cycles' value='1' source='s' grade='assumed'"), 2,
         "without a reason"},
        {"unknown with a number", drain("unit='cycles' hi='1' grade='unknown'"), 2,
         "expected no number"},
        {"second value",
         machine("<write-buffer><value name='drain' unit='cycles' grade='unknown'/>\n<value "
                 "name='drain' unit='cycles' grade='unknown'/></write-buffer>"),
         3, "a second 'drain'"},
        {"no unit element", machine("<units><port/></units>"), 2, "expected <unit>"},
        {"attribute of units", machine("<units x=''/>"), 2, "'x'"},
        {"unit without scope", machine("<units><unit name='alu'/></units>"), 2, "without 'scope'"},
        {"unit name", machine("<units><unit name='' scope='core'/></units>"), 2, "lower-case"},
        {"unit scope", machine("<units><unit name='alu' scope='sm'/></units>"), 2,
         "warp, partition or core"},
        {"unit child", machine("<units><unit name='alu' scope='core'>\n<x/></unit></units>"), 3,
         "<x> inside <unit>"},
        {"second unit",
         machine("<units><unit name='alu' scope='core'/>\n<unit name='alu' scope='warp'/></units>"),
         3, "a second unit"},
        {"no class element", classes("<opcode/>"), 3, "expected <class>"},
        {"attribute of classes", machine("<classes x=''/>"), 2, "'x'"},
        {"class without unit", classes("<class name='move'/>"), 3, "without 'unit'"},
        {"unknown class", classes("<class name='mov' unit='alu'/>"), 3, "\"mov\""},
        {"class unknown", classes("<class name='unknown' unit='alu'/>"), 3, "\"unknown\""},
        {"unit of a class", classes("<class name='move' unit='fpu'/>"), 3, "\"fpu\""},
        {"second class",
         classes("<class name='move' unit='alu'/>\n<class name='move' unit='alu'/>"), 4,
         "a second class"},
        {"value of a class", classes("<class name='move' unit='alu'>\n<value name='cpi'/></class>"),
         4, "initiation"},
        {"latency of a global load",
         classes("<class name='load-global' unit='alu'>\n<value name='latency'/></class>"), 4,
         "unknown value"},
        {"no memory element", machine("<memories><cache/></memories>"), 2, "expected <memory>"},
        {"attribute of memories", machine("<memories x=''/>"), 2, "'x'"},
        {"memory without name", machine("<memories><memory/></memories>"), 2, "without 'name'"},
        {"unknown memory", machine("<memories><memory name='l3'/></memories>"), 2, "\"l3\""},
        {"second memory", machine("<memories><memory name='l1'/>\n<memory name='l1'/></memories>"),
         3, "a second memory"},
        {"value of a memory",
         machine("<memories><memory name='shared'><value name='latency'/></memory></memories>"), 2,
         "banks"},
        {"entity", "<!DOCTYPE x [<!ENTITY e 'e'>]>\n" + machine(""), 1, "entity definition"},
        {"trailing text", machine("") + "x", 4, "not well-formed"},
    };
    for (const auto& refusal : refusals)
        expect_refusal(refusal, read_architecture);
}

TEST(SelfCheck, ReportsWhatDoesNotFit) {
    const auto read = read_architecture(as_source(machine(
        std::string{units} +
        "<classes><class name='move' unit='alu'>"
        "<value name='latency' unit='cycles' value='2' source='s' grade='vendor'/>"
        "<value name='initiation' unit='cycles' value='4' source='s' "
        "grade='vendor'/></class></classes>"
        "<memories><memory name='l1'><value name='latency' unit='cycles' value='9' source='s' "
        "grade='vendor'/></memory><memory name='l2'><value name='latency' unit='cycles' value='9' "
        "source='s' grade='vendor'/></memory></memories>"
        "<geometry><value name='warp-size' unit='threads' value='32' source='s' "
        "grade='vendor'/></geometry>"
        "<limits><value name='max-warps' unit='warps' value='3' source='s' grade='vendor'/>"
        "<value name='max-threads' unit='threads' value='90' source='s' "
        "grade='vendor'/></limits>")));
    ASSERT_TRUE(read.has_value()) << read.error().what;
    EXPECT_THAT(self_check(read.value()),
                testing::ElementsAre("classes/move: latency 2 is below the initiation 4",
                                     "memories: the latency of l1 is not below that of l2",
                                     "limits: 3 warps of 32 threads are not 90 threads"));
}

} // namespace
} // namespace warpbound::models
