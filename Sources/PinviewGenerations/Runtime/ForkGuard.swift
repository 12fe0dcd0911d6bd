internal import CPlatform
import Glibc
import Synchronization

/// Tells a process from its parent, at the cost of one load: the epoch is on a page that the kernel
/// wipes at `fork`.
///
/// Everything opened before a `fork` belongs to the parent: locks are not inherited, and SQLite's
/// lock counts would be wrong. Objects therefore remember their epoch and refuse to work in another
/// one.
enum ForkGuard {
    private static let wipeOnFork: Int32 = 18  // MADV_WIPEONFORK, Linux 4.14
    private static let lastEpoch = Atomic<UInt64>(0)

    /// nil if the kernel cannot wipe a page; the process ID then serves as the epoch, at the cost
    /// of a system call.
    nonisolated(unsafe) private static let page: UnsafeMutableRawPointer? = {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        guard let page = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), page != MAP_FAILED else { return nil }
        guard madvise(page, size, wipeOnFork) == 0 else {
            munmap(page, size)
            return nil
        }
        return page
    }()

    /// A number that is the same in all threads of a process and different in its children.
    static var epoch: UInt64 {
        guard let page else { return UInt64(getpid()) }
        let known = pinview_load64(page)
        return known != 0 ? known : pinview_replace_zero64(page, lastEpoch.add(1, ordering: .relaxed).newValue)
    }
}
