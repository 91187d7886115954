#include "harness/suite/benchmarks/accesses.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

namespace {

Benchmark whole_launch(Benchmark benchmark) {
    benchmark.quantity = Quantity::ExecutionTime;
    return benchmark;
}

Region nothing(const Axes&, const models::Architecture&) {
    return {};
}

/// y = a x + y with `intensity` multiply-adds per element.
Region saxpy(std::int64_t intensity, const models::Architecture& architecture) {
    constexpr int x = first_register;
    constexpr int y = first_register + 1;
    Region region;
    region.timed = {global_load(architecture, x, 1), global_load(architecture, y, 1, 1)};
    for (std::int64_t i = 0; i < intensity; ++i)
        region.timed.push_back(arithmetic_operation("mad", y, i == 0 ? x : y));
    if (intensity > 0)
        region.timed[2].ptx = fmt::format("fma.rn.f32 %f{0}, %f{1}, %f3, %f{0};", y, x);
    Operation store = global_store(architecture, 1);
    store.sources = {4, y};
    store.text.replace(store.text.find("R6"), 2, fmt::format("R{}", y));
    store.ptx.replace(store.ptx.find("%f6"), 3, fmt::format("%f{}", y));
    region.timed.push_back(std::move(store));
    return region;
}

} // namespace

std::vector<Benchmark> launch_benchmarks() {
    std::vector<Benchmark> all;
    const std::vector<std::int64_t> grids{1, 2, 4, 8, 16, 32, 64};
    all.push_back(whole_launch(
        {"launch-size",
         "How does the time of an empty kernel grow with its grid?",
         "constant while all blocks are resident, then a replacement more for each wave",
         "G17 5.3",
         {{"blocks", grids}, {"warps", {1, 4, 8, 16, 32}}},
         nothing}));
    Benchmark replacement{
        "block-replacement",
        "How long after a block that fills a multiprocessor does the next begin?",
        "linear in the blocks; the slope less an empty region is the time of a replacement",
        "G17 5.3; C2",
        {{"blocks", {1, 2, 3, 4, 8, 16}}, {"warps", {32}}},
        nothing};
    replacement.quantity = Quantity::Clocks;
    all.push_back(std::move(replacement));
    all.push_back(
        whole_launch({"multiprocessors",
                      "At which number of blocks that fill a multiprocessor does the time double?",
                      "at one more than there are multiprocessors; with 16 warps, for blocks of "
                      "wide ones, where so many keep the adders busy",
                      "G23 eq. 3.8",
                      {{"blocks", one_to(33)}, {"warps", {16, 32}}},
                      [](const Axes&, const models::Architecture&) {
                          Region region;
                          for (int i = 0; i < 32; ++i)
                              region.timed.push_back(arithmetic_operation(
                                  "add", first_register + i, i > 0 ? first_register + i - 1 : 2));
                          return region;
                      }}));
    all.push_back(whole_launch(
        {"saxpy",
         "How many operations for each element does memory hide?",
         "flat while memory decides, then linear in the intensity",
         "G17 5.1",
         {{"intensity", {1, 2, 4, 8, 16, 32, 64, 128, 256}}, {"blocks", {1, 8}}, {"warps", {8}}},
         [](const Axes& axes, const models::Architecture& architecture) {
             return saxpy(axis_value(axes, "intensity", 1), architecture);
         }}));
    all.push_back(whole_launch(
        {"saxpy-occupancy",
         "How does the time grow when unused shared memory keeps blocks from an SM?",
         "in inverse proportion to the resident blocks while latency decides",
         "G17 5.2",
         {{"shared-memory", {1024, 2048, 4096, 6144, 8192, 12288, 16384, 24576, 49152}},
          {"blocks", {16}},
          {"warps", {4}}},
         [](const Axes&, const models::Architecture& architecture) {
             return saxpy(4, architecture);
         }}));
    all.push_back(whole_launch({"saxpy-size",
                                "How does the time grow with the elements?",
                                "linear in the waves of blocks that fill the device",
                                "G17 5.1",
                                {{"blocks", grids}, {"warps", {8}}},
                                [](const Axes&, const models::Architecture& architecture) {
                                    return saxpy(4, architecture);
                                }}));
    return all;
}

} // namespace warpbound::harness
