import Foundation
import PinviewGenerations
import StressSupport

/// Holds one generation as long as it runs, and another one that it renews repeatedly, like a
/// program that displays a state for a long time and keeps working.
struct BudgetRole {
    let path: String
    /// The budget of the journal in bytes.
    let budget: Int64
    var seconds = Double.infinity

    func run() throws {
        var options = StoreFileOptions()
        options.synchronous = .off
        options.journalBudget.bytes = budget
        let store = try StoreFile.open(path: path, options: options)
        let held = try store.currentGeneration()
        let expected = try sum(store, held)
        say("pinner ready")
        let end = Date(timeIntervalSinceNow: min(seconds, 1e9))
        var short = held
        // Ends after its time, or when its input is closed.
        var input = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
        while Date() < end, poll(&input, 1, 200) == 0 {
            short = try store.currentGeneration()
            _ = try sum(store, short)
            let found = try sum(store, held)
            if found != expected { say("fault the held generation has \(found), not \(expected)") }
        }
        withExtendedLifetime(short) {}
        say("pinner done")
    }

    private func sum(_ store: StoreFile, _ generation: Generation) throws -> String {
        try store.read(at: generation) {
            try $0.value("SELECT total(length(v)) || ' ' || count(*) || ' ' || total(id * ifnull(v, 0)) FROM t") ?? "nothing"
        }
    }
}
