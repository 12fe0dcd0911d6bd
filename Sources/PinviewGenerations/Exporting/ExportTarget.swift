internal import CPlatform
import Glibc

/// A file that appears under its name only when it is complete.
///
/// Until then it has no name where the file system allows that, so that not even a killed process
/// leaves anything behind. Elsewhere, and where a name is needed to write to it, it is called
/// `people.sqlite-export-0123456789abcdef`; whoever exports to the same path next deletes such
/// files of processes that were killed.
final class ExportTarget {
    let path: String
    let descriptor: Int32
    /// Nil if the file has no name yet.
    private(set) var temporaryName: String?

    private static let names = NumberedFiles(infix: "-export-")

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: the name that it is to have.
    ///   - mode: its permissions.
    ///   - needsName: whether it is written to by its temporary name.
    init(_ path: String, mode: mode_t, needsName: Bool) throws(SQLiteError) {
        self.path = path
        Self.names.removeUnused(for: path) { unlink($0) }
        // The name is given through /proc.
        let canName = !needsName && access("/proc/self/fd", F_OK) == 0
        let unnamed = canName ? pinview_create_unnamed(Self.folder(of: path), 0o600) : -1
        if unnamed >= 0 {
            descriptor = unnamed
        } else {
            let name = Self.names.newPath(for: path)
            let named = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard named >= 0 else { throw FileCopy.failure(errno, path) }
            descriptor = named
            temporaryName = name
            // Tells others that the file is in use.
            _ = pinview_lock_description(named, Int16(F_WRLCK), 0, 1)
        }
        fchmod(descriptor, mode)
    }

    deinit {
        if let temporaryName { unlink(temporaryName) }
        close(descriptor)
    }

    /// Gives the complete file its name. Survives a power failure.
    ///
    /// - Throws: if there is such a file already that must not be replaced.
    func publish(replacing: Bool) throws(SQLiteError) {
        guard fsync(descriptor) == 0 else { throw FileCopy.failure(errno, path) }
        if replacing {
            let name: String
            if let temporaryName {
                name = temporaryName
            } else {
                name = Self.names.newPath(for: path)
                try check(pinview_name_file(descriptor, name))
                temporaryName = name
                _ = pinview_lock_description(descriptor, Int16(F_WRLCK), 0, 1)
            }
            try check(rename(name, path) == 0 ? 0 : errno)
            temporaryName = nil
        } else if let name = temporaryName {
            try check(pinview_rename_new(name, path))
            temporaryName = nil
        } else {
            try check(pinview_name_file(descriptor, path))
        }
        let folder = open(Self.folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { return }
        fsync(folder)
        close(folder)
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        if code == EEXIST { throw Self.exists(path) }
        if code != 0 { throw FileCopy.failure(code, path) }
    }

    /// The error for a file that must not be replaced.
    static func exists(_ path: String) -> SQLiteError {
        FileCopy.failure(EEXIST, path, "the file exists already; choose another name, or ask for it to be replaced")
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
