#pragma once

#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "cluster/launcher.hpp"
#include "joining.hpp"

namespace convoy {

/// Progress on stderr: one line that rewrites itself on a terminal, one line an epoch elsewhere.
class ProgressLine final : public LaunchObserver {
  public:
    /// joining: says how nodes join; null: nobody needs to know.
    explicit ProgressLine(const Joining* joining = nullptr);
    void on_listening(const std::string& endpoint) override;
    void on_progress(const NodeProgress& progress) override;
    void on_notice(const std::string& line) override;
    /// Clears the line, so that what is printed next starts at its beginning.
    void clear();

  private:
    const Joining* joining_;
    [[nodiscard]] std::string text(const NodeProgress& progress);

    bool terminal_;
    bool drawn_ = false;
    std::int64_t told_epoch_ = 0;
    std::int64_t first_step_ = -1;  ///< where the clock for the time left began
    TimePoint first_time_{};
};

}  // namespace convoy
