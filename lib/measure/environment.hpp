#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace convoy {

/// What figures of this machine depend on, for environment.json: host name, processor (model, cores that this
/// process may use, vector extensions), memory, kernel, compiler, versions (name to version, as the caller
/// knows them: convoy, onednn) and the date in UTC. What the system does not tell is null with the reason
/// beside it.
nlohmann::json environment_json(const std::map<std::string, std::string>& versions);

}  // namespace convoy
