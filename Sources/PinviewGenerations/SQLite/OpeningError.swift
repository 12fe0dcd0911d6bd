internal import CSQLite
import Glibc

extension SQLiteError {
    /// Explains what to do about an existing file that cannot be opened. SQLite only says "unable
    /// to open database file" or "attempt to write a readonly database", whatever the reason.
    func explained(path: String) -> SQLiteError {
        guard kind == .cannotOpen || kind == .readOnly else { return self }
        if Self.hasNoDescriptorLeft { return Self.noDescriptorLeft(path: path) }
        guard access(path, R_OK) == 0 else { return self }
        let end = path.lastIndex(of: "/")
        let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        guard access(folder, W_OK) != 0 else { return self }
        return SQLiteError(
            kind: kind, extendedCode: extendedCode,
            message: message + "; its folder is not writable, and a store in WAL mode needs its journal there (the files ending in "
                + "-wal and -shm): make the folder writable, or set the store's journal mode to delete before moving it there",
            path: self.path, sql: sql)
    }

    /// Explains why a file could only be opened for reading; SQLite falls back to that for any
    /// reason.
    ///
    /// - Parameter number: `errno` of opening it for writing; 0 if unknown.
    /// - Throws: unless the file is indeed not writable.
    static func requireUnwritable(_ path: String, _ number: Int32) throws(SQLiteError) {
        if number == 0 ? faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && isRefusal(errno) : isRefusal(number) { return }
        if meansNoDescriptorLeft(number) { throw noDescriptorLeft(path: path) }
        let reason = number == 0 ? "unknown reason" : String(cString: strerror(number))
        throw SQLiteError(
            kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
            message: "the file could not be opened for writing (\(reason)); try again, or add the store as read-only", path: path)
    }

    /// Whether a system call failed because of permissions, rather than temporarily.
    private static func isRefusal(_ number: Int32) -> Bool { [EACCES, EPERM, EROFS].contains(number) }

    /// Whether the process cannot open any more files.
    static var hasNoDescriptorLeft: Bool {
        let descriptor = open("/", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return meansNoDescriptorLeft(errno)
    }

    static func meansNoDescriptorLeft(_ code: Int32) -> Bool { code == EMFILE || code == ENFILE }

    static func noDescriptorLeft(path: String) -> SQLiteError {
        var limit = rlimit()
        let number = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 ? "\(limit.rlim_cur) " : ""
        return SQLiteError(
            kind: .cannotOpen, extendedCode: SQLITE_CANTOPEN,
            message: "the process has used all of its \(number)file descriptors (ulimit -n); close some, or raise the limit", path: path)
    }

    /// The error for a store that was opened before a fork.
    static func forked(path: String?) -> SQLiteError {
        SQLiteError(
            kind: .forked, extendedCode: SQLITE_MISUSE,
            message: "the store was opened by the parent of this process and cannot be used after fork(); "
                + "let the child exec, or open the store in the child only", path: path)
    }
}
