#pragma once
/// \file
/// Messages and values between components: staged while they tick, visible after the step.
///
///     put(a), put(b)   [staged: a b | visible: -  ]
///     propagate()      [staged: -   | visible: a b]
///     propagate()      [staged: -   | visible: -  ]

#include "harness/simulator/clock/component.hpp"

#include <span>
#include <stdexcept>
#include <vector>

namespace warpbound::harness::simulator {

/// State with a staged and a visible side.
class Staging {
public:
    Staging() = default;
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    Staging(Staging&&) = delete;
    Staging& operator=(Staging&&) = delete;
    virtual ~Staging() = default;
    /// Makes the staged side visible. Returns the component that has to tick because of it, if any.
    virtual Component* publish() = 0;
    /// Withdraws what was visible for one step.
    virtual void withdraw() = 0;
};

/// The clocked state of a machine: knows which links and values have something staged, so that a
/// step costs no more than the messages and values set in it.
class ClockedState {
public:
    void staged(Staging& link) { staged_.push_back(&link); }
    [[nodiscard]] bool has_staged() const { return !staged_.empty(); }

    /// Ends a step. Appends to `scheduled` every component that receives a message, once.
    void propagate(std::vector<Component*>& scheduled) {
        for (Staging* link : visible_)
            link->withdraw();
        visible_.clear();
        for (Staging* link : staged_)
            schedule(link->publish(), scheduled);
        visible_.swap(staged_);
    }

private:
    static void schedule(Component* reader, std::vector<Component*>& scheduled) {
        if (reader == nullptr || reader->scheduled_) return;
        reader->scheduled_ = true;
        scheduled.push_back(reader);
    }

    std::vector<Staging*> staged_;
    std::vector<Staging*> visible_;
};

/// Carries messages of one type from one component to one other. Each of them gets only its end.
template <typename Message> class Link final : public Staging {
public:
    explicit Link(ClockedState& clocked_state) : clocked_state_{&clocked_state} {}

    void put(const Message& message) {
        if (staged_.empty()) clocked_state_->staged(*this);
        staged_.push_back(message);
    }
    [[nodiscard]] std::span<const Message> messages() const { return visible_; }
    void read_by(Component& reader) { reader_ = &reader; }

    Component* publish() override {
        if (reader_ == nullptr) throw std::logic_error{"a message has no receiver"};
        visible_.swap(staged_);
        return reader_;
    }
    void withdraw() override { visible_.clear(); }

private:
    ClockedState* clocked_state_;
    Component* reader_ = nullptr;
    std::vector<Message> staged_;
    std::vector<Message> visible_;
};

/// The sending end of a link.
template <typename Message> class Source {
public:
    explicit Source(Link<Message>& link) : link_{&link} {}
    void put(const Message& message) const { link_->put(message); }

private:
    Link<Message>* link_;
};

/// The receiving end of a link.
template <typename Message> class Sink {
public:
    explicit Sink(Link<Message>& link) : link_{&link} {}
    /// Messages make this component tick. Call it in the constructor of the component.
    void read_by(Component& reader) const { link_->read_by(reader); }
    [[nodiscard]] std::span<const Message> messages() const { return link_->messages(); }

private:
    Link<Message>* link_;
};

/// A value that one component sets and others read from the next step on. It makes no component
/// tick.
template <typename Value> class Staged final : public Staging {
public:
    Staged(ClockedState& clocked_state, Value value)
        : clocked_state_{&clocked_state}, staged_{value}, visible_{value} {}

    void set(const Value& value) {
        clocked_state_->staged(*this);
        staged_ = value;
    }
    /// For the component that sets it.
    [[nodiscard]] const Value& staged() const { return staged_; }
    /// For all other components.
    [[nodiscard]] const Value& visible() const { return visible_; }

    Component* publish() override {
        visible_ = staged_;
        return nullptr;
    }
    void withdraw() override {}

private:
    ClockedState* clocked_state_;
    Value staged_;
    Value visible_;
};

} // namespace warpbound::harness::simulator
