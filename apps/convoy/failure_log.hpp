#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cluster/launcher.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// Notes the nodes that a run loses, and the first step after each loss. It hands all that it is told on to
/// another observer.
class FailureLog final : public LaunchObserver {
  public:
    /// shown: the other observer. failures: those of the run so far, to which this object adds. Both outlive
    /// it. on_goes_on: is called when the loss is noted after which the other nodes go on.
    FailureLog(LaunchObserver& shown, std::vector<NodeFailure>& failures,
               std::function<void(const GoesOn&)> on_goes_on)
        : shown_(shown), failures_(failures), keep_(std::move(on_goes_on)) {}

    /// The loss that ended the last launch; absent if it ended in another way.
    [[nodiscard]] const std::optional<LostNode>& lost() const { return lost_; }
    /// Whether a signal came, also behind the loss of a node.
    [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }
    /// After the last losses the run goes on from this step, or could: the steps behind it are lost. There
    /// must be a loss.
    void note_step(std::int64_t from_step);
    /// Another launch begins, or the nodes that are left go on.
    void begin_launch();

    void on_listening(const std::string& endpoint) override { shown_.on_listening(endpoint); }
    void on_progress(const NodeProgress& progress) override;
    void on_node_lost(const LostNode& lost) override;
    void on_interrupted() override {
        was_interrupted_ = true;
        shown_.on_interrupted();
    }
    void on_goes_on(const GoesOn& goes_on) override;
    void on_node_line(std::int64_t rank, const std::string& line) override {
        shown_.on_node_line(rank, line);
    }
    void on_notice(const std::string& line) override { shown_.on_notice(line); }
    void on_detail(const std::string& line) override { shown_.on_detail(line); }

  private:
    void note_first_step();

    LaunchObserver& shown_;
    std::vector<NodeFailure>& failures_;
    std::function<void(const GoesOn&)> keep_;
    std::size_t settled_ = failures_.size();  ///< losses after which the run went on, or that ended it
    std::optional<LostNode> lost_;
    std::int64_t from_step_ = 0;
    bool awaits_step_ = false, was_interrupted_ = false;

    struct Loss {
        std::size_t failure = 0;  ///< its index in failures_
        TimePoint since{};        ///< the time at which it was known
    };
    struct EmptyPlace {
        Loss since;
        bool is_taken = false;  ///< another process has joined, and has taken no step yet
    };
    std::vector<Loss> awaited_;  ///< losses after which no step was taken yet
    std::map<std::int64_t, EmptyPlace> empty_places_;
};

}  // namespace convoy
