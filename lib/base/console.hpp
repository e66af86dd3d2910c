#pragma once

#include <string_view>

namespace convoy {

/// The doors to standard output and standard error. Text for people leaves through them only, so no byte from
/// outside reaches a terminal as a control character (printable.hpp).

/// For the start of a program: opens closed standard descriptors, so that no other file takes their numbers
/// (writing to them still fails), and ignores SIGPIPE, so that a reader that goes away does not end a run.
void prepare_console();

/// Writes "convoy: LINE" and a line feed to standard error, at once, with printable(line). If standard error
/// cannot be written, it does nothing.
void say(std::string_view line);

/// As say, but without "convoy: ".
void say_plainly(std::string_view line);

/// Replaces the last line of a terminal on standard error by printable(line); if it is empty, the next text
/// begins there.
void draw_line(std::string_view line);

/// Fills a terminal on standard output, from its upper left corner, with printable_lines(text), and clears
/// the rest.
void draw_screen(std::string_view text);

/// Writes printable_lines(text) to standard output. A reader that has gone away is no error. Throws
/// OutputError if standard output is closed or cannot be written; kept: ends the message, to say where
/// results are all the same.
void print(std::string_view text, std::string_view kept = {});

}  // namespace convoy
