/* A peer of scripts/bench-peers --allreduce: MPI_Allreduce of floats in place, measured as `convoy bench
   allreduce` measures: sums of each size are checked before and behind the timed ones; timed sums add zeros,
   one directly behind the other; each begins with a barrier, and its time is that of the slowest rank. Prints
   "BYTES MICROSECONDS", the median over the iterations, for each size.
   usage: mpirun -np N mpi_allreduce BYTES... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { warm_up = 5, fewest = 20, most = 500 };

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static int iterations_of(size_t bytes) {
    const size_t wanted = ((size_t)256 << 20) / bytes;
    return wanted < fewest ? fewest : wanted > most ? most : (int)wanted;
}

/* Seconds that this rank took. */
static double reduce_once(float* buffer, size_t count) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, buffer, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return MPI_Wtime() - began;
}

static void check(float* buffer, size_t count, int rank, int ranks, int iteration) {
    for (size_t i = 0; i < count; ++i) buffer[i] = (float)((i + (size_t)iteration + (size_t)rank) & 15);
    reduce_once(buffer, count);
    for (size_t i = 0; i < count; ++i) {
        size_t sum = 0;
        for (int r = 0; r < ranks; ++r) sum += (i + (size_t)iteration + (size_t)r) & 15;
        if (buffer[i] != (float)sum) MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Small sums for a tenth of a second of rank 0's clock, so that the kernel has found each rank its core. */
static void settle(int rank) {
    const double began = MPI_Wtime();
    for (int more = 1; more > 0;) {
        more = rank == 0 && MPI_Wtime() - began < 0.1;
        MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
}

int main(int argc, char** argv) {
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    settle(rank);
    for (int size = 1; size < argc; ++size) {
        const size_t bytes = strtoull(argv[size], NULL, 10), count = bytes / sizeof(float);
        float* buffer = malloc(bytes);
        double times[most];
        const int iterations = iterations_of(bytes);
        for (int i = 0; i < warm_up; ++i) check(buffer, count, rank, ranks, i);
        memset(buffer, 0, bytes);
        for (int i = 0; i < iterations; ++i) times[i] = reduce_once(buffer, count);
        check(buffer, count, rank, ranks, warm_up);
        MPI_Allreduce(MPI_IN_PLACE, times, iterations, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        qsort(times, (size_t)iterations, sizeof *times, ascending);
        if (rank == 0) printf("%zu %.1f\n", bytes, times[iterations / 2] * 1e6);
        free(buffer);
    }
    MPI_Finalize();
}
