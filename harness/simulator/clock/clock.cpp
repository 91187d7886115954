#include "harness/simulator/clock/clock.hpp"

namespace warpbound::harness::simulator {

void Clock::add(Component& component) {
    component.clock_index_ = wakes_.add();
    components_.push_back(&component);
    wakes_.set(component.clock_index_, component.wake());
}

void Clock::advance(std::int64_t now) {
    waking_.clear();
    wakes_.take(now, waking_);
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
