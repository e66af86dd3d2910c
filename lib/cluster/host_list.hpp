#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// A host of a list, with room for so many nodes.
struct HostSlots {
    std::string host;  ///< as ssh takes it: a name, an address, or USER@HOST
    std::int64_t slots = 1;
    bool operator==(const HostSlots&) const = default;
};

/// Parses a list as "a:2,b:2,user@c": hosts with their slots, 1 without a number. An IPv6 address is in
/// brackets, [fe80::1]:2. Throws UsageError.
std::vector<HostSlots> parse_host_list(std::string_view text);

/// Reads a file with a host on each line: "a slots=2", "a:2" or "a". What follows a # is a comment. Throws
/// MissingFileError, or a UsageError that names the line.
std::vector<HostSlots> read_host_file(const std::filesystem::path& file);

/// The place of each rank, as an index of `hosts`. Nodes fill the slots in the order of the list; ranks
/// behind the nodes, which a strategy adds, go to the hosts in turn. Throws DisagreementError if there are
/// fewer slots than nodes.
std::vector<std::size_t> places_of_ranks(const std::vector<HostSlots>& hosts, std::int64_t nodes,
                                         std::int64_t ranks);

}  // namespace convoy
