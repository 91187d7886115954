#include "harness/simulator/machine.hpp"
#include "harness/trace/recorded_trace.hpp"
#include "tests/support/event_checker/event_checker.hpp"
#include "tests/support/random_kernel.hpp"
#include "tests/support/recorded_events.hpp"

#include <cstdio>
#include <cstdlib>

/// The first two bytes choose a random kernel and a run of it. Every three further bytes name a
/// position in the text of its trace and the character to write there. The text is refused, or its
/// replay agrees with it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace warpbound;
    using namespace warpbound::harness;
    static const models::Architecture machine = models::load_architecture("turing-t4").value();
    if (size < 2) return 0;
    const std::uint64_t seed = 1U + bytes[0];
    const auto loaded = tests::read(tests::random_kernel(
        seed, {.sm = 75, .statements = 5, .depth = 2, .max_iterations = 3, .divergence = true}));
    if (!loaded) std::abort(); // The reader accepts the generator's output.
    const Kernel drawn{loaded.value()->function,
                       &loaded.value()->graph,
                       &loaded.value()->facts,
                       {1, 1 + bytes[1] % 64, 16, 0}};
    const auto prepared = simulator::Machine::prepare(machine, drawn);
    if (!prepared) std::abort();
    std::vector<simulator::Event> recorded;
    if (!prepared.value()->run({.seed = seed, .draw = {}, .path = {}},
                               [&](const auto& event) { recorded.push_back(event); }))
        return 0; // No path satisfies the random facts.
    std::string text = print(tests::trace_of(drawn, machine, recorded));
    for (std::size_t at = 2; at + 3 <= size; at += 3)
        text[(std::size_t{bytes[at]} << 8U | bytes[at + 1]) % text.size()] =
            static_cast<char>(bytes[at + 2]);
    const auto trace = trace::RecordedTrace::open(trace::TraceBytes{{"fuzz", text}},
                                                  {drawn.function, drawn.graph, "listing"}, 0);
    if (!trace) return 0;
    const Kernel kernel{drawn.function, drawn.graph, &trace.value()->facts(),
                        trace.value()->launch(), trace.value().get()};
    const auto again = simulator::Machine::prepare(machine, kernel);
    if (!again) return 0; // A launch that fits on no SM.
    tests::RecordedRun record;
    const auto observed =
        again.value()->run({.seed = seed, .draw = {}, .path = {}},
                           [&](const auto& event) { record.events.push_back(event); });
    if (!observed) return 0; // A deadlock.
    record.execution_time = observed.value().execution_time.count();
    const auto read = trace::read_sass_trace({"fuzz", text});
    if (!read) std::abort(); // Both readers accept the same texts.
    record.trace = &read.value();
    const auto found = tests::violations(kernel, machine, {}, record);
    for (const std::string& violation : found)
        std::fprintf(stderr, "%s\n", violation.c_str());
    if (!found.empty()) std::abort();
    return 0;
}
