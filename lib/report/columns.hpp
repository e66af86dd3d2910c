#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "report/table.hpp"

/// The kinds of columns in reports: their unit for scripts, and their form for people.
namespace convoy::columns {

inline Column words(std::string name) {
    return {.name = std::move(name), .unit = "", .left = true, .shown = {}};
}
inline Column count(std::string name) {
    return {.name = std::move(name), .unit = "", .left = false, .shown = {}};
}
inline Column microseconds(std::string name) {
    return {.name = std::move(name), .unit = "us", .left = false, .shown = {}};
}
inline Column long_microseconds(std::string name) {
    return {.name = std::move(name), .unit = "us", .left = false, .shown = {"ms", 1e3, 1}};
}
inline Column seconds(std::string name) {
    return {.name = std::move(name), .unit = "s", .left = false, .shown = {"s", 1.0, 2}};
}
/// For times that may be short in comparison with the run.
inline Column seconds_in_ms(std::string name) {
    return {.name = std::move(name), .unit = "s", .left = false, .shown = {"ms", 1e-3, 1}};
}
inline Column percent(std::string name) {
    return {.name = std::move(name), .unit = "pct", .left = false, .shown = {}};
}
inline Column bytes(std::string name) {
    return {.name = std::move(name), .unit = "bytes", .left = false, .shown = {"MB", 1e6, 1}};
}
inline Column score(std::string name) {
    return {.name = std::move(name), .unit = "", .left = false, .shown = {"", 1.0, 4}};
}
inline Column rate(std::string name) {
    return {.name = std::move(name), .unit = "", .left = false, .shown = {"", 1.0, 1}};
}
/// An unsigned count as a cell; integers of cells are signed.
inline Cell integer(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}
/// A count that may not be known, as a cell.
inline Cell integer(const std::optional<std::uint64_t>& value) {
    return value ? integer(*value) : Cell();
}
/// part / whole in per cent as a cell; absent if whole is 0.
inline Cell share_pct(double part, double whole) {
    return whole > 0.0 ? Cell(100.0 * part / whole) : Cell();
}
/// A column that is left out if a terminal is too narrow, the sooner the greater the number.
inline Column detail(Column column, int number = 1) {
    column.detail = number;
    return column;
}

}  // namespace convoy::columns
