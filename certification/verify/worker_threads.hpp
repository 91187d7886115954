#pragma once
/// \file
/// Work that several threads take from one list.

#include <system_error>
#include <thread>
#include <vector>

namespace warpbound::certification::verify {

/// Runs `work` in this thread and in up to `threads - 1` others at the same time: in fewer where
/// the system gives no more.
template <class Work> void run_in_threads(unsigned threads, const Work& work) {
    std::vector<std::thread> workers;
    try {
        for (unsigned i = 1; i < threads; ++i)
            workers.emplace_back(work);
    } catch (const std::system_error&) { // the threads there are do all of it
    }
    work();
    for (auto& worker : workers)
        worker.join();
}

} // namespace warpbound::certification::verify
