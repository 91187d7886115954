#include "tests/support/executed_everyday.hpp"

#include "assembly/isa/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace warpbound::tests {

namespace {

using harness::execution::DeviceMemory;
using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

/// Numbers that differ from each other and are exact in single precision.
Floats some_floats(std::size_t count, unsigned factor) {
    Floats values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>((i * factor + 13) % 1021) / 64.0F - 7.5F;
    return values;
}

Ints some_ints(std::size_t count) {
    Ints values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<std::int32_t>((i * 7919 + 17) % 5003) - 2500;
    return values;
}

template <typename Element>
std::string compare(const DeviceMemory& memory, const std::string& name,
                    const std::vector<Element>& expected, double tolerance = 0) {
    const auto found = elements_of<Element>(memory, name);
    if (found.size() != expected.size())
        return fmt::format("{} has {} elements; expected {}", name, found.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (std::fabs(static_cast<double>(found[i]) - static_cast<double>(expected[i])) >
            tolerance * std::max(1.0, std::fabs(static_cast<double>(expected[i]))))
            return fmt::format("{}[{}] is {}; expected {}", name, i, found[i], expected[i]);
    return {};
}

EverydayData matrix_product() {
    constexpr std::size_t n = 32;
    const Floats a = some_floats(n * n, 37);
    const Floats b = some_floats(n * n, 91);
    return {"matrix_product", "4x256,block=16x16,grid=2x2", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "a", a);
                to.set(base + 8, "b", b);
                to.set(base + 16, "c", Floats(n * n));
                to.set(base + 24, n);
            },
            [=](const DeviceMemory& memory) {
                Floats c(n * n);
                for (std::size_t row = 0; row < n; ++row)
                    for (std::size_t column = 0; column < n; ++column)
                        for (std::size_t k = 0; k < n; ++k)
                            c[row * n + column] =
                                std::fma(a[row * n + k], b[k * n + column], c[row * n + column]);
                return compare(memory, "c", c);
            }};
}

EverydayData reduction() {
    constexpr std::size_t n = 1000;
    constexpr std::size_t threads = 256;
    const Floats in = some_floats(n, 37);
    return {"reduction", "4x256,shared-memory=1024", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "sums", Floats(4));
                to.set(base + 16, n);
            },
            [=](const DeviceMemory& memory) {
                Floats sums;
                for (std::size_t first = 0; first < 4 * threads; first += threads) {
                    Floats partial(threads);
                    for (std::size_t i = 0; i < threads && first + i < n; ++i)
                        partial[i] = in[first + i];
                    for (std::size_t s = threads / 2; s > 0; s /= 2)
                        for (std::size_t i = 0; i < s; ++i)
                            partial[i] += partial[i + s];
                    sums.push_back(partial[0]);
                }
                return compare(memory, "sums", sums);
            }};
}

EverydayData scan() {
    constexpr std::size_t of_block = 512;
    const Ints in = some_ints(4 * of_block);
    return {"scan", "4x256,shared-memory=2048", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "out", Ints(in.size()));
            },
            [=](const DeviceMemory& memory) {
                Ints out(in.size());
                for (std::size_t first = 0; first < in.size(); first += of_block)
                    std::exclusive_scan(in.begin() + static_cast<std::ptrdiff_t>(first),
                                        in.begin() + static_cast<std::ptrdiff_t>(first + of_block),
                                        out.begin() + static_cast<std::ptrdiff_t>(first), 0);
                return compare(memory, "out", out);
            }};
}

EverydayData transpose() {
    constexpr std::size_t width = 64;
    constexpr std::size_t height = 50;
    const Floats in = some_floats(width * height, 37);
    return {"transpose", "4x256,block=32x8,grid=2x2", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "out", Floats(in.size()));
                to.set(base + 16, width);
                to.set(base + 20, height);
            },
            [=](const DeviceMemory& memory) {
                Floats out(in.size());
                for (std::size_t y = 0; y < height; ++y)
                    for (std::size_t x = 0; x < width; ++x)
                        out[x * height + y] = in[y * width + x];
                return compare(memory, "out", out);
            }};
}

EverydayData histogram() {
    constexpr std::size_t n = 4000;
    std::vector<std::uint8_t> in(n);
    for (std::size_t i = 0; i < n; ++i)
        in[i] = static_cast<std::uint8_t>(i * i / 7);
    return {"histogram", "4x256,grid=4", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "counts", std::vector<std::uint32_t>(256));
                to.set(base + 16, n);
            },
            [=](const DeviceMemory& memory) {
                std::vector<std::uint32_t> counts(256);
                for (const std::uint8_t value : in)
                    ++counts[value];
                return compare(memory, "counts", counts);
            }};
}

constexpr std::size_t side = 32;
constexpr float centre_weight = 0.5F;
constexpr float side_weight = 0.125F;
constexpr double rounding = 1e-6;

EverydayData stencil_2d() {
    const Floats in = some_floats(side * side, 37);
    return {"stencil_2d", "4x256,block=16x16,grid=2x2", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "out", Floats(in.size()));
                to.set(base + 16, side);
                to.set(base + 20, side);
                to.set(base + 24, std::bit_cast<std::uint32_t>(centre_weight));
                to.set(base + 28, std::bit_cast<std::uint32_t>(side_weight));
            },
            [=](const DeviceMemory& memory) {
                Floats out(in.size());
                for (std::size_t y = 1; y + 1 < side; ++y)
                    for (std::size_t x = 1; x + 1 < side; ++x) {
                        const std::size_t i = y * side + x;
                        out[i] =
                            centre_weight * in[i] +
                            side_weight * (in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
                    }
                return compare(memory, "out", out, rounding);
            }};
}

