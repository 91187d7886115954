#include "harness/simulator/machine.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/every_policy.hpp"
#include "tests/support/random_kernel.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace {

/// Choices of one case, one byte of the input each; 0 after its end.
class InputChoices {
public:
    InputChoices(const std::uint8_t* bytes, std::size_t size) : bytes_{bytes}, size_{size} {}
    std::int64_t below(std::int64_t sides) { return at_ < size_ ? bytes_[at_++] % sides : 0; }
    std::uint64_t seed() {
        std::uint64_t seed = 0;
        for (int byte = 0; byte < 8; ++byte)
            seed = seed << 8U | static_cast<std::uint64_t>(below(256));
        return seed;
    }

private:
    const std::uint8_t* bytes_;
    std::size_t size_;
    std::size_t at_ = 0;
};

} // namespace

/// A random kernel, machine, launch and policy: the event log of the run satisfies the timing
/// contract.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    static const std::array machines{std::pair{"fermi-gtx470", 20}, std::pair{"maxwell-gtx970", 52},
                                     std::pair{"turing-t4", 75}, std::pair{"hopper-h200", 90}};
    InputChoices choices{bytes, size};
    const auto which = static_cast<std::size_t>(choices.below(machines.size()));
    static const auto architectures = [] {
        std::array<models::Architecture, machines.size()> all;
        for (std::size_t index = 0; index < all.size(); ++index)
            all[index] = models::load_architecture(machines[index].first).value();
        return all;
    }();
    const models::Architecture& machine = architectures[which];
    const auto policy =
        tests::policy_of(static_cast<std::size_t>(choices.below(tests::every_policy.size())));
    const models::Launch launch{1 + choices.below(3),
                                32 * (1 + choices.below(8)) - choices.below(2) * 11};
    const auto draw = static_cast<harness::Draw>(choices.below(4));
    tests::RandomKernelOptions options;
    options.sm = machines[which].second;
    options.statements = 1 + static_cast<int>(choices.below(12));
    options.depth = 1 + static_cast<int>(choices.below(3));
    options.max_iterations = 1 + choices.below(5);
    options.divergence = choices.below(2) == 1;
    const std::uint64_t seed = choices.seed();
    const auto generated = tests::random_kernel(seed, options);
    const auto loaded = tests::read(generated);
    if (!loaded) std::abort(); // The reader accepts the generator's output.
    const tests::ReadKernel& read = *loaded.value();
    const harness::Kernel kernel{read.function, &read.graph, &read.facts, launch};
    const auto prepared = harness::simulator::Machine::prepare(machine, kernel, policy);
    if (!prepared) return 0; // The description lacks the cost of several waves of blocks.
    tests::RecordedRun record;
    const auto observed = prepared.value()->run(
        {seed, draw, {}}, [&](const auto& event) { record.events.push_back(event); });
    if (!observed) return 0; // No path satisfies the random facts.
    record.execution_time = observed.value().execution_time.count();
    const auto found = tests::violations(kernel, machine, policy, record);
    for (const std::string& violation : found)
        std::fprintf(stderr, "%s\n", violation.c_str());
    if (!found.empty()) {
        std::fprintf(stderr, "%s under %s\n%s", machine.name.c_str(), to_string(policy).c_str(),
                     generated.text.c_str());
        std::abort();
    }
    return 0;
}
