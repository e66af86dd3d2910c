#include "data/web_hdfs_servers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy::test {
namespace {

const std::string prefix = "/webhdfs/v1";

std::string path_of(const std::string& target) {
    return target.substr(0, target.find('?'));
}

/// The fields of a query.
std::map<std::string, std::string> query_of(const std::string& target) {
    std::map<std::string, std::string> fields;
    auto rest = target.find('?') == std::string::npos ? "" : target.substr(target.find('?') + 1);
    while (!rest.empty()) {
        const auto field = rest.substr(0, rest.find('&'));
        rest = field.size() < rest.size() ? rest.substr(field.size() + 1) : "";
        const auto equals = std::min(field.find('='), field.size() - 1);
        fields[field.substr(0, equals)] = field.substr(equals + 1);
    }
    return fields;
}

HttpAnswer refusal(const std::string& status, const std::string& exception) {
    return {http_answer(status, fmt::format(R"({{"RemoteException": {{"exception": "{}"}}}})", exception))};
}

}  // namespace

WebHdfsServers::WebHdfsServers(std::map<std::string, ServedFile> files)
    : files_(std::move(files)),
      datanode([this](const HttpRequest& request) -> HttpAnswer {
          auto query = query_of(request.target);
          const auto found = files_.find(path_of(request.target));
          if (found == files_.end() || query["op"] != "OPEN" || query["delegation"] != "block")
              return refusal("400 Bad Request", "IllegalArgumentException");
          const auto offset = query.contains("offset") ? std::stoull(query["offset"]) : 0;
          auto rest = found->second;
          if (offset > rest.content.size()) return refusal("403 Forbidden", "IOException");
          rest.content = rest.content.substr(offset);
          return {file_answer(rest, {.target = request.target})};
      }),
      namenode([this](const HttpRequest& request) -> HttpAnswer {
          auto query = query_of(request.target);
          const auto path = path_of(request.target);
          if (!path.starts_with(prefix) || query["op"] != "OPEN")
              return refusal("400 Bad Request", "IllegalArgumentException");
          if (query["user.name"] != "lab") return refusal("403 Forbidden", "AccessControlException");
          const auto file = path.substr(prefix.size());
          if (!files_.contains(file)) return refusal("404 Not Found", "FileNotFoundException");
          const auto offset = query.contains("offset") ? "&offset=" + query["offset"] : "";
          return {redirect_answer(datanode.address(file + "?op=OPEN&delegation=block" + offset))};
      }) {}

}  // namespace convoy::test
