import BenchmarkRunner

// One workload, while working on it (the last line of the output is a table with the ratio to C by hand in bold):
//
//     make bench-data
//     make bench-quick WORKLOADS=w1-read-all
//
// The calls and instructions of one peer, which do not wobble, in a folder with a copy of the store:
//
//     valgrind --tool=callgrind .build/benchmarks/release/pinview-benchmarks cell w1-read-all swift FOLDER limit=20000

private let native =
    [
        readAll, readColumns, readSorted, readByKey, follow, prefetch, insert, insertWithHistory, update, delete, count, bulkUpdate,
        snapshots, memory, twoThreads, latency, walk, walkPrefetched, tags, tagsPrefetched, smallSaves,
    ] + smallSavesVariants + [streams, upsert, liveList]

private let withoutGRDB = [insertWithHistory.name, liveList.name] + smallSavesVariants.map(\.name)
/// Workloads that the object layers do not do in Python.
private let byHandInPython = [insertWithHistory.name, liveList.name] + smallSavesVariants.map(\.name)

/// The workloads of Workloads.md, beside C by hand.
let workloads = Group(
    "workloads",
    columns: [("raw", "C by hand"), ("swift", "Pinview, Swift"), ("c", "Pinview, C"), ("grdb", "GRDB")],
    workloads: native.map { workload in
        let isWithoutGRDB = withoutGRDB.contains(workload.name)
        let others = [Peer("c", program: "c")] + (isWithoutGRDB ? [] : [Peer("grdb", program: "grdb")])
        return workload.alsoDone(by: others, measures: workload.name == readByKey.name ? objectMeasures : [])
    })

/// In Python, all look-ups give objects.
private let objectMeasures = [Measure("objects", "W3: the same once more, each as an object", .nanoseconds)]

// MARK: Python

private let pythonPeers = ["sqlite3", "pinview", "apsw", "sqlalchemy", "peewee", "django"].map { Peer($0, program: "python") }

/// The same workloads for Python, beside its standard library. The slowest peers take milliseconds for a row, so that there are fewer.
let python = Group(
    "python",
    columns: [
        ("sqlite3", "sqlite3"), ("pinview", "Pinview, Python"), ("apsw", "apsw"), ("sqlalchemy", "SQLAlchemy"), ("peewee", "peewee"),
        ("django", "Django"),
    ],
    workloads: native.map { workload in
        workload.done(
            by: byHandInPython.contains(workload.name) ? Array(pythonPeers.prefix(3)) : pythonPeers,
            parameters: fewer[workload.name] ?? [],
            measures: workload.name == readColumns.name ? rowMeasures : [], mostRounds: 3)
    })

private let rowMeasures = [
    Measure("rows", "W1p: the same as rows", .nanoseconds), Measure("values", "W19: the same 6 values, asked for by name", .nanoseconds),
]

private let fewer = [
    readAll.name: [Parameter("limit", tiny: 2_000, quick: 20_000, full: 0)],
    readColumns.name: [Parameter("limit", tiny: 2_000, quick: 100_000, full: 0)],
    readByKey.name: [Parameter("lookups", tiny: 500, quick: 1_000, full: 10_000)],
    follow.name: [Parameter("flights", tiny: 1_000, quick: 2_000, full: 20_000)],
    prefetch.name: [Parameter("flights", tiny: 1_000, quick: 20_000, full: 100_000)],
    insert.name: [
        Parameter("persons", tiny: 1_000, quick: 1_000, full: 100_000), Parameter("rows", tiny: 500, quick: 5_000, full: 50_000),
    ],
    insertWithHistory.name: [
        Parameter("persons", tiny: 1_000, quick: 1_000, full: 100_000), Parameter("rows", tiny: 500, quick: 5_000, full: 50_000),
    ],
    update.name: [Parameter("rows", tiny: 500, quick: 2_000, full: 20_000)],
    delete.name: [Parameter("rows", tiny: 500, quick: 2_000, full: 20_000)],
    snapshots.name: [Parameter("repeats", tiny: 100, quick: 1_000, full: 5_000)],
    memory.name: [Parameter("limit", tiny: 2_000, quick: 20_000, full: 0)],
    twoThreads.name: [Parameter("limit", tiny: 2_000, quick: 10_000, full: 50_000)],
    latency.name: [Parameter("reads", tiny: 500, quick: 2_000, full: 10_000)],
    walk.name: [Parameter("users", tiny: 100, quick: 1_000, full: 5_000)],
    walkPrefetched.name: [Parameter("users", tiny: 100, quick: 1_000, full: 5_000)],
    smallSaves.name: [Parameter("saves", tiny: 200, quick: 1_000, full: 2_000)],
    streams.name: [Parameter("persons", tiny: 5_000, quick: 20_000, full: 1_000_000)],
    upsert.name: [
        Parameter("persons", tiny: 1_000, quick: 20_000, full: 100_000), Parameter("rows", tiny: 500, quick: 5_000, full: 50_000),
    ],
].merging(
    smallSavesVariants.map { ($0.name, $0.name.hasSuffix("merging") ? [] : [Parameter("saves", tiny: 100, quick: 500, full: 2_000)]) },
    uniquingKeysWith: { first, _ in first })
