import BenchmarkSupport
import Glibc

// The engine's part of the benchmarks, as a peer of the program in the package Benchmarks, which
// starts it as
//     EngineBenchmarks cell WORKLOAD engine FOLDER NAME=NUMBER…
// and reads its lines `measure NAME VALUE` and `checksum NAME VALUE`. It is a target of the
// library's package, and of none of its products, because the engine's interface has package
// access.

let arguments = CommandLine.arguments
do {
    guard arguments.count >= 5, arguments[1] == "cell" else {
        throw BenchmarkError("usage: EngineBenchmarks cell WORKLOAD PEER FOLDER NAME=NUMBER…")
    }
    let cell = try Cell(folder: arguments[4], parameters: arguments.dropFirst(5))
    switch arguments[2] {
    case "generation-pins": try measurePins(cell)
    case "generation-idle": try measureIdleGenerations(cell)
    case "generation-late-reader": try measureLateReaders(cell)
    case "generation-parallel": try measureParallelReads(cell)
    case "generation-journal": try measureJournalSize(cell)
    default: throw BenchmarkError("there is no workload \(arguments[2])")
    }
} catch {
    fflush(nil)
    let message = "EngineBenchmarks: \(error)\n"
    _ = write(STDERR_FILENO, message, message.utf8.count)
    exit(1)
}
