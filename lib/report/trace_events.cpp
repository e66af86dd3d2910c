#include "report/trace_events.hpp"

#include "base/json_text.hpp"

namespace convoy {

using nlohmann::json;

TraceEvents::TraceEvents(const std::function<void(std::string_view)>& write, std::int64_t origin_ns)
    : write_(write), origin_ns_(origin_ns) {
    write_(R"({"displayTimeUnit":"ms","traceEvents":[)");
}

void TraceEvents::put(const json& event) {
    write_(std::exchange(empty_, false) ? "\n" : ",\n");
    write_(json_text(event));
}

void TraceEvents::metadata(const char* what, const TraceThread& of, json arguments) {
    put({{"ph", "M"},
         {"name", what},
         {"pid", of.process},
         {"tid", of.thread},
         {"args", std::move(arguments)}});
}

void TraceEvents::slice(const TraceThread& on, const TraceTime& time, const SliceText& text, json arguments) {
    json event{{"ph", "X"},
               {"name", text.name},
               {"cat", text.category},
               {"pid", on.process},
               {"tid", on.thread},
               {"ts", us(time.start_ns)},
               {"dur", static_cast<double>(time.end_ns - time.start_ns) / 1e3},
               {"args", std::move(arguments)}};
    if (!text.colour.empty()) event["cname"] = text.colour;
    put(event);
}

void TraceEvents::flow(FlowPart part, std::int64_t number, std::string_view name, const TraceThread& on,
                       std::int64_t at_ns) {
    json event{{"ph", part == FlowPart::begin  ? "s"
                      : part == FlowPart::step ? "t"
                                               : "f"},
               {"name", name},
               {"cat", "exchange"},
               {"id", number},
               {"pid", on.process},
               {"tid", on.thread},
               {"ts", us(at_ns)}};
    // Without it, an arrow ends in the next slice.
    if (part == FlowPart::end) event["bp"] = "e";
    put(event);
}

void TraceEvents::counter(std::string_view name, std::int64_t process, std::int64_t at_ns, json values) {
    put({{"ph", "C"}, {"name", name}, {"pid", process}, {"ts", us(at_ns)}, {"args", std::move(values)}});
}

void TraceEvents::finish(const json& other) {
    write_("\n],\"otherData\":");
    write_(json_text(other));
    write_("}\n");
}

}  // namespace convoy
