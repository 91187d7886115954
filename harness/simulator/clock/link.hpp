#pragma once
/// \file
/// What components say to each other: staged while they tick, visible after the step.
///
///     put(a), put(b)   [staged: a b | visible: -  ]
///     propagate()      [staged: -   | visible: a b]
///     propagate()      [staged: -   | visible: -  ]

#include "harness/simulator/clock/component.hpp"

#include <span>
#include <stdexcept>
#include <vector>

namespace warpbound::harness::simulator {

/// Something with a staged and a visible side.
class Staging {
public:
    Staging() = default;
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;
    Staging(Staging&&) = delete;
    Staging& operator=(Staging&&) = delete;
    virtual ~Staging() = default;
    /// Makes what was staged visible. Returns who has to tick because of it, if anybody.
    virtual Component* show() = 0;
    /// Takes back what was visible for one step.
    virtual void hide() = 0;
};

/// Knows which links and values have something staged, so that a step costs only what was said in
/// it.
class Board {
public:
    void staged(Staging& link) { staged_.push_back(&link); }

    /// Ends a step. Appends to `called` every component, once, to which something is said.
    void propagate(std::vector<Component*>& called) {
        for (Staging* link : visible_)
            link->hide();
        visible_.clear();
        for (Staging* link : staged_)
            call(link->show(), called);
        visible_.swap(staged_);
    }

private:
    static void call(Component* reader, std::vector<Component*>& called) {
        if (reader == nullptr || reader->called_) return;
        reader->called_ = true;
        called.push_back(reader);
    }

    std::vector<Staging*> staged_;
    std::vector<Staging*> visible_;
};

/// Carries messages of one type from one component to one other. Both get only their end.
template <typename Message> class Link final : public Staging {
public:
    explicit Link(Board& board) : board_{&board} {}

    void put(const Message& message) {
        if (staged_.empty()) board_->staged(*this);
        staged_.push_back(message);
    }
    [[nodiscard]] std::span<const Message> messages() const { return visible_; }
    void read_by(Component& reader) { reader_ = &reader; }

    Component* show() override {
        if (reader_ == nullptr) throw std::logic_error{"a message to nobody"};
        visible_.swap(staged_);
        return reader_;
    }
    void hide() override { visible_.clear(); }

private:
    Board* board_;
    Component* reader_ = nullptr;
    std::vector<Message> staged_;
    std::vector<Message> visible_;
};

/// The writing end of a link.
template <typename Message> class Source {
public:
    explicit Source(Link<Message>& link) : link_{&link} {}
    void put(const Message& message) const { link_->put(message); }

private:
    Link<Message>* link_;
};

/// The reading end of a link.
template <typename Message> class Sink {
public:
    explicit Sink(Link<Message>& link) : link_{&link} {}
    /// Messages make this component tick; to be called in its constructor.
    void read_by(Component& reader) const { link_->read_by(reader); }
    [[nodiscard]] std::span<const Message> messages() const { return link_->messages(); }

private:
    Link<Message>* link_;
};

/// A value that one component sets and others see from the next step on; it makes nobody tick.
template <typename Value> class Staged final : public Staging {
public:
    Staged(Board& board, Value value) : board_{&board}, staged_{value}, visible_{value} {}

    void set(const Value& value) {
        board_->staged(*this);
        staged_ = value;
    }
    /// As the setter left it.
    [[nodiscard]] const Value& staged() const { return staged_; }
    /// As everybody else sees it.
    [[nodiscard]] const Value& visible() const { return visible_; }

    Component* show() override {
        visible_ = staged_;
        return nullptr;
    }
    void hide() override {}

private:
    Board* board_;
    Value staged_;
    Value visible_;
};

} // namespace warpbound::harness::simulator
