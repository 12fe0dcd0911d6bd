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

    /// Has a generation of a store with the table `rows` copied aside for its age, very slowly, and tells what comes of it.
    ///
    /// - Parameter fileLimit: bytes beyond which no file of the process can grow; then the copy is made without a pause.
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

    /// Holds an old generation, commits much, and copies the old one aside, without end.
    func detachOften() throws {
        var random = RandomSource(seed: seed)
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
