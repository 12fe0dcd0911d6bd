import Foundation
import PinviewGenerations
import StressSupport

/// Processes that are there to be killed.
struct CrashRole {
    let path: String, seed: UInt64

    /// Holds the newest generation until its standard input is closed, and reads it whenever a line comes.
    func pin() throws {
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        let generation = try store.currentGeneration()
        repeat {
            say("pinned \(try store.read(at: generation) { try Workload.verify($0, integrity: false) })")
        } while readLine() != nil
    }

    /// Commits without end.
    func save() throws {
        var random = RandomSource(seed: seed)
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        while true {
            let transaction = try store.beginWrite()
            let contents = try Workload.change(transaction.connection, &random)
            _ = try transaction.commit()
            say("commit \(contents)")
        }
    }

    /// Commits much, and copies it into the file, without end.
    func checkpoint() throws {
        var random = RandomSource(seed: seed)
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        while true {
            for _ in 0..<5 {
                let transaction = try store.beginWrite()
                let contents = try Workload.change(transaction.connection, &random)
                _ = try transaction.commit()
                say("commit \(contents)")
            }
            say("checkpoint begins")
            _ = try store.checkpoint(truncate: random.oneIn(2))
        }
    }
}
