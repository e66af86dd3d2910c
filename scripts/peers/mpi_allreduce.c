/* A peer of scripts/bench-peers --allreduce: MPI_Allreduce of floats in place, measured as `convoy bench
   allreduce` measures: every iteration begins with a buffer just filled and a barrier, its time is that of
   the slowest rank, and the sum is checked. Prints "BYTES MICROSECONDS", the median over the iterations, for
   each size. usage: mpirun -np N mpi_allreduce BYTES... */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { warm_up = 5, fewest = 20, most = 500 };

static int ascending(const void* a, const void* b) {
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static int iterations_of(size_t bytes) {
    const size_t wanted = ((size_t)256 << 20) / bytes;
    return wanted < fewest ? fewest : wanted > most ? most : (int)wanted;
}

/* Seconds that the slowest rank took. */
static double reduce_once(float* buffer, size_t count, int rank, int ranks, int iteration) {
    for (size_t i = 0; i < count; ++i) buffer[i] = (float)((i + (size_t)iteration + (size_t)rank) & 15);
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    MPI_Allreduce(MPI_IN_PLACE, buffer, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    double taken = MPI_Wtime() - began, slowest = 0;
    MPI_Allreduce(&taken, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (size_t i = 0; i < count; ++i) {
        size_t sum = 0;
        for (int r = 0; r < ranks; ++r) sum += (i + (size_t)iteration + (size_t)r) & 15;
        if (buffer[i] != (float)sum) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return slowest;
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
        for (int i = -warm_up; i < iterations; ++i) {
            const double taken = reduce_once(buffer, count, rank, ranks, i + warm_up);
            if (i >= 0) times[i] = taken;
        }
        qsort(times, (size_t)iterations, sizeof *times, ascending);
        if (rank == 0) printf("%zu %.1f\n", bytes, times[iterations / 2] * 1e6);
        free(buffer);
    }
    MPI_Finalize();
}
