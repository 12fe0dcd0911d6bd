import Foundation
import PinviewGenerations
import RandomSupport
import StressSupport

/// Works with very few file descriptors left, and reports the result of each step.
struct DescriptorRole {
    let path: String

    private func step(_ name: String, _ body: () throws -> String) {
        do { say("\(name): \(try body())") } catch let error as SQLiteError { say("\(name): \(error.kind) \(error.message)") } catch {
            say("fault \(error)")
        }
    }

    /// Lowers the limit so that only this many more descriptors can be opened.
    private func leaveDescriptors(_ count: Int) {
        let listed = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }) ?? []
        // The list itself took one.
        let used = Int(listed.filter { fcntl($0, F_GETFD) >= 0 }.max() ?? 64)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // The limit applies to the lowest free number, so the gaps are filled first.
        while true {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0, Int(descriptor) < used else {
                if descriptor >= 0 { close(descriptor) }
                break
            }
        }
        limit.rlim_cur = rlim_t(used + 1 + count)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    private func restoreDescriptors() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    func run() throws {
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        var generations: [Generation] = []
        var random = SeededGenerator(seed: 1)
        func commit() throws -> Generation? {
            let transaction = try store.beginWrite()
            _ = try Workload.change(transaction.connection, &random)
            return try transaction.commit()
        }
        for _ in 0..<5 { if let generation = try commit() { generations.append(generation) } }
        func read(_ number: Int) throws -> String {
            "\(try store.read(at: generations[number]) { try Workload.verify($0, integrity: true) }.serial)"
        }

        for count in 0..<2 {
            leaveDescriptors(count)
            step("read with \(count)") { try read(0) }
            step("open with \(count)") { try StoreFile.open(path: path + "\(count)", options: StoreFileOptions()).journalMode }
            step("open again with \(count)") { try StoreFile.open(path: path, options: StoreFileOptions()).journalMode }
            step("pin with \(count)") { try store.currentGeneration() === generations.last ? "newest" : "another" }
            step("commit with \(count)") {
                guard let generation = try commit() else { return "no generation" }
                generations.append(generation)
                return "done"
            }
            restoreDescriptors()
        }
        // Enough for stores to be opened half way.
        for count in 2..<12 {
            leaveDescriptors(count)
            step("other") { try StoreFile.open(path: path + "-other\(count)", options: StoreFileOptions()).journalMode }
            restoreDescriptors()
        }
        step("read") { try read(0) }
        leaveDescriptors(0)
        step("another generation through the existing reader") { try read(1) }
        restoreDescriptors()
        for number in generations.indices { step("read \(number + 1)") { try read(number) } }
        step("open") { try StoreFile.open(path: path + "2", options: StoreFileOptions()).journalMode }
    }
}
