#pragma once
/// \file
/// Random kernels, machines and launches whose bundles are checked.

#include "certification/bundle/build.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <random>

namespace warpbound::tests {

/// What kernels and launches are drawn of.
enum class Drawn {
    Any,
    FactsOnCounts,    ///< Of one warp, with a fact on how often blocks are executed.
    StrictRoundRobin, ///< Several warps in strict turns, most often all of one scheduler.
    CachesInSlots,    ///< Several warps in slots of their own, whose accesses go through caches.
    CachesInTurns,    ///< The same in strict turns.
    ReadPorts,        ///< One warp or several on a machine with read ports and a reuse cache.
    MemoryQueue,      ///< One warp or several on a machine with memory queues.
    HeldBackQueue,    ///< Several on such a machine, in slots, strict turns or small active sets.
    QueueAtBarriers,  ///< On such a machine one block in slots, on several schedulers, whose warps
                      ///< wait for each other at barriers.
    Fetch,            ///< On machines with small instruction caches, in no order.
    FrontEndInSlots,  ///< Several warps in slots of their own, behind read ports, small instruction
                      ///< caches, or both.
    FrontEndInTurns,  ///< The same in strict turns.
    ManyWaves, ///< Blocks of several warps in many waves, which pass no barrier; some with small
               ///< caches of instructions or constants, or memory queues.
    Operands,  ///< With constant operands, on machines with small caches of them.
};

/// The same for the same seed.
certification::KernelInput input_of(std::uint64_t seed, Drawn drawn = Drawn::Any);

/// Gives most global accesses addresses that lead through small caches of random sizes, and the
/// machine these caches.
void lead_through_caches(models::Architecture& machine, models::FlowFacts& facts,
                         std::mt19937_64& random);

} // namespace warpbound::tests
