#pragma once

#include <string>
#include <string_view>

namespace convoy {

/// convoy's version, for instance "0.1.0". It is the version of the project in the top CMakeLists.txt.
std::string_view version();

/// The commit of the sources from which this program was built: the first twelve digits. "-dirty-" and eight
/// digits of a hash follow if files of the program differed from the commit. "unknown" if the sources were no
/// Git checkout.
std::string_view commit();

/// The compiler's options that decide how fast the program is: build type, flags, target, sanitizers.
std::string_view build_options();

/// Version and commit: "0.1.0 (8d3e21a0b4c5)".
std::string version_text();

/// Version, commit and build options, as programs of one run compare them: "0.1.0 (8d3e21a0b4c5; Release
/// -O3)".
std::string build_text();

}  // namespace convoy
