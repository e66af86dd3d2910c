#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "report/step_charts.hpp"
#include "report/time_unit.hpp"

namespace convoy {

namespace {

/// Narrower pieces are drawn together, in units of the chart.
constexpr double least_piece_width = 1.5;
constexpr double lane_height = 9.0;

using OperatorName = std::pair<std::string, std::string>;

/// The tone of each operator of the run.
std::map<OperatorName, Tone> tones_of(const std::vector<OperatorRecord>& operators) {
    std::map<OperatorName, Tone> tones;
    for (const auto& row : operators) {
        if (row.phase != RunPhase::train) continue;
        const auto tone =
            is_communication(row) ? tone_of_part(StepPart::network) : tone_of_part(step_part_of(row));
        tones.try_emplace({row.operator_name, row.name}, tone);
    }
    return tones;
}

OperatorName name_of(const TimeLinePiece& piece) {
    return {piece.operator_name, piece.name};
}

/// When the last node began each exchange. Without exchanges of which a node has two in this step.
std::map<OperatorName, double> last_begins(const StepTimeLine& line) {
    std::map<OperatorName, double> begins;
    std::set<std::pair<std::int64_t, OperatorName>> seen;
    std::set<OperatorName> twice;
    for (const auto& lane : line.lanes) {
        if (lane.computes) continue;
        for (const auto& piece : lane.pieces) {
            if (!seen.emplace(lane.node, name_of(piece)).second) twice.insert(name_of(piece));
            auto& begin = begins[name_of(piece)];
            begin = std::max(begin, piece.from_us);
        }
    }
    std::erase_if(begins, [&twice](const auto& begin) { return twice.contains(begin.first); });
    return begins;
}

/// Joins pieces that are too narrow, so that a lane has no more pieces than can be seen.
class Joined {
  public:
    explicit Joined(double least_us) : least_us_(least_us) {}

    void add(const TimeLinePiece& piece, Tone tone) {
        const bool near = count_ > 0 && piece.from_us - to_us_ < least_us_;
        const bool short_yet = to_us_ - from_us_ < least_us_;
        if (!near || !short_yet) end();
        if (count_++ == 0) {
            from_us_ = piece.from_us;
            words_ = fmt::format("{} {}", piece.operator_name, piece.name);
        }
        to_us_ = count_ == 1 ? piece.to_us : std::max(to_us_, piece.to_us);
        us_of_tone_.at(static_cast<std::size_t>(tone)) += piece.to_us - piece.from_us;
    }

    std::vector<RowPiece> take(const TimeUnit& unit) {
        end();
        for (auto& piece : pieces_) {
            piece.words += fmt::format(": {:.3g} {}", (piece.to - piece.from) / unit.us, unit.name);
            piece.from /= unit.us;
            piece.to /= unit.us;
        }
        return std::move(pieces_);
    }

  private:
    void end() {
        if (count_ == 0) return;
        const auto longest = std::ranges::max_element(us_of_tone_);
        if (count_ > 1) words_ = fmt::format("{} operators", count_);
        pieces_.push_back({from_us_, to_us_, static_cast<Tone>(longest - us_of_tone_.begin()), words_});
        us_of_tone_ = {};
        count_ = 0;
        to_us_ = 0.0;
    }

    double least_us_;
    double from_us_ = 0.0, to_us_ = 0.0;
    std::size_t count_ = 0;
    std::array<double, static_cast<std::size_t>(Tone::ink) + 1> us_of_tone_{};
    std::string words_;
    std::vector<RowPiece> pieces_;
};

std::string description_of(const StepTimeLine& line) {
    auto text = fmt::format(
        "Step {}{}. The first row of a node: its operators, and its waiting. Below: exchanges in flight.",
        line.step, line.warm ? ", of median length" : ", one of the first; the trace has no later step");
    if (line.nodes_left_out > 0) text += fmt::format(" {} more nodes are left out.", line.nodes_left_out);
    return text;
}

}  // namespace

RowChart time_line_chart(const StepTimeLine& line, const std::vector<OperatorRecord>& operators,
                         double width) {
    double length_us = 0.0;
    for (const auto& lane : line.lanes)
        for (const auto& piece : lane.pieces) length_us = std::max(length_us, piece.to_us);
    const auto unit = time_unit(length_us);
    RowChart chart{.title = "One step of all nodes",
                   .description = description_of(line),
                   .x_title = fmt::format("{} since the step began on the first node", unit.name),
                   .row_height = lane_height};
    const auto tones = tones_of(operators);
    const auto begins = last_begins(line);
    std::array<bool, static_cast<std::size_t>(Tone::ink) + 1> used{};
    for (const auto& lane : line.lanes) {
        Joined joined(least_piece_width * length_us / width);
        for (auto piece : lane.pieces) {
            // A wait is for slower nodes until the last node has begun the exchange.
            const auto begin = lane.computes ? begins.find(name_of(piece)) : begins.end();
            if (begin != begins.end() && begin->second > piece.from_us) {
                auto for_nodes = piece;
                for_nodes.to_us = piece.from_us = std::min(begin->second, piece.to_us);
                joined.add(for_nodes, tone_of_part(StepPart::slower_nodes));
            }
            const auto tone = tones.find(name_of(piece));
            joined.add(piece, !lane.computes ? Tone::ink : tone == tones.end() ? Tone::grey : tone->second);
        }
        chart.rows.push_back(
            {.label = lane.computes ? fmt::format("node {}", lane.node) : "", .pieces = joined.take(unit)});
        for (const auto& piece : chart.rows.back().pieces)
            used.at(static_cast<std::size_t>(piece.tone)) = true;
    }
    for (std::size_t i = 0; i < step_part_count; ++i) {
        const auto part = static_cast<StepPart>(i);
        const auto tone = tone_of_part(part);
        if (used.at(static_cast<std::size_t>(tone)))
            chart.legend.emplace_back(tone, std::string(step_part_name(part)));
    }
    if (used.at(static_cast<std::size_t>(Tone::ink))) chart.legend.emplace_back(Tone::ink, "in flight");
    return chart;
}

}  // namespace convoy
