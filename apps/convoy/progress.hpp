#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "cluster/launcher.hpp"

namespace convoy {

/// Progress on stderr: one line that rewrites itself on a terminal, one line an epoch elsewhere.
class ProgressLine final : public LaunchObserver {
  public:
    ProgressLine();
    void on_progress(const NodeProgress& progress) override;
    void on_notice(const std::string& line) override;
    /// Clears the line, so that what is printed next starts at its beginning.
    void clear();

  private:
    [[nodiscard]] std::string text(const NodeProgress& progress);

    bool terminal_;
    bool drawn_ = false;
    std::int64_t told_epoch_ = 0;
    std::int64_t first_step_ = -1;  ///< where the clock for the time left began
    TimePoint first_time_{};
};

}  // namespace convoy
