#include "train/node_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/sha256.hpp"
#include "base/version.hpp"
#include "spec/parse.hpp"
#include "train/backends.hpp"
#include "train/learning_rate.hpp"
#include "train/run_node.hpp"
#include "train/weights.hpp"

namespace convoy {
namespace {

SplitSizes sizes_of(const DataSplits& data) {
    return {data.train.size(), data.validation ? data.validation->size() : 0, data.test.size()};
}

[[noreturn]] void fail_diverged(const std::string& what) {
    throw DataError(
        fmt::format("{}: training diverged; lower $.optimizer.learning_rate or look at the data", what));
}

/// The elements of each bucket.
std::vector<std::int64_t> bucket_elements(const Program& program) {
    std::vector<std::int64_t> elements;
    for (const auto& bucket : program.buckets) elements.push_back(bucket.elements);
    return elements;
}

/// Kernels may add rows of one name, such as two reorders of one weight.
constexpr std::size_t calls_per_program = 4;

}  // namespace

NodeRun::NodeRun(const NodeAssignment& assignment, Communicator& communicator, NodeReporter& reporter)
    : assignment_(assignment),
      communicator_(communicator),
      reporter_(reporter),
      sampler_(assignment.rank, Seconds(assignment.spec.measure.sample_interval_s),
               [&communicator] {
                   const auto traffic = communicator.traffic();
                   return TrafficTotals{traffic.sent_bytes, traffic.received_bytes};
               }),
      data_(load_node_data(assignment)),
      plan_(plan_run(assignment.spec, sizes_of(data_.splits))),
      graph_(training_graph_of(assignment.spec, data_.splits.train.example_shape(),
                               data_.splits.train.classes())),
      training_{
          .programs = ProgramSet(assignment.spec, graph_, std::span(&plan_.train, 1), true),
          .timer = OperatorTimer(assignment.rank, RunPhase::train, assignment.spec.measure.trace_steps)},
      evaluation_{
          .programs = ProgramSet(assignment.spec,
                                 evaluation_graph_of(assignment.spec, data_.splits.train.example_shape(),
                                                     data_.splits.train.classes()),
                                 plan_.evaluations, false),
          .timer = OperatorTimer(assignment.rank, RunPhase::evaluate, 0)},
      backend_(make_backend(assignment.spec.kernels_of(assignment.rank), assignment.threads,
                            assignment.layout_threads)),
      checkpoint_timer_(assignment.rank, RunPhase::checkpoint, 0),
      before_(assignment.resume ? assignment.resume->so_far : NodeSummary{}),
      steps_done_(assignment.resume ? std::min(assignment.resume->step, plan_.steps) : 0),
      pipeline_(data_.splits.train, plan_.train,
                {.rank = assignment.rank,
                 .batches = plan_.steps - steps_done_,
                 .prefetch = assignment.spec.input_pipeline.prefetch,
                 .augmentation = assignment.spec.input_pipeline.augmentation,
                 .seed = assignment.spec.seed,
                 .first = steps_done_}),
      early_stopping_(assignment.spec.early_stopping,
                      assignment.resume ? assignment.resume->validation : ValidationHistory{}) {
    bind();
    begin_epoch();
    if (assignment.resume) {
        restore(*assignment.resume);
    } else {
        set_initial_weights(*backend_, graph_, assignment.spec);
    }
}

NodeRun::~NodeRun() {
    communicator_.drain();
}

void NodeRun::bind() {
    programs_ = averaging_programs_of(assignment_.spec, graph_, assignment_.rank);
    const auto first_training = programs_.size();
    std::ranges::copy(training_.programs.of_rank(assignment_.rank), std::back_inserter(programs_));
    const auto first_evaluation = programs_.size();
    std::ranges::copy(evaluation_.programs.of_rank(assignment_.rank), std::back_inserter(programs_));
    if (assignment_.spec.micro_batch_size) sums_.emplace(bucket_elements(programs_.at(first_training)));
    bound_ = backend_->bind(programs_);
    for (std::size_t i = first_training; i < bound_.size(); ++i) {
        auto& stage = i < first_evaluation ? training_ : evaluation_;
        stage.executors.emplace_back(*bound_[i], communicator_, stage.timer, sums_ ? &*sums_ : nullptr,
                                     programs_[i].carries_sums ? &stage.carried : nullptr);
    }
    if (first_training > 0) {
        averaging_.emplace_back(*bound_.front(), communicator_, evaluation_.timer);
        checkpoint_averaging_.emplace_back(*bound_.front(), communicator_, checkpoint_timer_);
    }
    if (const auto weights = training_.programs.average_behind(assignment_.rank, 0))
        averaging_.emplace_back(*bound_.at(first_training + *weights), communicator_, evaluation_.timer);
}

void NodeRun::agree() {
    std::string text =
        fmt::format("{}\n{}\n{}\n", version(), run_id(assignment_.spec), backend_->layout_fingerprint());
    // Ranks with other shares may have other programs, but all train in the same buckets.
    std::set<std::string> buckets;
    for (const auto& program : programs_)
        buckets.insert(fmt::format("{}", fmt::join(bucket_elements(program), " ")));
    text += fmt::format("{}\n", fmt::join(buckets, "\n"));
    text += fingerprint(data_.splits);
    text += fmt::format("step {}\n", steps_done_);
    const bool alike = steps_done_ == 0 || !trains_apart(assignment_.spec.strategy.name);
    if (alike) text += sha256(get_weights(*backend_, graph_));
    reporter_.agree(sha256(text));
}

void NodeRun::run() {
    report_progress("prepare");
    agree();
    bool early = false;
    while (steps_done_ < plan_.steps && !interrupted_ && !early) {
        train_epoch();
        if (epoch_.records.steps.empty()) break;  // interrupted between two epochs
        evaluate_all();
        early = !interrupted_ && ends_early();
        report_epoch();
        begin_epoch();
        if (!early && !interrupted_ && checkpoint_is_due()) take_checkpoint();
    }
    if (assignment_.rank == 0) {
        // The losses before told nothing of the last update, and ReLU may hide a NaN from those behind it.
        if (const auto broken = find_not_finite(*backend_, graph_))
            fail_diverged(fmt::format("{} is not finite", *broken));
        reporter_.weights(get_weights(*backend_, graph_));
    }
    finish();
}

void NodeRun::report_epoch() {
    train_s_ += epoch_.record.train_s;
    evaluate_s_ += epoch_.record.evaluate_s;
    epoch_.records.epochs.push_back(epoch_.record);
    epoch_.records.append(
        {.operators = {}, .steps = {}, .epochs = {}, .system = take_samples(), .trace = {}, .summaries = {}});
    reporter_.records(std::move(epoch_.records));
}

double NodeRun::rate_factor() const {
    const ScheduleSpan span{.steps_per_epoch = plan_.train.steps_per_epoch(),
                            .steps = plan_.steps,
                            .nodes = assignment_.world_size};
    return learning_rate_factor(assignment_.spec.schedule, span, steps_done_);
}

std::array<double, 2> NodeRun::over_nodes(double first, double second) {
    std::array<float, 2> sums{static_cast<float>(first), static_cast<float>(second)};
    if (assignment_.world_size > 1) communicator_.all_reduce(sums, {});
    return {static_cast<double>(sums[0]), static_cast<double>(sums[1])};
}

bool NodeRun::ends_early() {
    bool ends = false;
    if (const auto& target = assignment_.spec.target; target && target->stop) {
        const auto& own =
            target->split == EvaluatedSplit::test ? epoch_.record.test : epoch_.record.validation;
        const auto [correct, examples] =
            over_nodes(static_cast<double>(own.correct), static_cast<double>(own.examples));
        ends = correct / examples >= target->accuracy;  // as reports decide it
    }
    if (assignment_.spec.early_stopping.patience) {
        const auto& own = epoch_.record.validation;
        const auto [loss, examples] = over_nodes(own.loss_sum, static_cast<double>(own.examples));
        ends = early_stopping_.ends_after(loss / examples) || ends;
    }
    return ends;
}

void NodeRun::begin_epoch() {
    const auto steps = plan_.train.steps_per_epoch();
    const auto epoch = steps_done_ / steps + 1;
    epoch_ = {};
    epoch_.began = Clock::now();
    epoch_.record.node = assignment_.rank;
    epoch_.record.epoch = epoch;
    epoch_.records.steps.reserve(static_cast<std::size_t>(steps));
    training_.timer.begin_epoch(epoch, static_cast<std::size_t>(steps),
                                training_.programs.longest_step(assignment_.rank) * calls_per_program);
    std::size_t evaluation_steps = 0;
    for (const auto& each : plan_.evaluations)
        evaluation_steps += static_cast<std::size_t>(each.steps_per_epoch());
    evaluation_.timer.begin_epoch(epoch, evaluation_steps + 1, calls_per_program);
    checkpoint_timer_.begin_epoch(epoch, 0);
}

void NodeRun::train_epoch() {
    const auto steps = plan_.train.steps_per_epoch();
    const auto epoch = epoch_.record.epoch;
    epoch_.began = Clock::now();
    epoch_.checkpoint_s = 0.0;
    for (auto step = steps_done_ - (epoch - 1) * steps; step < steps && steps_done_ < plan_.steps; ++step) {
        interrupted_ = !reporter_.may_start_step(steps_done_ + 1);
        if (interrupted_) break;
        const auto examples = plan_.train.batch_examples(step);
        const StepContext context{.seed = assignment_.spec.seed,
                                  .epoch = static_cast<std::uint32_t>(epoch - 1),
                                  .step = steps_done_,
                                  .learning_rate_factor = rate_factor(),
                                  .examples = {},
                                  .global_examples = examples};
        const auto result = training_.step(assignment_.rank, pipeline_, context);
        ++steps_done_;
        epoch_.examples_of_all_nodes += examples;
        add_step(result);
        report_progress("train");
        if (step + 1 < steps && checkpoint_is_due()) {
            end_step();
            take_checkpoint();
        }
    }
    end_step();
    training_.timer.flush(epoch_.records);
    checkpoint_timer_.flush(epoch_.records);
    epoch_.record.train_s = epoch_.train_s();
}

void NodeRun::end_step() {
    if (epoch_.records.steps.empty()) return;
    const auto result = training_.end_step(assignment_.rank, pipeline_);
    auto& record = epoch_.records.steps.back();
    record.step_us += result.step.count();
    record.compute_us += result.compute.count();
    record.wait_us += result.wait.count();
}

void NodeRun::add_step(const StepResult& result) {
    auto& record = epoch_.record;
    const auto examples = static_cast<double>(result.examples);
    // A share without examples has no loss: 0 / 0 is what records have there.
    const double loss = result.metrics.loss_sum / examples;
    if (result.examples > 0 && !std::isfinite(loss)) {
        fail_diverged(fmt::format("the loss is {} in epoch {}, step {}", loss, record.epoch, steps_done_));
    }
    record.train.loss_sum += result.metrics.loss_sum;
    record.train.correct += result.metrics.correct;
    record.train.examples += result.examples;
    epoch_.records.steps.push_back({.node = assignment_.rank,
                                    .epoch = record.epoch,
                                    .step = steps_done_,
                                    .loss = loss,
                                    .correct = result.metrics.correct,
                                    .examples = result.examples,
                                    .step_us = result.step.count(),
                                    .compute_us = result.compute.count(),
                                    .wait_us = result.wait.count(),
                                    .gradient_norm = result.gradient_norm,
                                    .penalty = result.penalty});
}

ScoreSums NodeRun::evaluate(const Dataset& dataset, const EpochPlan& plan) {
    InputPipeline batches(dataset, plan,
                          {.rank = assignment_.rank,
                           .batches = plan.steps_per_epoch(),
                           .prefetch = assignment_.spec.input_pipeline.prefetch});
    ScoreSums sums;
    for (std::int64_t step = 0; step < plan.steps_per_epoch(); ++step) {
        const auto examples = plan.batch_examples(step);
        const StepContext context{.seed = assignment_.spec.seed, .examples = {}, .global_examples = examples};
        const auto result = evaluation_.step(assignment_.rank, batches, context);
        sums.loss_sum += result.metrics.loss_sum;
        sums.correct += result.metrics.correct;
        sums.examples += result.examples;
    }
    if (!std::isfinite(sums.loss_sum))
        fail_diverged(fmt::format("the loss in evaluation is {}", sums.loss_sum));
    evaluation_input_ += batches.times();
    return sums;
}

void NodeRun::average(std::vector<Executor>& averaging) {
    for (auto& program : averaging)
        program.run(pipeline_, {.seed = assignment_.spec.seed, .step = steps_done_, .examples = {}});
}

void NodeRun::evaluate_all() {
    const auto began = Clock::now();
    if (!interrupted_) report_progress("evaluate");
    // Also after an interruption, so that the weights that are kept are those of all nodes.
    evaluation_.timer.begin_step(steps_done_ + 1);
    average(averaging_);
    if (!interrupted_) evaluate_splits();
    evaluation_.timer.flush(epoch_.records);
    epoch_.record.evaluate_s = Seconds(Clock::now() - began).count();
}

void NodeRun::evaluate_splits() {
    auto plan = plan_.evaluations.begin();
    if (data_.splits.validation && data_.splits.validation->size() > 0)
        epoch_.record.validation = evaluate(*data_.splits.validation, *plan++);
    if (data_.splits.test.size() > 0) epoch_.record.test = evaluate(data_.splits.test, *plan);
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
         .steps = plan_.steps,
         .loss = sums.loss_sum / examples,
         .accuracy = static_cast<double>(sums.correct) / examples,
         .examples_per_second =
             elapsed > 0.0 ? static_cast<double>(epoch_.examples_of_all_nodes) / elapsed : 0.0});
}

void NodeRun::finish() {
    sampler_.stop();
    NodeRecords records;
    records.system = take_samples();
    records.summaries.push_back(so_far());
    reporter_.records(std::move(records));
}

void run_node(const NodeAssignment& assignment, Communicator& communicator, NodeReporter& reporter) {
    reporter.progress({.rank = assignment.rank, .phase = "read", .epochs = assignment.spec.epochs});
    NodeRun(assignment, communicator, reporter).run();
}

}  // namespace convoy
