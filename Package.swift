// swift-tools-version: 6.1
import PackageDescription

// What runs once for a model, and not for each row, takes less room in the C library (`make all` sets this).
let sizeSettings: [SwiftSetting] = Context.environment["PINVIEW_C_LIBRARY"] == nil ? [] : [.unsafeFlags(["-Osize"])]

// The walls of the house: a target sees only the targets named in its dependencies.
let package = Package(
    name: "pinview",
    products: [
        .library(name: "Pinview", targets: ["Pinview", "PinviewTyped"]),
        // Foundation's types as values, beside the core, which does without them.
        .library(name: "PinviewFoundation", targets: ["PinviewFoundation"]),
        // The Swift modules as one shared library, for programs that load several parts using them.
        .library(name: "PinviewDynamic", type: .dynamic, targets: ["Pinview", "PinviewTyped"]),
        .executable(name: "pinview-generate", targets: ["PinviewGenerateCommand"]),
        // The library for C, which the Makefile installs as libpinview.so: product names must not differ from each other by case only.
        .library(name: "PinviewC", type: .dynamic, targets: ["PinviewC"]),
        // For the package in Benchmarks only.
        .library(name: "BenchmarkSupport", targets: ["BenchmarkSupport"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CPlatform"),
        // `make all` links the static archives of these three instead (Distribution/static-libraries).
        .systemLibrary(name: "CPCRE2", pkgConfig: "libpcre2-8", providers: [.apt(["libpcre2-dev"])]),
        .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CPinview"),
        .target(name: "PinviewGenerations", dependencies: ["CSQLite", "CPlatform"]),
        .target(name: "PinviewModel", dependencies: ["CPCRE2", "CExpat", "CZlib"], swiftSettings: sizeSettings),
        .target(name: "PinviewPredicates", dependencies: ["PinviewModel"]),
        .target(
            name: "PinviewStore",
            dependencies: ["PinviewGenerations", "PinviewModel", "PinviewPredicates", "CSQLite", "CPlatform"]),
        .target(
            name: "Pinview",
            dependencies: ["PinviewGenerations", "PinviewModel", "PinviewPredicates", "PinviewStore", "CPlatform"]),
        // Typed objects and requests, above the core: the library for C does without them.
        .target(name: "PinviewTyped", dependencies: ["Pinview"]),
        // Writes typed objects of models.
        .target(name: "PinviewGenerator", dependencies: ["Pinview"]),
        .executableTarget(name: "PinviewGenerateCommand", dependencies: ["Pinview", "PinviewGenerator"]),
        .target(name: "PinviewFoundation", dependencies: ["Pinview", "PinviewTyped"]),
        .target(name: "PinviewC", dependencies: ["Pinview", "CPinview"]),
        // From here on for tests and benchmarks only: source distributions of the Python package end here.
        // Random numbers that a test can repeat.
        .target(name: "RandomSupport", path: "Tests/RandomSupport"),
        .target(name: "StressSupport", dependencies: ["PinviewGenerations", "RandomSupport"], path: "Tests/StressSupport"),
        // The other process of the stress and crash tests.
        .executableTarget(
            name: "StressProcess", dependencies: ["PinviewGenerations", "RandomSupport", "StressSupport"], path: "Tests/StressProcess"),
        // The other process of the tests of whole stacks.
        .executableTarget(name: "StackProcess", dependencies: ["Pinview", "AnswerSupport"], path: "Tests/StackProcess"),
        // Programs whose main thread is run in different ways: by an asynchronous `main`, by Dispatch, by a run loop, by the library.
        .executableTarget(name: "MainActorProcess", dependencies: ["Pinview"], path: "Tests/MainActorProcess"),
        .executableTarget(name: "MainLoopProcess", dependencies: ["Pinview"], path: "Tests/MainLoopProcess"),
        // The store of the checker of answers, and its writer, which StackProcess runs as well.
        .target(name: "AnswerSupport", dependencies: ["Pinview"], path: "Tests/AnswerSupport"),
        // Texts for the parser of predicates, right ones and damaged ones; `make fuzz`.
        .target(
            name: "PredicateFuzzing", dependencies: ["PinviewModel", "PinviewPredicates", "RandomSupport", "StressSupport"],
            path: "Tests/PredicateFuzzing", exclude: ["corpus"]),
        .executableTarget(name: "PredicateFuzzer", dependencies: ["PredicateFuzzing", "StressSupport"], path: "Tests/PredicateFuzzer"),
        // Model files, model caches and archives of attributes, damaged; `make fuzz`.
        .executableTarget(
            name: "ModelFuzzer", dependencies: ["Pinview", "PinviewModel", "StressSupport"], path: "Tests/ModelFuzzer", exclude: ["corpus"]),
        // Models as Core Data compiles them, and stores as it writes them.
        .target(name: "CoreDataFixtures", dependencies: ["PinviewModel", "CZlib"], path: "Tests/CoreDataFixtures"),
        // What the benchmarks' programs share. Their package, which may depend on this one but not the other way round, uses it too.
        .target(name: "BenchmarkSupport", path: "Tests/BenchmarkSupport"),
        // The engine's part of the benchmarks: its interface cannot be seen from their own package.
        .systemLibrary(name: "CHeap", path: "Tests/CHeap"),
        .executableTarget(
            name: "EngineBenchmarks", dependencies: ["PinviewGenerations", "BenchmarkSupport", "CSQLite", "CPlatform", "CHeap"],
            path: "Tests/EngineBenchmarks"),
        .testTarget(
            name: "PinviewGenerationsTests",
            dependencies: [
                "PinviewGenerations", "CSQLite", "CPlatform", "RandomSupport", "StressSupport", "StressProcess", "EngineBenchmarks",
            ]),
        .testTarget(name: "PinviewModelTests", dependencies: ["PinviewModel", "CoreDataFixtures", "RandomSupport"]),
        .testTarget(
            name: "PinviewPredicatesTests",
            dependencies: ["PinviewPredicates", "PinviewModel", "PredicateFuzzing", "RandomSupport", "StressSupport"]),
        .testTarget(
            name: "PinviewStoreTests",
            dependencies: ["PinviewStore", "PinviewGenerations", "PinviewModel", "PinviewPredicates", "CoreDataFixtures", "RandomSupport"]),
        .testTarget(name: "PinviewCTests", dependencies: ["PinviewC", "RandomSupport", "StressSupport"]),
        .testTarget(
            name: "PinviewTests",
            dependencies: [
                "Pinview", "PinviewModel", "CoreDataFixtures", "CSQLite", "RandomSupport", "StressSupport", "StackProcess",
                "MainActorProcess",
                "MainLoopProcess",
                "AnswerSupport",
            ]),
        .testTarget(
            name: "PinviewTypedTests", dependencies: ["Pinview", "PinviewTyped", "PinviewFoundation", "PinviewGenerator", "StressSupport"],
            exclude: ["Support/People.json"]),
        .testTarget(name: "PinviewFoundationTests", dependencies: ["Pinview", "PinviewTyped", "PinviewFoundation"]),
    ]
)
