internal import CSQLite

/// The SQLite library that this process uses.
package enum SQLiteLibrary {
    package static var version: String { String(cString: sqlite3_libversion()) }

    /// Whether it has the bug that checkpoints can lose pages while another connection commits
    /// (sqlite.org/wal.html, "The WAL-Reset Bug"). Our own checkpoints hold the write lock and are
    /// not affected.
    package static var hasWALResetBug: Bool {
        switch sqlite3_libversion_number() {
        case ..<3_007_000, 3_051_003...: false
        case 3_050_007..<3_051_000, 3_044_006..<3_045_000: false
        default: true
        }
    }
}
