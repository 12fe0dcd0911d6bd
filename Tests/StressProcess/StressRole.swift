import Foundation
import PinviewGenerations
import StressSupport

/// Writes a line at once, as a whole: the process may be killed after it.
func say(_ text: String) {
    var line = text + "\n"
    _ = line.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// Writes, pins, reads old generations and checkpoints, until its time is over or somebody kills it.
struct StressRole {
    let path: String, seed: UInt64, seconds: Double

    func run() throws {
        var random = RandomSource(seed: seed)
        var options = StoreFileOptions()
        options.synchronous = .off
        let end = Date(timeIntervalSinceNow: seconds)
        var reads = 0
        while Date() < end {
            let store = try StoreFile.open(path: path, options: options)
            defer { store.close() }
            var pins: [(generation: Generation, contents: Contents)] = []
            // Sometimes it closes the store with everything and opens it anew.
            while Date() < end, !random.oneIn(200) {
                do {
                    try step(store, &random, &pins)
                    for pin in pins where random.oneIn(3) {
                        let found = try verify(store, pin.generation, integrity: random.oneIn(10))
                        reads += 1
                        if found != pin.contents { say("fault pinned at \(pin.contents), read: \(found)") }
                    }
                } catch let error as SQLiteError where error.kind == .busy {
                    continue
                } catch {
                    say("fault \(error)")
                }
            }
            say("reads \(reads)")
            reads = 0
        }
    }

    private func step(_ store: StoreFile, _ random: inout RandomSource, _ pins: inout [(generation: Generation, contents: Contents)]) throws
    {
        switch random.below(20) {
        case 0: _ = try store.checkpoint(truncate: random.oneIn(2))
        case 1: pins = []
        case 2...7:
            let generation = try store.currentGeneration()
            let contents = try verify(store, generation, integrity: false)
            if pins.count == 6 { pins.remove(at: random.below(6)) }
            pins.append((generation, contents))
        default:
            let transaction = try store.beginWrite()
            let contents = try Workload.change(transaction.connection, &random)
            if random.oneIn(10) { return transaction.rollback() }
            _ = try transaction.commit()
            say("commit \(contents)")
        }
    }

    private func verify(_ store: StoreFile, _ generation: Generation, integrity: Bool) throws -> Contents {
        try store.read(at: generation) { try Workload.verify($0, integrity: integrity) }
    }
}
