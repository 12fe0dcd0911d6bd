import Foundation
import PinviewGenerations
import RandomSupport
import StressSupport

/// Writes a line at once, as a whole, because the process may be killed afterwards.
func say(_ text: String) {
    var line = text + "\n"
    _ = line.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

/// Writes, pins, reads old generations and checkpoints, adopts generations whose names come line by
/// line, and reports the names of its own, until its time is over or it is killed.
struct StressRole {
    let path: String, seed: UInt64, seconds: Double

    private struct Pin {
        let generation: Generation, contents: Contents
    }

    func run() throws {
        var random = SeededGenerator(seed: seed)
        var options = StoreFileOptions()
        options.synchronous = .off
        let end = Date(timeIntervalSinceNow: seconds)
        while Date() < end {
            let store = try StoreFile.open(path: path, options: options)
            defer { store.close() }
            var pins: [Pin] = []
            var reads = 0
            // Sometimes it closes the store with everything and opens it again.
            while Date() < end, !random.oneIn(200) {
                attempt { try step(store, &random, &pins) }
                while hasInput, let line = readLine() { attempt { try adopt(line, store, &pins) } }
                for pin in pins where random.oneIn(3) {
                    attempt {
                        let found = try verify(store, pin.generation, integrity: random.oneIn(10))
                        reads += 1
                        if found != pin.contents { say("fault pinned at \(pin.contents), read: \(found)") }
                    }
                }
            }
            say("reads \(reads)")
        }
    }

    private func attempt(_ body: () throws -> Void) {
        do {
            try body()
        } catch let error as SQLiteError where error.kind == .busy {
            return
        } catch let error as SQLiteError where error.kind == .generationExpired {
            say("expired 1")
        } catch {
            say("fault \(error)")
        }
    }

    private var hasInput: Bool {
        var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0 && descriptor.revents & Int16(POLLIN) != 0
    }

    private func step(_ store: StoreFile, _ random: inout SeededGenerator, _ pins: inout [Pin]) throws {
        switch random.below(20) {
        case 0: _ = try store.checkpoint(truncate: random.oneIn(2))
        case 1: pins = []
        case 2...7:
            let generation = try store.currentGeneration()
            let contents = try verify(store, generation, integrity: false)
            if random.oneIn(2) {
                generation.publish()
                say("holds \(generation.name.text) \(contents)")
            }
            keep(Pin(generation: generation, contents: contents), &pins, random.below(8))
        default:
            let transaction = try store.beginWrite()
            let contents = try Workload.change(transaction.connection, &random)
            if random.oneIn(10) { return transaction.rollback() }
            _ = try transaction.commit()
            say("commit \(contents)")
        }
    }

    private func keep(_ pin: Pin, _ pins: inout [Pin], _ index: Int) {
        if pins.count > index { pins[index] = pin } else { pins.append(pin) }
    }

    /// - Parameter line: a name, and what the generation held when it was pinned.
    private func adopt(_ line: String, _ store: StoreFile, _ pins: inout [Pin]) throws {
        let parts = line.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, let name = GenerationName(text: String(parts[0])), let expected = Contents(parts[1]) else {
            return say("fault not understood: \(line)")
        }
        let generation = try store.adopt(name)
        let found = try verify(store, generation, integrity: false)
        guard found == expected else { return say("fault taken over at \(expected), read: \(found)") }
        say("adopted 1")
        keep(Pin(generation: generation, contents: found), &pins, 3)
    }

    private func verify(_ store: StoreFile, _ generation: Generation, integrity: Bool) throws -> Contents {
        try store.read(at: generation) { try Workload.verify($0, integrity: integrity) }
    }
}
