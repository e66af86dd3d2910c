#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "cluster/history_plan.hpp"
#include "cluster/membership.hpp"
#include "cluster/simulated_links.hpp"
#include "cluster/simulated_members.hpp"
#include "cluster/virtual_time.hpp"

/// What the machine and its workers take for the deadline of a run.
inline constexpr double simulated_deadline_s = 2.0;

/// Plays one history against the membership machine: workers, strangers and the network are simulated in
/// virtual time, and the machine's actions are checked against the rules of a run. In each step the workers
/// sum with the code of real runs, over links that delay each send and receive by a time drawn from the seed.
class SimulatedRun {
  public:
    /// verbose: keeps a line for each event and action.
    explicit SimulatedRun(HistoryPlan plan, bool verbose = false);

    /// Plays to the end. Call it once.
    void play();
    /// The rules that were broken; empty where all is well.
    [[nodiscard]] const std::vector<std::string>& violations() const { return violations_; }
    [[nodiscard]] const std::vector<std::string>& log() const { return log_; }

  private:
    struct Worker {
        std::size_t index = 0;
        std::int64_t place = 0;  ///< its first rank, or that of the worker that it replaces
        bool by_hand = false;
        bool alive = false, hung = false, stalled = false, cut = false;
        std::optional<convoy::ConnectionId> link;
        std::optional<std::int64_t> rank;  ///< once it has its work
        bool stopping = false;             ///< was asked to stop
        std::optional<std::int64_t> last;  ///< the step after which it stops
        bool between_steps = false;        ///< waits to begin a step
        bool at_barrier = false;           ///< its part of the step's sum is under way
        bool lost_a_peer = false, failed = false, done = false;
        bool checkpoint_on_its_way = false, wants_checkpoint = false;
        std::int64_t begun = 0;
        double moved_s = 0.0;        ///< when it last sent or received a part of a sum
        std::int64_t committed = 0;  ///< the last step whose sum it had
        bool suspended = false;      ///< it waits for another membership
        bool greeted_again = false;  ///< it has said hello to that membership
        bool agreeing = false;       ///< it waits for the others' fingerprints
        bool has_state = false;      ///< it has had work
        bool gone = false;           ///< it is no part of the last membership
        bool pausing = false;        ///< it was asked to stand still
        double busy_us = 0.0;        ///< its job's processor time
        std::optional<std::int64_t> pause_after;
    };
    struct Link {
        std::optional<std::size_t> worker;  ///< absent: a stranger's
        bool open = true;                   ///< as far as the machine can know
        bool admitted = false;
        double up_at_s = 0.0, down_at_s = 0.0;  ///< when the last message each way arrives
        double opened_at_s = 0.0;
        Stranger stranger = Stranger::silent;
        int last_words = 0;
        bool told_to_suspend = false;
    };

    // The world (simulated_run.cpp)
    /// Lets the next thing happen, and all that follows from it on the links.
    void take_next();
    double delay(double slowest_s) { return std::uniform_real_distribution<double>(0, slowest_s)(engine_); }
    /// This time, or the end of the launcher's standstill if the launcher stands still then.
    [[nodiscard]] double awake_at(double time_s) const;
    void tell(convoy::MembershipEvent event);
    void tell_through(convoy::ConnectionId link, convoy::MembershipEvent event);
    void to_worker(convoy::ConnectionId link, std::function<void(Worker&)> hear);
    void perform_all(const convoy::MembershipActions& actions);
    void perform(const convoy::action::Start& start);
    void perform(const convoy::action::EndProcess& end);
    void perform(const convoy::action::CloseDoor& close);
    void perform(const convoy::action::Admit& admit);
    void perform(const convoy::action::Refuse& refuse);
    void perform(const convoy::action::Close& close);
    void perform(const convoy::action::Send& send);
    void perform(const convoy::action::Assign& assign);
    void perform(const convoy::action::TakeRecords& take);
    void perform(const convoy::action::TakeWeights& take);
    void perform(const convoy::action::TakeCheckpoint& take);
    void perform(const convoy::action::TakeState& take);
    void perform(const convoy::action::KeepCheckpoint& keep);
    void perform(const convoy::action::ShowProgress& show);
    void perform(const convoy::action::TellLost& tell);
    void perform(const convoy::action::TellFault& tell);
    void perform(const convoy::action::TellAgreed& tell);
    void perform(const convoy::action::Notice& notice);
    /// Begins the next membership, if the last one is over since its nodes change.
    void go_on();
    void regroup(const convoy::Regrouping& regrouping);
    [[nodiscard]] convoy::MembershipOptions options_after(const convoy::Regrouping& regrouping) const;
    /// Another process is started in the place of a lost worker. It waits to join after a while.
    void replace(const Worker& lost);
    /// The rank of a worker now. Absent: it is no part of the last membership.
    [[nodiscard]] std::optional<std::int64_t> current_rank(const Worker& worker) const {
        return members_.rank_of(worker.index);
    }
    [[nodiscard]] Worker& worker_at(std::int64_t rank) { return workers_.at(members_.worker_at(rank)); }
    void stranger_comes(Stranger kind);
    /// Puts the bug of the plan into the actions of the machine.
    [[nodiscard]] convoy::MembershipActions spoiled(convoy::MembershipActions actions) const;
    [[nodiscard]] convoy::Regrouping spoiled(convoy::Regrouping regrouping) const;
    void violate(std::string text);
    void note(const std::string& line);

