#pragma once
/// \file
/// Messages between components of different clocks: an outbox keeps them until they are carried
/// over, an inbox sends them on in their cycle.

#include "harness/simulator/clock/component.hpp"
#include "harness/simulator/clock/link.hpp"

#include <cstdint>
#include <deque>
#include <vector>

namespace warpbound::harness::simulator {

/// A message and the cycle in which it was sent.
template <typename Message> struct Dated {
    std::int64_t cycle = 0;
    Message message;
};

/// The end of a link whose reader has another clock. Receives when the reader would.
template <typename Message> class Outbox final : public Component {
public:
    /// `asks` becomes true with each message.
    Outbox(Sink<Message> from, bool* asks = nullptr) : from_{from}, asks_{asks} {
        from_.read_by(*this);
    }

    void tick(std::int64_t now) override {
        for (const Message& message : from_.messages())
            kept_.push_back({now, message});
        if (asks_ != nullptr) *asks_ = true;
    }
    [[nodiscard]] std::int64_t wake() const override { return never; }

    /// Passes each kept message to `take`, in order, and forgets it.
    template <typename Take> void empty_into(const Take& take) {
        for (const Dated<Message>& kept : kept_)
            take(kept);
        kept_.clear();
    }

private:
    Sink<Message> from_;
    bool* asks_;
    std::vector<Dated<Message>> kept_;
};

/// The beginning of a link whose sender has another clock. Sends each message in the first step of
/// its cycle.
template <typename Message> class Inbox final : public Component {
public:
    explicit Inbox(Source<Message> to) : to_{to} {}

    /// Requires: not before the messages added so far.
    void add(const Dated<Message>& message) { waiting_.push_back(message); }

    void tick(std::int64_t now) override {
        for (; !waiting_.empty() && waiting_.front().cycle <= now; waiting_.pop_front())
            to_.put(waiting_.front().message);
    }
    [[nodiscard]] std::int64_t wake() const override {
        return waiting_.empty() ? never : waiting_.front().cycle;
    }

private:
    Source<Message> to_;
    std::deque<Dated<Message>> waiting_;
};

} // namespace warpbound::harness::simulator
