#include "harness/simulator/clock/clock.hpp"

#include <utility>

namespace warpbound::harness::simulator {

void Clock::add(Component& component) {
    component.clock_index_ = wakes_.add();
    components_.push_back(&component);
    wakes_.set(component.clock_index_, component.wake());
}

void Clock::advance(std::int64_t now) {
    begin(now);
    while (tick())
        publish();
}

void Clock::begin(std::int64_t now) {
    now_ = now;
    if (has_mail()) publish();
    waking_.clear();
    wakes_.take(now, waking_);
    for (const std::size_t waking : waking_) {
        Component* const component = components_[waking];
        if (component->scheduled_) continue;
        component->scheduled_ = true;
        scheduled_->push_back(component);
    }
}

bool Clock::tick() {
    if (scheduled_->empty()) {
        for (Component* component : ticked_) {
            component->ticked_ = false;
            wakes_.set(component->clock_index_, component->wake());
        }
        ticked_.clear();
        return false;
    }
    std::swap(ticking_, scheduled_);
    if (order_) order_(*ticking_);
    for (Component* component : *ticking_) {
        component->scheduled_ = false;
        if (!component->ticked_) ticked_.push_back(component);
        component->ticked_ = true;
        component->tick(now_);
    }
    ticking_->clear();
    return true;
}

} // namespace warpbound::harness::simulator
