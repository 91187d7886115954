#include "tests/support/queue_model/queue_model.hpp"

#include <algorithm>
#include <limits>

namespace warpbound::tests {

namespace {

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

class Play {
public:
    Play(const ModelledDevice& device, const std::vector<ModelledOperation>& operations)
        : device_{device}, all_{operations}, times_(operations.size()), state_(operations.size()),
          residents_(static_cast<std::size_t>(device.multiprocessors)) {
        if (is(Fault::TooManyBlocks)) device_.blocks *= 2;
        if (is(Fault::TooManyThreads)) device_.threads *= 2;
        if (is(Fault::TooMuchSharedMemory)) device_.shared_memory *= 2;
    }

    std::vector<ModelledTimes> run() {
        for (now_ = 0; now_ != never; now_ = next_event()) {
            end_work();
            enter_queues();
            while (dispatch_block()) {
            }
            begin_copies();
        }
        return std::move(times_);
    }

private:
    struct State {
        bool queued = false;
        bool begun = false;
        bool left = false; ///< Its stream.
        bool ended = false;
        std::int64_t dispatched = 0; ///< Blocks.
        std::int64_t may_begin = 0;
    };
    struct Resident {
        std::size_t launch;
        std::int64_t end;
    };

    [[nodiscard]] bool is(Fault fault) const { return device_.fault == fault; }
    [[nodiscard]] bool is_dispatched(std::size_t launch) const {
        return state_[launch].dispatched == all_[launch].blocks;
    }

    [[nodiscard]] std::int64_t next_event() const {
        std::int64_t next = never;
        const auto consider = [&](std::int64_t at) {
            if (at > now_) next = std::min(next, at);
        };
        for (std::size_t i = 0; i < all_.size(); ++i) {
            consider(all_[i].call);
            if (state_[i].queued && !state_[i].ended) consider(state_[i].may_begin);
            if (state_[i].begun && !all_[i].is_launch()) consider(times_[i].end);
        }
        for (const auto& on_sm : residents_)
            for (const Resident& block : on_sm)
                consider(block.end);
        consider(engine_free_);
        return next;
    }

    void end_work() {
        for (auto& on_sm : residents_)
            std::erase_if(on_sm, [this](const Resident& block) { return block.end <= now_; });
        for (std::size_t i = 0; i < all_.size(); ++i) {
            State& state = state_[i];
            if (state.ended || !state.begun || (all_[i].is_launch() && !is_dispatched(i)) ||
                times_[i].end > now_)
                continue;
            state.ended = state.left = true;
            if (!all_[i].is_launch() && is(Fault::EngineIdles)) engine_free_ = now_ + device_.idle;
        }
    }

    /// Whether i must leave before j may enter its queue; both are called.
    [[nodiscard]] bool holds_up(std::size_t i, std::size_t j) const {
        if (i == j || state_[i].left) return false;
        if (all_[i].stream == all_[j].stream)
            return is(Fault::StreamTakesNewestFirst) ? state_[i].queued || i > j : i < j;
        if (i > j) return false;
        if (!all_[j].stream) return !is(Fault::NullStreamDoesNotWait);
        return !all_[i].stream && !is(Fault::NobodyWaitsForNullStream);
    }

    void enter_queues() {
        for (std::size_t j = 0; j < all_.size(); ++j) {
            if (state_[j].queued || all_[j].call > now_) continue;
            bool waits = false;
            for (std::size_t i = 0; i < all_.size(); ++i)
                waits = waits || (all_[i].call <= now_ && holds_up(i, j));
            if (waits) continue;
            state_[j].queued = true;
            state_[j].may_begin = now_;
            times_[j].head = now_;
            if (is(Fault::DeviceIdles) && all_[j].is_launch())
                state_[j].may_begin = now_ + device_.idle;
            (all_[j].is_launch() ? kernels_ : copies_).push_back(j);
        }
    }

