import Foundation
import PinviewGenerations
import StressSupport

/// Holds one generation for as long as it lives, and another one that it renews again and again: what a program does that shows a
/// state for long and works on. Its journal's budget is 1 MiB.
struct BudgetRole {
    let path: String

    func run() throws {
        var options = StoreFileOptions()
        options.synchronous = .off
        options.journalBudget.bytes = 1 << 20
        let store = try StoreFile.open(path: path, options: options)
        let held = try store.currentGeneration()
        let expected = try sum(store, held)
        say("ready")
        var short = held
        // Ends with its input.
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while poll(&input, 1, 200) == 0 {
            short = try store.currentGeneration()
            _ = try sum(store, short)
            let found = try sum(store, held)
            if found != expected { say("fault the held generation has \(found), not \(expected)") }
        }
        withExtendedLifetime(short) {}
        say("done")
    }

    private func sum(_ store: StoreFile, _ generation: Generation) throws -> String {
        try store.read(at: generation) { try $0.value("SELECT sum(v) || ' ' || count(*) FROM t") ?? "nothing" }
    }
}
