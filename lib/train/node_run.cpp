#include "train/node_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/version.hpp"
#include "spec/parse.hpp"
#include "spec/run_identity.hpp"
#include "spec/trace_steps.hpp"
#include "train/weights.hpp"

namespace convoy {
namespace {

constexpr auto checkpoint_source = "the checkpoint";
/// Within an epoch, so many steps are told at a time. So the memory for records does not grow with the steps
/// of an epoch, and a run that is killed loses few.
constexpr std::size_t steps_told_together = 256;
/// A node tells more often if its steps are long, for those who look at the run while it is under way.
constexpr auto longest_untold = std::chrono::milliseconds(2000);
/// A node whose run goes on without it takes the steps with it that it has not told.
constexpr auto longest_untold_of_shrinking = std::chrono::milliseconds(100);

TracedSteps traced_steps(const ExperimentSpec& spec, const DataPlan& data) {
    const auto steps = trace_steps_of(spec, std::min(data.train.steps_per_epoch(), data.steps));
    return {.from = steps.from, .count = steps.count};
}

}  // namespace

NodeRun::NodeRun(const NodeAssignment& assignment, RunPlan plan, Communicator& communicator,
                 NodeReporter& reporter, std::optional<NodeData> kept)
    : assignment_(assignment),
      reporter_(reporter),
      node_(assignment, communicator, plan.node.data, plan.shape, std::move(kept)),
      shape_(std::move(plan.shape)),
      plan_(std::move(plan.plan)),
      schedule_(assignment.spec, plan_.data()),
      part_(std::move(plan.node), node_.backend(), communicator, traced_steps(assignment.spec, plan_.data())),
      faults_(assignment.faults),
      steps_done_(assignment.resume ? std::min(assignment.resume->step, schedule_.steps()) : 0),
      batches_(training_batches(plan_.data().train, node_.data())),
      label_counts_(count_labels(batches_, assignment.rank, node_.data())),
      pipeline_(node_.data().train(), batches_,
                {.rank = assignment.rank,
                 .batches = schedule_.steps() - steps_done_,
                 .prefetch = assignment.spec.input_pipeline.prefetch,
                 .augmentation = assignment.spec.input_pipeline.augmentation,
                 .seed = assignment.spec.seed,
                 .first = steps_done_}),
      early_stopping_(assignment.spec.early_stopping,
                      assignment.resume ? assignment.resume->validation : ValidationHistory{}) {
    begin_epoch();
    if (assignment.resume) {
        restore(*assignment.resume);
    } else {
        set_initial_weights(node_.backend(), part_.plan().parameters, assignment.spec);
    }
}

void NodeRun::agree() {
    const auto& parameters = part_.plan().parameters;
    std::vector<std::string> names;
    for (const auto& parameter : marked(parameters, &HeldParameter::one_layout))
        names.push_back(parameter.value.name);
    const auto alike =
        marked(parameters, steps_done_ == 0 ? &HeldParameter::start_alike : &HeldParameter::alike);
    auto fingerprints = data_fingerprints(shape_, node_.data(), batches_);
    fingerprints[topic::convoy] = build_text();
    fingerprints[topic::spec] = run_id(assignment_.spec);
    if (!assignment_.apart) fingerprints[topic::step] = fmt::format("{}", steps_done_);
    const auto among = [&](const char* topic) { return topic_among(topic, part_.plan().alike_with); };
    if (!names.empty())
        fingerprints[among(topic::layouts)] = sha256(node_.backend().layout_fingerprint(names));
    if (!alike.empty()) fingerprints[among(topic::weights)] = sha256(get_weights(node_.backend(), alike));
    reporter_.agree(fingerprints);
}

PastMessages NodeRun::past_messages() const {
    return past_by_place(part_.past_messages(), part_.plan().routine.handlers, assignment_.apart);
}

// A worker that was interrupted in a step takes it again. A server that had its message before leaves out the
// second one, so each server has one message of each step of a place.
void NodeRun::go_on_behind(const PastMessages& past) {
    if (!part_.handles_messages()) return;
    part_.go_on_behind(past_by_handler(past, part_.plan().routine.handlers, assignment_.apart.value()));
}

void NodeRun::answer_late_peers() {
    if (!assignment_.apart || !part_.handles_messages() || steps_done_ < schedule_.steps()) return;
    part_.handle(
        {.step = steps_done_, .agreed = steps_done_},
        [this](std::int64_t peer, std::int64_t step) { return schedule_.context_of_message(peer, step); },
        epoch_.records.updates);
    part_.finish();
}

bool NodeRun::run() {
    report_progress("prepare");
    agree();
    node_.begin_to_train();
    has_begun_ = true;
    answer_late_peers();
    bool early = false;
    while (steps_done_ < schedule_.steps() && !interrupted_ && !early) {
        train_epoch();
        if (stands_still_) return false;
        if (is_between_epochs()) break;                            // interrupted there, on all ranks
        if (shrinks()) report_steps(epoch_.records.steps.size());  // before an evaluation that takes long
        evaluate_all();
        early = !interrupted_ && ends_early();
        report_epoch();
        begin_epoch();
        if (!early && !interrupted_ && schedule_.checkpoint_is_due(steps_done_)) take_checkpoint();
    }
    report_weights();
    finish();
    return true;
}

void NodeRun::report_weights() {
    const auto saved = marked(part_.plan().parameters, &HeldParameter::saved);
    if (saved.empty()) return;
    // The losses before told nothing of the last update, and ReLU may hide a NaN from those behind it.
    if (const auto broken = find_not_finite(node_.backend(), saved))
        fail_diverged(fmt::format("{} is not finite", *broken));
    reporter_.weights(get_weights(node_.backend(), saved));
}

bool NodeRun::is_between_epochs() const {
    return steps_done_ == (epoch_.record.epoch - 1) * schedule_.steps_per_epoch();
}

bool NodeRun::steps_are_due() const {
    const auto untold = epoch_.records.steps.size();
    if (untold > steps_told_together) return true;
    const auto silent = Clock::now() - told_steps_at_;
    return shrinks() ? untold > 0 && silent > longest_untold_of_shrinking
                     : untold > 1 && silent > longest_untold;  // the last step may be extended
}

void NodeRun::report_steps(std::size_t count) {
    told_steps_at_ = Clock::now();
    auto told = epoch_.records.take_first(count);  // operators and traces come at the end of an epoch
    told.system = std::exchange(epoch_.records.system, {});
    told.updates = std::exchange(epoch_.records.updates, {});
    std::ranges::move(node_.take_samples(), std::back_inserter(told.system));
    reporter_.records(std::move(told));
}

void NodeRun::report_epoch() {
    part_.timer(RunPhase::evaluate).flush(epoch_.records);
    node_.add_epoch(epoch_.record.train_s, epoch_.record.evaluate_s);
    epoch_.records.epochs.push_back(epoch_.record);
    epoch_.records.append({.operators = {},
                           .steps = {},
                           .epochs = {},
                           .system = node_.take_samples(),
                           .trace = {},
                           .summaries = {}});
    reporter_.records(std::move(epoch_.records));
}

bool NodeRun::ends_early() {
    bool ends = false;
    if (const auto& target = assignment_.spec.target; target && target->stop) {
        const auto& own =
            target->split == EvaluatedSplit::test ? epoch_.record.test : epoch_.record.validation;
        const auto [correct, examples] =
            part_.sum(static_cast<double>(own.correct), static_cast<double>(own.examples));
        ends = correct / examples >= target->accuracy;  // as reports decide it
    }
    if (assignment_.spec.early_stopping.patience) {
        const auto& own = epoch_.record.validation;
        const auto [loss, examples] = part_.sum(own.loss_sum, static_cast<double>(own.examples));
        ends = early_stopping_.ends_after(loss / examples) || ends;
    }
    return ends;
}

void NodeRun::begin_epoch() {
    const auto steps = schedule_.steps_per_epoch();
    epoch_ = {};
    epoch_.record.node = assignment_.rank;
    epoch_.record.epoch = schedule_.epoch_behind(steps_done_);
    epoch_.records.steps.reserve(std::min(static_cast<std::size_t>(steps), steps_told_together + 1));
    std::int64_t evaluated_batches = 0;
    for (const auto& each : plan_.data().evaluations) evaluated_batches += each.steps_per_epoch();
    part_.begin_epoch(epoch_.record.epoch, steps, evaluated_batches);
}

void NodeRun::train_epoch() {
    const auto steps = schedule_.steps_per_epoch();
    epoch_.began = Clock::now();
    epoch_.paused_s = 0.0;
    for (auto step = steps_done_ - (epoch_.record.epoch - 1) * steps;
         step < steps && steps_done_ < schedule_.steps(); ++step) {
        const auto answer = reporter_.ask_for_step(steps_done_ + 1);
        interrupted_ = answer == StepAnswer::stop;
        stands_still_ = answer == StepAnswer::stand_still;
        if (answer != StepAnswer::begin) break;
        faults_.begin_step(steps_done_ + 1, reporter_, part_);
        train_step(step);
        if (steps_are_due()) {
            const auto began = Clock::now();
            // finish_step may extend the last, unless steps are committed whole.
            report_steps(epoch_.records.steps.size() - (shrinks() ? 0 : 1));
            epoch_.paused_s += Seconds(Clock::now() - began).count();
        }
        if (step + 1 < steps && schedule_.checkpoint_is_due(steps_done_)) {
            finish_step();
            take_checkpoint();
        }
    }
    finish_step();
    if (stands_still_) return;  // the epoch goes on later
    part_.timer(RunPhase::train).flush(epoch_.records);
    part_.timer(RunPhase::checkpoint).flush(epoch_.records);
    epoch_.record.train_s = epoch_.train_s();
}

void NodeRun::train_step(std::int64_t step_of_epoch) {
    const auto& batches = plan_.data().train;
    const auto core_look = core_looks_.newest();
    const auto result =
        part_.handles_messages()
            ? part_.handle(
                  {.step = steps_done_ + 1, .agreed = schedule_.next_agreed_step(steps_done_)},
                  [this](std::int64_t peer, std::int64_t step) {
                      return schedule_.context_of_message(peer, step);
                  },
                  epoch_.records.updates)
            : part_.train(batches.split_of(step_of_epoch), pipeline_, schedule_.context(steps_done_));
    ++steps_done_;
    epoch_.examples_of_all_nodes += batches.taken_examples(step_of_epoch);
    epoch_.add_step(steps_done_, result, core_look);
    report_progress("train");
}

void NodeRun::finish_step() {
    if (epoch_.records.steps.empty()) return;
    epoch_.extend_last_step(part_.finish());
}

ScoreSums NodeRun::evaluate(const std::optional<Dataset>& dataset, std::size_t data) {
    const auto& batches = plan_.data().evaluations.at(data);
    InputPipeline source(dataset, batches,
                         {.rank = assignment_.rank,
                          .batches = batches.steps_per_epoch(),
                          .prefetch = assignment_.spec.input_pipeline.prefetch});
    ScoreSums sums;
    for (std::int64_t step = 0; step < batches.steps_per_epoch(); ++step) {
        const StepContext context{
            .seed = assignment_.spec.seed, .examples = {}, .global_examples = batches.batch_examples(step)};
        const auto result = part_.evaluate(data, batches.split_of(step), source, context);
        sums.loss_sum += result.metrics.loss_sum;
        sums.correct += result.metrics.correct;
        sums.examples += result.examples;
    }
    if (!std::isfinite(sums.loss_sum))
        fail_diverged(fmt::format("the loss in evaluation is {}", sums.loss_sum));
    evaluation_input_ += source.times();
    return sums;
}

void NodeRun::evaluate_all() {
    const auto began = Clock::now();
    if (!interrupted_) report_progress("evaluate");
    // Also after an interruption, so that the weights that are kept are those of all nodes.
    part_.timer(RunPhase::evaluate).begin_step(steps_done_ + 1);
    part_.synchronise(RunPhase::evaluate,
                      {.seed = assignment_.spec.seed, .step = steps_done_, .examples = {}});
    if (!interrupted_) evaluate_splits();
    epoch_.record.evaluate_s = Seconds(Clock::now() - began).count();
}

void NodeRun::evaluate_splits() {
    const auto& data = node_.data();
    std::size_t next = 0;
    if (shape_.sizes.validation > 0) epoch_.record.validation = evaluate(data.validation(), next++);
    if (shape_.sizes.test > 0) epoch_.record.test = evaluate(data.test(), next);
}

void NodeRun::take_checkpoint() {
    const auto began = Clock::now();
    auto& timer = part_.timer(RunPhase::checkpoint);
    timer.begin_step(steps_done_);
    const auto trained_s = epoch_.train_s();
    // Behind an evaluation the statistics are the same on all nodes already.
    if (!is_between_epochs())
        part_.synchronise(RunPhase::checkpoint,
                          {.seed = assignment_.spec.seed, .step = steps_done_, .examples = {}});
    const auto averaged = Clock::now();
    report_steps(epoch_.records.steps.size());
    auto checkpoint = state();
    checkpoint.epoch.train_s = trained_s;
    reporter_.checkpoint(std::move(checkpoint));
    timer.add(timer.add_row({"_Checkpoint", "checkpoint", {}}), averaged, Clock::now());
    const auto took = Seconds(Clock::now() - began).count();
    node_.add_checkpoint(took);
    epoch_.paused_s += took;
}

NodeSummary NodeRun::so_far() {
    auto batches = pipeline_.times();
    batches += evaluation_input_;
    auto summary = node_.so_far(steps_done_, batches);
    summary.label_counts = label_counts_;
    summary.parts = cut_parts(part_.plan().parameters);
    return summary;
}

NodeCheckpoint NodeRun::state() {
    NodeCheckpoint checkpoint;
    const auto kept = marked(part_.plan().parameters, &HeldParameter::kept);
    if (!kept.empty()) checkpoint.tensors = get_training_tensors(node_.backend(), kept);
    checkpoint.step = steps_done_;
    checkpoint.validation = early_stopping_.history();
    checkpoint.epoch = epoch_.record;
    checkpoint.operators = part_.timer(RunPhase::train).times();
    std::ranges::move(part_.timer(RunPhase::checkpoint).times(), std::back_inserter(checkpoint.operators));
    checkpoint.so_far = so_far();
    return checkpoint;
}

std::vector<std::byte> NodeRun::tensors() {
    return get_training_tensors(node_.backend(), held(part_.plan().parameters));
}

NodeCheckpoint NodeRun::leave() {
    const auto trained_s = epoch_.train_s();
    report_steps(epoch_.records.steps.size());
    auto kept = state();
    kept.epoch.train_s = trained_s;
    kept.tensors = tensors();
    kept.so_far.cpu_user_s = kept.so_far.cpu_system_s = 0.0;  // the process counts on
    return kept;
}

void NodeRun::restore(const NodeCheckpoint& checkpoint) {
    const bool fits = checkpoint.step == steps_done_ && checkpoint.epoch.epoch == epoch_.record.epoch &&
                      checkpoint.epoch.node == assignment_.rank;
    if (!fits) {
        throw DataError(
            fmt::format("{}: node {} of it is at step {} in epoch {}, which this run does not have",
                        checkpoint_source, checkpoint.epoch.node, checkpoint.step, checkpoint.epoch.epoch));
    }
    set_training_tensors(node_.backend(), held(part_.plan().parameters), checkpoint.tensors,
                         checkpoint_source);
    epoch_.record = checkpoint.epoch;
    epoch_.records.steps = checkpoint.steps;
    epoch_.records.system = checkpoint.system;
    part_.timer(RunPhase::train).restore(checkpoint.operators);
    part_.timer(RunPhase::checkpoint).restore(checkpoint.operators);
}

void NodeRun::report_progress(const std::string& phase) {
    const auto& sums = epoch_.record.train;
    const auto examples = static_cast<double>(std::max<std::int64_t>(sums.examples, 1));
    const auto elapsed = Seconds(Clock::now() - epoch_.began).count();
    reporter_.progress(
        {.rank = assignment_.rank,
         .phase = phase,
         .epoch = phase == "prepare" ? 0 : epoch_.record.epoch,
         .epochs = assignment_.spec.epochs,
         .step = steps_done_,
         .steps = schedule_.steps(),
         .loss = sums.loss_sum / examples,
         .accuracy = static_cast<double>(sums.correct) / examples,
         .examples = sums.examples,
         .examples_per_second =
             elapsed > 0.0 ? static_cast<double>(epoch_.examples_of_all_nodes) / elapsed : 0.0});
}

void NodeRun::finish() {
    node_.stop_sampling();
    NodeRecords records;
    records.system = node_.take_samples();
    records.summaries.push_back(so_far());
    reporter_.records(std::move(records));
}

}  // namespace convoy
