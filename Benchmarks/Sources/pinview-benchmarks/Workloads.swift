import BenchmarkRunner

// One workload, while working on it (the last line of the output is a table with the ratio to C by hand in bold):
//
//     make bench-data
//     swift build -c release --package-path Benchmarks --scratch-path .build/benchmarks
//     PINVIEW_BENCHMARK_DATA=.build/benchmarks .build/benchmarks/release/pinview-benchmarks workloads w1-read-all --quick
//
// Its numbers of calls and instructions, which do not wobble, from one peer alone in a folder with a copy of the store:
//
//     valgrind --tool=callgrind .build/benchmarks/release/pinview-benchmarks cell w1-read-all swift FOLDER limit=20000

/// The workloads of Workloads.md, beside C by hand.
let workloads = Group(
    "workloads",
    columns: [("raw", "C by hand"), ("swift", "Pinview, Swift")],
    workloads: [
        readAll, readColumns, readSorted, readByKey, follow, prefetch, insert, insertWithHistory, update, delete, count, bulkUpdate,
        snapshots, memory, twoThreads, latency,
    ])
