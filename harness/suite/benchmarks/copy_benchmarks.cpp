#include "harness/suite/benchmarks/catalogue.hpp"

namespace warpbound::harness {

namespace {

Benchmark copies(std::string name, models::HostOperationKind direction) {
    const bool to_device = direction == models::HostOperationKind::CopyToDevice;
    // Below 512 bytes the start-up shows (G17 Table 6.2), above a megabyte the bandwidth.
    Benchmark benchmark{
        std::move(name),
        to_device ? "How long does a copy of so many bytes from the host take?"
                  : "How long does a copy of so many bytes to the host take?",
        "start-up + bytes / bandwidth",
        "G17 5.4, eq. 5.5; C36",
        {{"bytes",
          {4, 64, 512, 4096, 16384, 65536, 262144, std::int64_t{1} << 20U, std::int64_t{1} << 22U,
           std::int64_t{1} << 24U, std::int64_t{1} << 26U}}},
        {}};
    benchmark.quantity = Quantity::ExecutionTime;
    benchmark.picture = Picture::Copies;
    benchmark.copies = direction;
    return benchmark;
}

} // namespace

std::vector<Benchmark> copy_benchmarks() {
    return {copies("copy-to-device", models::HostOperationKind::CopyToDevice),
            copies("copy-from-device", models::HostOperationKind::CopyToHost)};
}

} // namespace warpbound::harness
