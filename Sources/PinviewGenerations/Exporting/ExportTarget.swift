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

    private static let infix = "-export-"
    private static let digits = 16

    /// Creates the file.
    ///
    /// - Parameters:
    ///   - path: the name that it is to have.
    ///   - mode: its permissions.
    ///   - needsName: whether it is written to by its temporary name.
    init(_ path: String, mode: mode_t, needsName: Bool) throws(SQLiteError) {
        self.path = path
        Self.removeLeftovers(of: path)
        // The name is given through /proc.
        let canName = !needsName && access("/proc/self/fd", F_OK) == 0
        let unnamed = canName ? pinview_create_unnamed(Self.folder(of: path), 0o600) : -1
        if unnamed >= 0 {
            descriptor = unnamed
        } else {
            let name = Self.randomName(for: path)
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
                name = Self.randomName(for: path)
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

    private static func randomName(for path: String) -> String {
        let text = String(UInt64.random(in: .min ... .max), radix: 16)
        return path + infix + String(repeating: "0", count: digits - text.count) + text
    }

    /// Deletes unfinished files of processes that were killed.
    private static func removeLeftovers(of path: String) {
        let folder = folder(of: path)
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
        let prefix = path[start...] + infix
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while let entry = readdir(directory) {
            let name = String(cString: (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self))
            guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + digits,
                name.utf8.suffix(digits).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { continue }
            let descriptor = open(folder + "/" + name, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if pinview_lock_description(descriptor, Int16(F_WRLCK), 0, 1) == 0 { unlink(folder + "/" + name) }
            close(descriptor)
        }
    }
}
