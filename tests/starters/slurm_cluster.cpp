#include "starters/slurm_cluster.hpp"

#include <pwd.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>

#include "cluster/world_address.hpp"
#include "end_to_end/small_experiment.hpp"
#include "starters/free_port.hpp"

namespace convoy::test {

namespace fs = std::filesystem;

namespace {

std::string own_user_name() {
    const auto* const user = ::getpwuid(::geteuid());
    if (user == nullptr) throw std::runtime_error("this user has no name");
    return user->pw_name;
}

/// The name that Slurm's daemons look for in their configuration.
std::string short_host_name() {
    const auto name = own_host_name();
    return name.substr(0, name.find('.'));
}

void write_munge_key(const fs::path& file) {
    std::random_device random;
    std::string key;
    for (int i = 0; i < 128; ++i) key += static_cast<char>(random());
    std::ofstream(file, std::ios::binary) << key;
    fs::permissions(file, fs::perms::owner_read);
}

}  // namespace

SlurmCluster::SlurmCluster() : controller_port_(free_port()), host_port_(free_port()) {
    for (const auto* name : {"state", "spool"}) fs::create_directory(folder_ / name);
    write_munge_key(folder_ / "munge.key");
    write_configuration();
    const auto file = [this](const std::string& name) { return (folder_ / name).string(); };
    environment_ = std::make_unique<Environment>(
        std::vector<std::pair<std::string, std::string>>{{"SLURM_CONF", file("slurm.conf")}});
    munged_ = std::make_unique<Daemon>(
        std::vector<std::string>{path_of_program("munged"), "--foreground", "--force",
                                 "--socket=" + file("munge.sock"), "--key-file=" + file("munge.key"),
                                 "--pid-file=" + file("munge.pid"), "--seed-file=" + file("munge.seed"),
                                 "--log-file=" + file("munge.log")},
        folder_ / "munged.out");
    munged_->wait_until([this] { return fs::exists(folder_ / "munge.sock"); });
    controller_ = std::make_unique<Daemon>(
        std::vector<std::string>{path_of_program("slurmctld"), "-D", "-c", "-f", file("slurm.conf")},
        folder_ / "slurmctld.out");
    controller_->wait_until([this] { return is_listening(controller_port_); });
    host_ = std::make_unique<Daemon>(
        std::vector<std::string>{path_of_program("slurmd"), "-D", "-c", "-f", file("slurm.conf")},
        folder_ / "slurmd.out");
    host_->wait_until([] { return run_words({path_of_program("sinfo"), "-h", "-o", "%T"}).out == "idle\n"; });
}

void SlurmCluster::write_configuration() const {
    const auto folder = folder_.path().string();
    const auto host = short_host_name();
    const auto user = own_user_name();
    std::ofstream(folder_ / "cgroup.conf") << "CgroupPlugin=cgroup/v1\n";
    std::ofstream(folder_ / "slurm.conf")
        << "ClusterName=test\nSlurmctldHost=" << host << "(127.0.0.1)\nSlurmctldPort=" << controller_port_
        << "\nSlurmdPort=" << host_port_ << "\nAuthType=auth/munge\nAuthInfo=socket=" << folder
        << "/munge.sock\nCredType=cred/munge\nSlurmUser=" << user << "\nSlurmdUser=" << user
        << "\nStateSaveLocation=" << folder << "/state\nSlurmdSpoolDir=" << folder
        << "/spool\nSlurmctldPidFile=" << folder << "/slurmctld.pid\nSlurmdPidFile=" << folder
        << "/slurmd.pid\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\n"
           "JobAcctGatherType=jobacct_gather/none\nSchedulerType=sched/builtin\nSelectType=select/cons_tres\n"
           "SelectTypeParameters=CR_Core\nSlurmdParameters=config_overrides\nMpiDefault=none\n"
           "ReturnToService=2\nKillWait=5\nNodeName="
        << host
        << " NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN\nPartitionName=all Nodes=ALL Default=YES State=UP\n";
}

ProgramOutcome SlurmCluster::run_script(const std::string& script, std::vector<std::string> options) const {
    const auto log = folder_ / "script.out";
    std::vector<std::string> words{path_of_program("sbatch"), "--wait", "--output=" + log.string()};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(folder_.write("script", "#!/bin/bash\n" + script).string());
    auto outcome = run_words(words);
    if (fs::exists(log)) outcome.out = text_of(log);
    return outcome;
}

}  // namespace convoy::test
