// swift-tools-version: 6.1
import PackageDescription

// What a peer needs in its process. The engine's program, in the library's package, needs it as well.
let support = Target.Dependency.product(name: "BenchmarkSupport", package: "pinview")

// A package of its own, so that the library never depends on what it is compared with.
let package = Package(
    name: "pinview-benchmarks",
    dependencies: [
        .package(name: "pinview", path: ".."),
        // A peer.
        .package(url: "https://github.com/groue/GRDB.swift", exact: "7.10.0"),
    ],
    targets: [
        // The same work by hand, in C on the system's libsqlite3: what every figure is a ratio to.
        .target(name: "RawSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
        // Knows no workload: rounds, medians, checksums, tables.
        .target(name: "BenchmarkRunner", dependencies: [support]),
        .executableTarget(
            name: "pinview-benchmarks",
            dependencies: ["RawSQLite", support, "BenchmarkRunner", .product(name: "Pinview", package: "pinview")]),
        // Random schemas: the Swift half of what Explore does in Python.
        .executableTarget(
            name: "pinview-explore", dependencies: ["RawSQLite", support, .product(name: "Pinview", package: "pinview")]),
        // A program of its own, so that nobody who measures the library alone has to build it.
        .executableTarget(
            name: "grdb-benchmarks", dependencies: ["RawSQLite", support, .product(name: "GRDB", package: "GRDB.swift")]),
    ]
)
