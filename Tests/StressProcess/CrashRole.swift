import Foundation
import PinviewGenerations
import RandomSupport
import StressSupport

/// Processes that are started to be killed.
struct CrashRole {
    let path: String, seed: UInt64

    /// Holds the newest generation until its standard input is closed, and reads it whenever a line
    /// arrives.
    func pin() throws {
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        let generation = try store.currentGeneration()
        repeat {
            say("pinned \(try store.read(at: generation) { try Workload.verify($0, integrity: false) })")
        } while readLine() != nil
    }

    /// Commits until it is killed.
    func save() throws {
        var random = SeededGenerator(seed: seed)
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        while true {
            let transaction = try store.beginWrite()
            let contents = try Workload.change(transaction.connection, &random)
            _ = try transaction.commit()
            say("commit \(contents)")
        }
    }

    /// Commits a lot and copies it into the file, until it is killed.
    func checkpoint() throws {
        var random = SeededGenerator(seed: seed)
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

    /// Detaches a generation of a store with the table `rows` because of its age, very slowly, and
    /// reports the result.
    ///
    /// - Parameter fileLimit: the maximum size of the process's files in bytes; the copy is then
    ///   made without a pause.
    func detach(fileLimit: Int?) throws {
        setenv("PINVIEW_COPY_PAUSE", fileLimit == nil ? "2000000" : "1", 1)
        var options = StoreFileOptions()
        options.journalBudget.age = 0.01
        let isTold = DispatchSemaphore(value: 0)
        options.journalObserver = {
            say("event \($0.kind.rawValue): \($0.reason ?? "")")
            isTold.signal()
        }
        let store = try StoreFile.open(path: path, options: options)
        let generation = try store.currentGeneration()
        let transaction = try store.beginWrite()
        try transaction.connection.execute("UPDATE rows SET v = 1 WHERE id = 1")
        _ = try transaction.commit()
        if let fileLimit {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: rlim_t(fileLimit), rlim_max: rlim_t(fileLimit))
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
        }
        say("copying")
        if fileLimit != nil {
            isTold.wait()
            let sum = try store.read(at: generation) { try $0.value("SELECT sum(v) || ' ' || max(v) FROM rows") }
            say("still \(sum ?? "nothing")")
        }
        while readLine() != nil {}
        withExtendedLifetime(generation) {}
    }

    /// Holds an old generation, commits a lot, and detaches the old one, until it is killed.
    func detachOften() throws {
        var random = SeededGenerator(seed: seed)
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        while true {
            let held = try store.currentGeneration()
            for _ in 0..<4 {
                let transaction = try store.beginWrite()
                let contents = try Workload.change(transaction.connection, &random)
                _ = try transaction.commit()
                say("commit \(contents)")
            }
            say("detach-often begins")
            _ = try store.detachOlderGenerations()
            _ = try store.read(at: held) { try Workload.verify($0, integrity: true) }
        }
    }
}
