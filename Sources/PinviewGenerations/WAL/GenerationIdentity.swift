/// Identifies a state of a WAL-mode file: the file, and the header of its WAL-index
/// (sqlite.org/walformat.html, section 2.1).
package struct GenerationIdentity: Hashable, Sendable {
    let device: UInt64, inode: UInt64
    let salt1: UInt32, salt2: UInt32
    let frame: UInt32
    let checksum1: UInt32, checksum2: UInt32

    /// The commit counter is not compared, because a recovery restarts it for the same content. An
    /// empty journal has no checksum.
    package static func == (left: Self, right: Self) -> Bool {
        left.salt1 == right.salt1 && left.salt2 == right.salt2 && left.frame == right.frame
            && (left.frame == 0 || left.checksum1 == right.checksum1 && left.checksum2 == right.checksum2)
            && left.inode == right.inode && left.device == right.device
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(inode)
        hasher.combine(salt1)
        hasher.combine(salt2)
        hasher.combine(frame)
    }
}
