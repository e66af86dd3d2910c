#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convoy {

/// Describes this machine for environment.json: host name, processor (model, cores that this process may use,
/// vector extensions), memory, kernel, compiler, the commit and the options that convoy was built with,
/// versions and the date in UTC. versions: name to version, as the caller knows them (convoy, onednn). A
/// value that the system does not tell is null, with the reason beside it.
nlohmann::json environment_json(const std::map<std::string, std::string>& versions);

}  // namespace convoy
