#include "harness/simulator/clock/clock.hpp"

#include <algorithm>

namespace warpbound::harness::simulator {

std::size_t WakeTimes::add() {
    const std::size_t sleepers = tree_.size() / 2;
    if (count_ < sleepers) return count_++;
    const std::vector<std::int64_t> leaves(tree_.begin() + static_cast<std::ptrdiff_t>(sleepers),
                                           tree_.end());
    tree_.assign(tree_.size() * 2, never);
    count_ = 0;
    for (const std::int64_t cycle : leaves)
        set(count_++, cycle);
    return count_++;
}

void WakeTimes::set(std::size_t sleeper, std::int64_t cycle) {
    std::size_t node = tree_.size() / 2 + sleeper;
    tree_[node] = cycle;
    for (node /= 2; node > 0; node /= 2) {
        const std::int64_t earlier = std::min(tree_[2 * node], tree_[2 * node + 1]);
        if (tree_[node] == earlier) return;
        tree_[node] = earlier;
    }
}

void WakeTimes::collect(std::int64_t now, std::vector<std::size_t>& sleepers) const {
    unvisited_.assign(1, 1);
    while (!unvisited_.empty()) {
        const std::size_t node = unvisited_.back();
        unvisited_.pop_back();
        if (tree_[node] > now) continue;
        if (node >= tree_.size() / 2) {
            sleepers.push_back(node - tree_.size() / 2);
            continue;
        }
        unvisited_.push_back(2 * node + 1);
        unvisited_.push_back(2 * node);
    }
}

void Clock::add(Component& component) {
    component.clock_index_ = wakes_.add();
    components_.push_back(&component);
    wakes_.set(component.clock_index_, component.wake());
}

void Clock::advance(std::int64_t now) {
    waking_.clear();
    wakes_.collect(now, waking_);
    for (const std::size_t component : waking_) {
        components_[component]->scheduled_ = true;
        scheduled_.push_back(components_[component]);
    }
    ticked_.clear();
    while (!scheduled_.empty()) {
        ticking_.swap(scheduled_);
        if (order_) order_(ticking_);
        for (Component* component : ticking_) {
            component->scheduled_ = false;
            if (component->ticked_in_ != now) ticked_.push_back(component);
            component->ticked_in_ = now;
            component->tick(now);
        }
        ticking_.clear();
        clocked_state_.propagate(scheduled_);
    }
    for (const Component* component : ticked_)
        wakes_.set(component->clock_index_, component->wake());
}

} // namespace warpbound::harness::simulator
