#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "job/fingerprints.hpp"

namespace convoy::test {

/// Where the threads of a cluster compare fingerprints, as nodes do through the launcher.
class Agreement {
  public:
    Agreement(std::int64_t nodes, Clock::duration deadline)
        : said_(static_cast<std::size_t>(nodes)), deadline_(deadline) {}

    /// Returns once every rank has spoken and all agree. May be called several times: the n-th call of one
    /// rank meets the n-th of the others. Throws DisagreementError that names a topic on which a rank
    /// differs, NodeLostError that names a rank that has left without a word, DeadlineError where a rank says
    /// nothing in time.
    void agree(std::int64_t rank, const Fingerprints& fingerprints);
    /// A rank that will say nothing any more.
    void leave(std::int64_t rank);

  private:
    /// The ranks that have not spoken in this round.
    [[nodiscard]] std::vector<std::int64_t> silent(std::size_t round) const;

    std::mutex mutex_;  // guards all below
    std::condition_variable changed_;
    std::vector<std::vector<Fingerprints>> said_;  // by rank and round
    std::set<std::int64_t> left_;
    Clock::duration deadline_;
};

}  // namespace convoy::test
