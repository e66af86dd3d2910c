#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "report/trace_clock.hpp"

/// Included only by the sources of the trace.
namespace convoy {

/// A thread of a trace: a row of slices that are nested or apart.
struct TraceThread {
    std::int64_t process = 0, thread = 0;
};

/// The texts of a slice.
struct SliceText {
    std::string name;
    std::string_view category;
    std::string_view colour = {};  ///< a name of chrome://tracing's palette; empty: it chooses one
};

/// The place of an event in an arrow from slice to slice.
enum class FlowPart : std::uint8_t { begin, step, end };

/// Writes events of Chrome's trace event format, one a line, so that a file can be looked at, and cut, with
/// line tools. Times are nanoseconds behind the origin.
class TraceEvents {
  public:
    /// write: takes one piece of the file after another. It must outlive this object.
    TraceEvents(const std::function<void(std::string_view)>& write, std::int64_t origin_ns);

    /// A name or a place of a process or a thread.
    void metadata(const char* what, const TraceThread& of, nlohmann::json arguments);
    void slice(const TraceThread& on, const TraceTime& time, const SliceText& text, nlohmann::json arguments);
    /// A part of an arrow. It belongs to the innermost slice of the thread at this time, which must have been
    /// written. All parts of an arrow have its number; no other arrow has it.
    void flow(FlowPart part, std::int64_t number, std::string_view name, const TraceThread& on,
              std::int64_t at_ns);
    /// Values that hold until the next event of this name and process.
    void counter(std::string_view name, std::int64_t process, std::int64_t at_ns, nlohmann::json values);
    /// Ends the file. other: what viewers show of the whole trace.
    void finish(const nlohmann::json& other);

    /// A number for an arrow.
    [[nodiscard]] std::int64_t new_flow() { return ++flows_; }

  private:
    [[nodiscard]] double us(std::int64_t ns) const { return static_cast<double>(ns - origin_ns_) / 1e3; }
    void put(const nlohmann::json& event);

    const std::function<void(std::string_view)>& write_;
    std::int64_t origin_ns_;
    std::int64_t flows_ = 0;
    bool empty_ = true;
};

}  // namespace convoy
