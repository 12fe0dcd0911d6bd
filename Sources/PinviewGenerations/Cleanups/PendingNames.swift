internal import CPlatform
import Glibc

/// A list of file names that a process may have to delete, kept in a file, so that whoever opens
/// the store next deletes them if the process is killed.
///
/// Each line has the same length. The process that writes it holds a lock on byte 0 through an open
/// file description, so that others can tell it from one that a killed process has left.
package final class PendingNames: Sendable {
    private let path: String
    private let descriptor: Int32
    private let epoch = ForkGuard.epoch

    private static let files = NumberedFiles(infix: "-pending-")
    package static let nameLength = 36

    /// - Parameter base: a path, after which the file is named.
    package init(for base: String, mode: UInt32) throws(SQLiteError) {
        for _ in 0..<100 {
            let name = Self.files.newPath(for: base)
            let file = open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
            guard file >= 0 else {
                if errno == EEXIST { continue }
                throw FileCopy.failure(errno, name)
            }
            var status = stat()
            let code = pinview_lock_description(file, Int16(F_WRLCK), 0, 1)
            if code == 0, fstat(file, &status) == 0, status.st_nlink > 0 {
                (path, descriptor) = (name, file)
                return
            }
            // A process that cleans up came between creating and locking the file.
            unlink(name)
            close(file)
            guard code == 0 || code == EAGAIN || code == EACCES else { throw FileCopy.failure(code, name) }
        }
        throw FileCopy.failure(EBUSY, base)
    }

    deinit { if ForkGuard.epoch == epoch { close(descriptor) } }

    package func append(_ names: [String]) throws(SQLiteError) {
        var lines: [UInt8] = []
        for name in names { lines += Array(name.utf8) + [UInt8(ascii: "\n")] }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FileCopy.failure(errno, path) }
        try FileCopy.write(lines, at: Int64(status.st_size), to: descriptor, path)
    }

    /// Empties the list: nothing has to be deleted any more.
    package func clear() { _ = ftruncate(descriptor, 0) }

    /// Whether this process has made the list, rather than one that it was forked from.
    package var isOwn: Bool { ForkGuard.epoch == epoch }

    /// Deletes the list.
    package func remove() { if isOwn { unlink(path) } }

    /// Calls a body with each list that a process has left, and deletes the list if it returns
    /// true.
    package static func takeLeftovers(for base: String, _ body: (_ names: [String]) -> Bool) {
        files.removeUnused(for: base) { path in
            let lines = (FileCopy.contents(of: path) ?? []).split(separator: UInt8(ascii: "\n"))
            // The last line of a killed process may be incomplete.
            let names = lines.filter { $0.count == nameLength }.map { String(decoding: $0, as: UTF8.self) }
            if body(names) { unlink(path) }
        }
    }
}
