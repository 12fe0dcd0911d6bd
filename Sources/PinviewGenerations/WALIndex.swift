internal import CSQLite

/// What tells one state of a WAL-mode file from another (the WAL-index header; sqlite.org/walformat.html, section 2.1).
package struct GenerationIdentity: Hashable, Sendable {
    let salt1: UInt32, salt2: UInt32
    let frame: UInt32
    let checksum1: UInt32, checksum2: UInt32
    /// Tells generations apart that no header names: those of an empty journal, and files of other kinds.
    let serial: UInt64

    package static func == (left: Self, right: Self) -> Bool {
        left.salt1 == right.salt1 && left.salt2 == right.salt2 && left.frame == right.frame && left.serial == right.serial
            && (left.frame == 0 || left.checksum1 == right.checksum1 && left.checksum2 == right.checksum2)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(salt1)
        hasher.combine(salt2)
        hasher.combine(frame)
    }
}

/// The WAL-index of an open file: shared memory that SQLite's own connection has mapped. Read, never written.
struct WALIndex {
    /// A header as it was at one moment.
    struct Header: Equatable {
        var change: UInt32
        var frame: UInt32
        var checksum1: UInt32, checksum2: UInt32
        var salt1: UInt32, salt2: UInt32

        var identity: GenerationIdentity {
            GenerationIdentity(salt1: salt1, salt2: salt2, frame: frame, checksum1: checksum1, checksum2: checksum2, serial: 0)
        }
    }

    private let memory: UnsafeRawPointer

    /// - Parameter connection: has read at least once in WAL mode, stays open as long as the index is used.
    init?(_ connection: Connection) {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(connection.handle, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2, let map = methods.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        guard map(file, 0, 32768, 0, &region) == SQLITE_OK, let region else { return nil }
        memory = UnsafeRawPointer(region)
        guard word(0) == 3_007_000 else { return nil }
    }

    private func word(_ offset: Int) -> UInt32 { pinview_load32(memory + offset) }

    /// The header, when both copies agree; nil while a writer is changing it.
    var header: Header? {
        // The writer changes the second copy first, so a reader takes the first one first.
        let first = header(at: 0)
        pinview_read_barrier()
        return first == header(at: 48) ? first : nil
    }

    private func header(at offset: Int) -> Header {
        Header(
            change: word(offset + 8), frame: word(offset + 16), checksum1: word(offset + 24), checksum2: word(offset + 28),
            salt1: word(offset + 32), salt2: word(offset + 36))
    }

    /// How many frames have been copied into the file.
    var backfilledFrames: UInt32 { word(96) }
}