    // The workers (simulated_worker.cpp)
    void appear(Worker& worker);
    void say(Worker& worker, convoy::MemberMessage message);
    void say_hello(Worker& worker);
    void hear(Worker& worker, const convoy::LauncherMessage& message);
    void get_work(Worker& worker, std::int64_t rank);
    void go_on(Worker& worker);
    void begin_step(Worker& worker);
    void finish(Worker& worker, bool stopped);
    void report_lost_peer(Worker& worker, convoy::ExitCode code);
    void hear_suspend(Worker& worker);
    void stand_still(Worker& worker, std::optional<convoy::messages::Problem> reason);
    void die(Worker& worker, const std::string& how, bool well);
    /// Does the worker's fault, if it is due at this stage. Whether it may not go on.
    bool suffer(Worker& worker, std::int64_t stage);
    /// The fault of a worker. A plan has at most one for each.
    [[nodiscard]] const PlannedFault* planned_fault(const Worker& worker) const;
    [[nodiscard]] std::optional<Fault> fault_of(const Worker& worker) const;
    /// The fault of the worker that is due at this stage.
    [[nodiscard]] std::optional<Fault> due_fault(const Worker& worker, std::int64_t stage) const;
    /// Whether the worker's fault comes while it sums in this step, and not before. Drawn.
    [[nodiscard]] bool suffers_amid_sum(const Worker& worker);

    // The sums (simulated_sums.cpp)
    /// Links between the workers of this membership. A worker that hangs takes no turn on them.
    [[nodiscard]] std::unique_ptr<SimulatedLinks> new_links();
    /// The longest time for which a call on a link waits for its turn.
    [[nodiscard]] double slowest_turn_s() const;
    void arrive(Worker& worker);
    /// Reports the deadline, if the worker's sum does not move for so long.
    void watch_sum(Worker& worker);
    [[nodiscard]] bool may_stand_still(const Worker& waiting) const;
    void end_sum(Worker& worker, float sum, convoy::ExitCode code);
    void leave_barrier(Worker& worker);
    void close_links(const Worker& worker);
    /// At the end of a membership: all its sums must end.
    void close_all_links();

    // The rules (history_rules.cpp)
    void check_notice();
    void check_regrouping(const convoy::Regrouping& regrouping);
    /// A run that changes its nodes ends with an error only if nobody could go on.
    void check_may_fail();
    void check_end();
    void check_verdict();
    void check_lost(const convoy::MembershipVerdict& verdict);
    void check_undisturbed();
    void check_blame(const std::string& message);
    /// Remembers the first evidence of a failure, and the first of a cause.
    void note_evidence(const convoy::MembershipEvent& event);

    HistoryPlan plan_;
    bool verbose_;
    std::mt19937_64 engine_;
    convoy::Membership membership_;
    std::deque<Worker> workers_;
    SimulatedMembers members_;
    std::map<convoy::ConnectionId, Link> links_;
    VirtualTime time_;
    convoy::ConnectionId last_link_ = 0;

    // What the rules need
    std::vector<std::string> violations_, log_;
    bool door_open_ = true;
    bool assigned_ = false, signalled_before_assigned_ = false, ending_ = false;
    bool agreed_once_ = false;
    bool results_came_ = false, stop_wanted_ = false;
    int signals_ = 0, events_ = 0;
    std::int64_t kept_step_ = 0;
    std::optional<std::int64_t> state_of_step_;              ///< a state that a worker gave for others
    std::map<std::int64_t, std::int64_t> told_checkpoints_;  ///< by rank
    std::set<std::int64_t> suffered_;                        ///< workers whose fault happened
    double last_fault_s_ = 0.0;
    std::optional<double> first_evidence_s_;
    struct Cause {
        double at_s;
        std::size_t worker;
    };
    std::optional<Cause> first_cause_;
    std::optional<convoy::LostNode> lost_;    ///< that the user was told of
    std::multiset<std::int64_t> ranks_lost_;  ///< of which the user was told, of this membership

    bool links_closed_ = false;                         ///< of a worker of this membership
    std::unique_ptr<SimulatedLinks> links_of_members_;  ///< the last member, since its sums end with it
};
