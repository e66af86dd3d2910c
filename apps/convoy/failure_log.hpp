#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "cluster/launcher.hpp"
#include "report/run_record.hpp"

namespace convoy {

/// Notes the nodes that a run loses, the faults of its spec, and the first step after each loss. It hands all
/// that it is told on to another observer.
class FailureLog final : public LaunchObserver {
  public:
    /// The examples, of all nodes, of the steps behind one step up to another one.
    using ExamplesBetween = std::function<std::int64_t(std::int64_t after, std::int64_t up_to)>;
    /// The examples that a place has in the steps behind this one, to the end of the run.
    using ShareBehind = std::function<std::int64_t(std::int64_t place, std::int64_t after)>;

    /// shown: the other observer. failures: those of the run so far, to which this object adds. Both outlive
    /// it. on_goes_on: is called when the loss is noted after which the other nodes go on.
    FailureLog(LaunchObserver& shown, std::vector<NodeFailure>& failures, ExamplesBetween examples,
               ShareBehind share_behind, std::function<void(const GoesOn&)> on_goes_on);

    /// The loss that ended the last launch; absent if it ended in another way.
    [[nodiscard]] const std::optional<LostNode>& lost() const { return lost_; }
    /// The faults of the spec that came in the launches so far.
    [[nodiscard]] const std::vector<ComingFault>& faults() const { return faults_; }
    /// Whether a signal came, also behind the loss of a node.
    [[nodiscard]] bool was_interrupted() const { return was_interrupted_; }
    /// After the last losses the run goes on from this step, or could: the steps behind it are lost. There
    /// must be a loss.
    void note_step(std::int64_t from_step);
    /// Another launch begins, or the nodes that are left go on.
    void begin_launch() { lost_.reset(); }

    void on_listening(const std::string& endpoint) override { shown_.on_listening(endpoint); }
    void on_progress(const NodeProgress& progress) override;
    void on_node_lost(const LostNode& lost) override;
    void on_fault(const ComingFault& fault) override;
    void on_agreed() override;
    void on_interrupted() override {
        was_interrupted_ = true;
        shown_.on_interrupted();
    }
    void on_goes_on(const GoesOn& goes_on) override;
    void on_node_line(std::int64_t rank, const std::string& line) override {
        shown_.on_node_line(rank, line);
    }
    void on_notice(const std::string& line) override { shown_.on_notice(line); }
    void on_time_passed() override { shown_.on_time_passed(); }
    void on_detail(const std::string& line) override { shown_.on_detail(line); }

  private:
    /// A fault of the spec whose loss is not known yet.
    struct Suffered {
        std::size_t row = 0;  ///< its index in failures_
        std::int64_t place = 0;
        TimePoint at{};
    };
    /// A node that was lost.
    struct Loss {
        std::size_t row = 0;  ///< its index in failures_
        TimePoint known{};    ///< the time at which the loss was known
        std::optional<std::int64_t> place = {};
        std::int64_t own_step = 0;  ///< the last step that the node is known to have done
    };
    /// The place of a lost node. It is empty until another process takes a step there, so a process that is
    /// lost before adds a second one.
    struct EmptyPlace {
        std::int64_t place = 0;
        std::size_t row = 0;    ///< its index in failures_
        TimePoint since{};      ///< the time at which the loss was known
        bool is_taken = false;  ///< another process has joined, and has taken no step yet
    };

    /// Moves the fault out that led to this loss. Absent: no fault of the spec did.
    std::optional<Suffered> take_suffered(const LostNode& lost);
    /// Notes what the last losses cost.
    void settle(const std::function<void(const Loss& loss, NodeFailure& failure)>& note);
    /// As note_step, where each node goes on from its own step.
    void note_going_apart(const GoesOn& goes_on);
    void note_first_step();

    LaunchObserver& shown_;
    std::vector<NodeFailure>& failures_;
    ExamplesBetween examples_between_;
    ShareBehind share_behind_;
    std::function<void(const GoesOn&)> keep_;
    bool go_apart_ = false;  ///< rows keep the ranks of the beginning
    std::vector<ComingFault> faults_;
    std::vector<Suffered> suffered_;
    std::vector<Loss> unsettled_;  ///< behind which the run has neither gone on nor ended
    std::vector<Loss> awaiting_;   ///< behind which the run goes on, and has taken no step yet
    std::optional<LostNode> lost_;
    std::int64_t from_step_ = 0;
    bool was_interrupted_ = false;
    std::vector<EmptyPlace> empty_places_;
};

/// Notes what the last losses cost. The run ended by these losses, no step followed, and the run now goes on
/// after from_step. Losses that a step followed keep their cost.
void settle_last_losses(std::vector<NodeFailure>& failures, std::int64_t from_step,
                        const FailureLog::ExamplesBetween& examples_between);

}  // namespace convoy