    /// The kernels whose next block may be dispatched, in the order in which that is tried.
    [[nodiscard]] std::vector<std::size_t> eligible() const {
        std::vector<std::size_t> queue;
        for (const std::size_t kernel : kernels_)
            if (is(Fault::KernelHoldsQueueUntilItsEnd) ? !state_[kernel].ended
                                                       : !is_dispatched(kernel))
                queue.push_back(kernel);
        if (is(Fault::ExecutionQueueTakesLast))
            std::stable_sort(queue.begin(), queue.end(), [this](auto a, auto b) {
                return state_[a].begun != state_[b].begun ? state_[a].begun : a > b;
            });
        if (!is(Fault::OnePriority))
            std::stable_sort(queue.begin(), queue.end(), [this](auto a, auto b) {
                const bool is_executing =
                    is(Fault::PriorityOnlyBetweenKernels) && state_[a].begun != state_[b].begun;
                return is_executing ? state_[a].begun : all_[a].priority < all_[b].priority;
            });
        if (is(Fault::BlocksOfAllKernels))
            std::reverse(queue.begin(), queue.end());
        else if (queue.size() > 1)
            queue.resize(1);
        return queue;
    }

    [[nodiscard]] bool fits(const std::vector<Resident>& on_sm,
                            const ModelledOperation& launch) const {
        std::int64_t threads = launch.threads;
        std::int64_t shared = launch.shared_memory;
        for (const Resident& block : on_sm) {
            threads += all_[block.launch].threads;
            shared += all_[block.launch].shared_memory;
        }
        return threads <= device_.threads && shared <= device_.shared_memory &&
               static_cast<std::int64_t>(on_sm.size()) < device_.blocks;
    }

    bool dispatch_block() {
        for (const std::size_t kernel : eligible()) {
            State& state = state_[kernel];
            if (is_dispatched(kernel) || state.may_begin > now_) continue;
            for (std::size_t sm = 0; sm < residents_.size(); ++sm) {
                if (!fits(residents_[sm], all_[kernel])) continue;
                const std::int64_t end = now_ + all_[kernel].length;
                residents_[sm].push_back({kernel, end});
                times_[kernel].blocks.push_back({now_, end, static_cast<std::int64_t>(sm)});
                if (!state.begun) times_[kernel].begin = now_;
                state.begun = true;
                times_[kernel].end = std::max(times_[kernel].end, end);
                ++state.dispatched;
                if (is_dispatched(kernel) && is(Fault::KernelLeavesStreamDispatched)) {
                    state.left = true;
                    enter_queues();
                }
                return true;
            }
        }
        return false;
    }

    [[nodiscard]] int engine_of(std::size_t copy) const {
        return device_.copy_engines == 1 ||
                       all_[copy].kind == models::HostOperationKind::CopyToDevice
                   ? 0
                   : 1;
    }

    void begin_copies() {
        const bool kernels_run = std::any_of(kernels_.begin(), kernels_.end(), [this](auto kernel) {
            return state_[kernel].begun && !state_[kernel].ended;
        });
        if (is(Fault::CopiesWaitForKernels) && kernels_run) return;
        for (int engine = 0; engine < device_.copy_engines; ++engine) {
            std::int64_t running = 0;
            std::vector<std::size_t> waiting;
            for (const std::size_t copy : copies_) {
                if (engine_of(copy) != engine) continue;
                running += state_[copy].begun && !state_[copy].ended ? 1 : 0;
                if (!state_[copy].begun) waiting.push_back(copy);
            }
            if (is(Fault::CopyQueueTakesLast)) std::reverse(waiting.begin(), waiting.end());
            if (now_ < engine_free_) continue;
            const std::int64_t most = is(Fault::TwoCopiesAtOnce) ? 2 : 1;
            for (const std::size_t copy : waiting) {
                if (running++ >= most) break;
                state_[copy].begun = true;
                times_[copy].begin = now_;
                times_[copy].end = now_ + all_[copy].length;
                if (!is(Fault::CopyLeavesStreamAtOnce)) continue;
                state_[copy].left = true;
                enter_queues();
                while (dispatch_block()) {
                }
            }
        }
    }

    ModelledDevice device_;
    const std::vector<ModelledOperation>& all_;
    std::vector<ModelledTimes> times_;
    std::vector<State> state_;
    std::vector<std::vector<Resident>> residents_; ///< By SM.
    std::vector<std::size_t> kernels_;             ///< The execution queues, in order of entry.
    std::vector<std::size_t> copies_;              ///< The copy queues likewise.
    std::int64_t now_ = 0;
    std::int64_t engine_free_ = 0;
};

} // namespace

std::vector<ModelledTimes> play(const ModelledDevice& device,
                                const std::vector<ModelledOperation>& operations) {
    return Play{device, operations}.run();
}

} // namespace warpbound::tests
