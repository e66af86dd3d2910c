#include "measure/proc.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace convoy;

TEST_CASE("processor time of a process whose name looks like fields") {
    const auto times = parse_process_stat(
        "4711 (a) b (c) R 1 4711 4711 0 -1 4194304 102 0 0 0 250 50 7 9 20 0 3 0 137968 3133440 418\n",
        100.0);
    CHECK(times.user_s == 2.5);
    CHECK(times.system_s == 0.5);
    CHECK_THROWS_AS(parse_process_stat("4711 (a) R 1 2 3\n", 100.0), DataError);
    CHECK_THROWS_AS(parse_process_stat("", 100.0), DataError);
    CHECK_THROWS_AS(parse_process_stat("1 (a) R 1 1 1 0 -1 4194304 102 0 0 0 x 50 7 9\n", 100.0), DataError);
}

TEST_CASE("memory of a process") {
    const auto memory = parse_process_status(
        "Name:\tconvoy\nVmPeak:\t    9999 kB\nVmHWM:\t    1760 kB\nVmRSS:\t     1500 kB\nThreads:\t3\n");
    CHECK(memory.resident_bytes == 1500U * 1024);
    CHECK(memory.peak_resident_bytes == 1760U * 1024);
    CHECK_THROWS_AS(parse_process_status("Name:\tconvoy\nVmRSS:\t1500 kB\n"), DataError);
    CHECK_THROWS_AS(parse_process_status("VmHWM:\t1760 pages\nVmRSS:\t1500 kB\n"), DataError);
}

TEST_CASE("idling and waiting for disks are shares of all processor time") {
    // user nice system idle iowait irq softirq steal guest guest_nice
    const auto times = parse_machine_stat("cpu  100 1 20 700 50 2 3 4 60 0\ncpu0 1 2 3 4 5 6 7 8 9 10\n");
    CHECK(times.idle == 700.0);
    CHECK(times.iowait == 50.0);
    CHECK(times.total == 880.0);
    CHECK(times.busy == 121.0);
    CHECK(times.steal == 4.0);
    CHECK_THROWS_AS(parse_machine_stat("cpu 1 2 3\n"), DataError);
    CHECK_THROWS_AS(parse_machine_stat("intr 1 2 3 4 5 6 7 8 9 10\n"), DataError);
}

TEST_CASE("processor and memory of a machine") {
    const auto intel = parse_cpuinfo(
        "processor\t: 0\nmodel name\t: Some CPU @ 2.00GHz\nflags\t\t: fpu avx avx2\n\nprocessor\t: 1\n");
    CHECK(intel.model == "Some CPU @ 2.00GHz");
    CHECK(intel.flags == "fpu avx avx2");
    const auto arm = parse_cpuinfo("processor\t: 0\nFeatures\t: fp asimd\n");
    CHECK(arm.model.empty());
    CHECK(arm.flags == "fp asimd");
    CHECK(parse_memory_total("MemTotal:       24684100 kB\nMemFree: 1 kB\n") == 24684100ULL * 1024);
    CHECK_THROWS_AS(parse_memory_total("MemFree: 1 kB\n"), DataError);
    CHECK(parse_memory_used("MemTotal: 100 kB\nMemFree: 1 kB\nMemAvailable: 30 kB\n") == 70ULL * 1024);
    CHECK(parse_memory_used("MemTotal: 100 kB\nMemAvailable: 130 kB\n") == 0U);
    CHECK_THROWS_AS(parse_memory_used("MemTotal: 100 kB\n"), DataError);
}

TEST_CASE("the frequency of a machine is the mean of its processors, where the file tells it") {
    CHECK(parse_frequency_mhz(
              "processor\t: 0\ncpu MHz\t\t: 2000.500\n\nprocessor\t: 1\ncpu MHz\t\t: 1000.5\n") == 1500.5);
    CHECK_FALSE(parse_frequency_mhz("processor\t: 0\nFeatures\t: fp asimd\n"));
    CHECK_THROWS_AS(parse_frequency_mhz("cpu MHz\t\t: fast\n"), DataError);
}

TEST_CASE("a thread's waiting time is the second field, and a kernel that counts none has no slices") {
    CHECK(parse_thread_wait("23456 789 12\n") == 789U);
    CHECK(parse_thread_wait("0 0 1\n") == 0U);
    CHECK_FALSE(parse_thread_wait("0 0 0\n"));
    CHECK_THROWS_AS(parse_thread_wait("1 2\n"), DataError);
    CHECK_THROWS_AS(parse_thread_wait("1 -2 3\n"), DataError);
    CHECK_THROWS_AS(parse_thread_wait(""), DataError);
}

TEST_CASE("the load average is that of one minute") {
    CHECK(parse_load_average("7.03 4.89 3.57 11/143 4295\n") == 7.03);
    CHECK_THROWS_AS(parse_load_average("\n"), DataError);
    CHECK_THROWS_AS(parse_load_average("-1.0 2 3\n"), DataError);
}

TEST_CASE("memory that is available counts with the swap that is free") {
    CHECK(parse_memory_available(
              "MemTotal:  900 kB\nMemFree: 1 kB\nMemAvailable:  200 kB\nSwapFree: 30 kB\n") == 230 * 1024);
    CHECK(parse_memory_available("MemAvailable:  200 kB\n") == 200 * 1024);
    CHECK_THROWS_AS(parse_memory_available("MemTotal: 900 kB\n"), DataError);
}

TEST_CASE("a number of a control group is found by its whole key") {
    const std::string_view text =
        "total_inactive_file 7\ninactive_file_pages 5\ninactive_file 3\nempty\nlast 2";
    CHECK(parse_group_statistic(text, "inactive_file") == 3U);
    CHECK(parse_group_statistic(text, "last") == 2U);
    CHECK_FALSE(parse_group_statistic(text, "active_file"));
    CHECK_FALSE(parse_group_statistic(text, "empty"));
    CHECK_THROWS_AS(parse_group_statistic("last two\n", "last"), DataError);
}

TEST_CASE("this machine's own files are understood") {
    CHECK(parse_process_stat(read_proc("/proc/self/stat"), 100.0).user_s >= 0.0);
    const auto memory = parse_process_status(read_proc("/proc/self/status"));
    CHECK(memory.resident_bytes > 0);
    CHECK(memory.peak_resident_bytes >= memory.resident_bytes);
    CHECK(parse_machine_stat(read_proc("/proc/stat")).total > 0.0);
    CHECK_THROWS_AS(read_proc("/proc/none-such"), MissingFileError);
}