EverydayData stencil_3d() {
    constexpr std::size_t depth = 12;
    const Floats in = some_floats(side * side * depth, 37);
    return {"stencil_3d", "4x256,block=16x16,grid=2x2", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "out", Floats(in.size()));
                to.set(base + 16, side);
                to.set(base + 20, side);
                to.set(base + 24, depth);
                to.set(base + 28, std::bit_cast<std::uint32_t>(centre_weight));
                to.set(base + 32, std::bit_cast<std::uint32_t>(side_weight));
            },
            [=](const DeviceMemory& memory) {
                constexpr std::size_t plane = side * side;
                Floats out(in.size());
                for (std::size_t z = 1; z + 1 < depth; ++z)
                    for (std::size_t y = 1; y + 1 < side; ++y)
                        for (std::size_t x = 1; x + 1 < side; ++x) {
                            const std::size_t i = z * plane + y * side + x;
                            out[i] = centre_weight * in[i] +
                                     side_weight * (in[i - 1] + in[i + 1] + in[i - side] +
                                                    in[i + side] + in[i - plane] + in[i + plane]);
                        }
                return compare(memory, "out", out, rounding);
            }};
}

EverydayData convolution_2d() {
    constexpr int radius = 2;
    constexpr int width = 30; // Some threads lie outside.
    const Floats filter = some_floats(25, 11);
    const Floats in = some_floats(width * width, 37);
    return {"convolution_2d", "4x256,block=16x16,grid=2x2", "",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "in", in);
                to.set(base + 8, "out", Floats(in.size()));
                to.set(base + 16, width);
                to.set(base + 20, width);
                auto& bank = to.constants[3];
                bank.resize(filter.size() * sizeof(float));
                std::memcpy(bank.data(), filter.data(), bank.size());
            },
            [=](const DeviceMemory& memory) {
                Floats out(in.size());
                for (int y = 0; y < width; ++y)
                    for (int x = 0; x < width; ++x)
                        for (int v = std::max(0, y - radius); v <= y + radius && v < width; ++v)
                            for (int u = std::max(0, x - radius); u <= x + radius && u < width; ++u)
                                out[static_cast<std::size_t>(y * width + x)] +=
                                    filter[static_cast<std::size_t>((v - y + radius) * 5 + u - x +
                                                                    radius)] *
                                    in[static_cast<std::size_t>(v * width + u)];
                return compare(memory, "out", out, 1e-5);
            }};
}

EverydayData sparse_product() {
    constexpr std::size_t rows = 1000;
    Ints row_start{0};
    Ints column;
    Floats value;
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t i = 0; i < row * 5 % 17; ++i) {
            column.push_back(static_cast<std::int32_t>((row * 31 + i * 97) % rows));
            value.push_back(static_cast<float>((row + i) % 23) / 8.0F);
        }
        row_start.push_back(static_cast<std::int32_t>(column.size()));
    }
    const Floats x = some_floats(rows, 37);
    return {"sparse_product", "4x256", "sparse_product.sm_75.flow-facts.xml",
            [=](DataLaunch& to, std::int64_t base) {
                to.set(base, "row_start", row_start);
                to.set(base + 8, "column", column);
                to.set(base + 16, "value", value);
                to.set(base + 24, "x", x);
                to.set(base + 32, "y", Floats(rows));
                to.set(base + 40, rows);
            },
            [=](const DeviceMemory& memory) {
                Floats y(rows);
                for (std::size_t row = 0; row < rows; ++row)
                    for (auto i = static_cast<std::size_t>(row_start[row]);
                         i < static_cast<std::size_t>(row_start[row + 1]); ++i)
                        y[row] = std::fma(value[i], x[static_cast<std::size_t>(column[i])], y[row]);
                return compare(memory, "y", y);
            }};
}

EverydayData bitonic_sort() {
    constexpr std::size_t of_block = 256;
    const Ints data = some_ints(4 * of_block);
    return {"bitonic_sort", "4x256,shared-memory=1024", "",
            [=](DataLaunch& to, std::int64_t base) { to.set(base, "data", data); },
            [=](const DeviceMemory& memory) {
                Ints sorted = data;
                for (std::size_t first = 0; first < sorted.size(); first += of_block)
                    std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(first),
                              sorted.begin() + static_cast<std::ptrdiff_t>(first + of_block));
                return compare(memory, "data", sorted);
            }};
}

} // namespace

std::vector<EverydayData> everyday_data() {
    return {matrix_product(), reduction(),  scan(),           transpose(),      histogram(),
            stencil_2d(),     stencil_3d(), convolution_2d(), sparse_product(), bitonic_sort()};
}

Result<std::unique_ptr<DataLaunch>> data_launch(const EverydayData& data,
                                                const std::string& target) {
    auto loaded = std::make_unique<DataLaunch>();
    const auto text =
        assembly::read_source(std::string{WARPBOUND_SOURCE_DIR} + "/examples/everyday/" +
                              data.kernel + "." + target + ".sass");
    if (!text) return text.as_failure();
    auto program = assembly::read_program(text.value());
    if (!program) return program.as_failure();
    loaded->program = std::move(program).value();
    auto graph = assembly::build_control_flow_graph(loaded->function());
    if (!graph) return graph.as_failure();
    loaded->graph = std::move(graph).value();
    const auto launch = models::parse_launch(data.launch);
    if (!launch) return launch.as_failure();
    loaded->launch = launch.value();
    constexpr std::int64_t parameters = 0x160;
    constexpr std::int64_t parameters_of_sm_90 = 0x210;
    data.add_inputs(*loaded, target == "sm_90" ? parameters_of_sm_90 : parameters);
    return loaded;
}

} // namespace warpbound::tests
