#include "models/launch/workload.hpp"
#include "tests/unit/models/refusal.hpp"

namespace warpbound::models {
namespace {

TEST(Workload, KeepsTheOrderOfTheHost) {
    const auto read = read_workload(as_source(R"(<workload>
  <copy direction="host-to-device" bytes="0x10" stream="a"/>
  <launch file="k.sass" grid="4x64,registers=20" kernel="f" flow-facts="k.xml" stream="b" at="500"/>
  <launch file="k.sass" grid="4x64,registers=20" kernel="f" flow-facts="k.xml" name="again"/>
  <launch file="k.sass" grid="1x32" stream="a"/>
  <copy direction="device-to-host" bytes="1"/>
</workload>)"));
    ASSERT_TRUE(read) << read.error().what;
    const WorkloadFile& workload = read.value();
    EXPECT_EQ(workload.streams, (std::vector<std::string>{"a", "b"}));
    ASSERT_EQ(workload.kernels.size(), 2U); // Equal ones are one.
    EXPECT_EQ(workload.kernels[0],
              (KernelSource{"k.sass", "f", "k.xml", Launch{4, 64, 20, std::nullopt}}));
    using enum HostOperationKind;
    const std::vector<HostOperation> expected{
        {.kind = CopyToDevice, .name = "copy 0", .stream = 0, .bytes = 16},
        {.kind = Launch, .name = "launch 1", .stream = 1, .kernel = 0, .at = 500},
        {.kind = Launch, .name = "again", .kernel = 0},
        {.kind = Launch, .name = "launch 3", .stream = 0, .kernel = 1},
        {.kind = CopyToHost, .name = "copy 4", .bytes = 1}};
    EXPECT_EQ(workload.operations, expected);
}

TEST(Workload, RefusesWithTheLine) {
    const std::string launch = "<launch file=\"k\" grid=\"1x32\"/>\n";
    const auto of = [&](const std::string& element) {
        return "<workload>\n" + launch + element + "\n</workload>";
    };
    const Refusal refusals[] = {
        {"no launch", "<workload>\n<copy direction=\"host-to-device\" bytes=\"1\"/></workload>", 1,
         "without a <launch>"},
        {"another root", "<flow-facts/>", 1, "workload"},
        {"an attribute of the root", "<workload version=\"1\"/>", 1, "version"},
        {"another element", of("<wait/>"), 3, "expected <launch> or <copy>"},
        {"children", of("<copy direction=\"host-to-device\" bytes=\"1\"><a/></copy>"), 3, "<a>"},
        {"no file", of("<launch grid=\"1x32\"/>"), 3, "file"},
        {"an empty file", of("<launch file=\"\" grid=\"1x32\"/>"), 3, "'file' is empty"},
        {"no grid", of("<launch file=\"k\"/>"), 3, "grid"},
        {"no launch in the grid", of("<launch file=\"k\" grid=\"1\"/>"), 3, "is no launch"},
        {"bytes of a launch", of("<launch file=\"k\" grid=\"1x32\" bytes=\"1\"/>"), 3, "bytes"},
        {"a direction", of("<copy direction=\"up\" bytes=\"1\"/>"), 3,
         "expected host-to-device or device-to-host"},
        {"no bytes", of("<copy direction=\"host-to-device\" bytes=\"0\"/>"), 3, "bytes"},
        {"too many bytes", of("<copy direction=\"host-to-device\" bytes=\"9999999999999999\"/>"), 3,
         "bytes"},
        {"a time before the start", of("<launch file=\"k\" grid=\"1x32\" at=\"-1\"/>"), 3, "at"},
        {"an empty stream", of("<launch file=\"k\" grid=\"1x32\" stream=\"\"/>"), 3,
         "'stream' is empty"},
        {"a name that is there", of("<launch file=\"k\" grid=\"1x32\" name=\"launch 0\"/>"), 3,
         "a second operation 'launch 0'"},
    };
    for (const Refusal& refusal : refusals)
        expect_refusal(refusal, read_workload);
}

} // namespace
} // namespace warpbound::models
