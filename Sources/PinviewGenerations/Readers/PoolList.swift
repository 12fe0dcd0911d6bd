/// The pools of the stores that are open on one file.
final class PoolList: @unchecked Sendable {  // guarded by `lock`
    private let lock = Lock()
    private var members: [LightReference<ReaderPool>] = []

    deinit { for member in members { member.release() } }

    func add(_ pool: ReaderPool) {
        lock.withLock {
            members.removeAll { member in
                guard member.object == nil else { return false }
                member.release()
                return true
            }
            members.append(LightReference(pool))
        }
    }

    /// Used without the lock: releasing the last reference to a pool closes connections.
    private var living: [ReaderPool] { lock.withLock { members.compactMap(\.object) } }

    func closeReaders(ofCopy serial: UInt64) { for pool in living { pool.closeReaders(ofCopy: serial) } }

    var readerCounts: [UInt64: Int] {
        var counts: [UInt64: Int] = [:]
        for pool in living { pool.countReaders(&counts) }
        return counts
    }

    /// - Returns: the seconds until there may be idle readers again; nil if there are none.
    func closeIdleReaders() -> Double? {
        var hasMore = false
        for pool in living where pool.closeIdleReaders() { hasMore = true }
        return hasMore ? ReaderPool.idleTime : nil
    }
}
