#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>

#include "base/descriptor.hpp"
#include "cluster/child_output.hpp"
#include "cluster/node_starter.hpp"
#include "hosts/child_process.hpp"

namespace convoy {

/// Tells how a process of a node ended, from its end and what it wrote.
using DescribeEnd = std::function<NodeProcessEnd(const ProcessEnd& end, const ChildOutput& output)>;

/// Shows the lines of a process and tells its end to `watch`, unless its starter, which alone owns the
/// process, goes before. errors: the end for reading of the pipe to which the process writes its errors.
void watch_child(const boost::asio::any_io_executor& executor, const std::shared_ptr<ChildProcess>& process,
                 Descriptor errors, NodeWatch watch, DescribeEnd describe);

}  // namespace convoy
