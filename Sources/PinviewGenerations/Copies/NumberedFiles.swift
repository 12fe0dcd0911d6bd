internal import CPlatform
import Glibc

/// Files beside a database, each named after it, a word and a random number, such as
/// `people.sqlite-detached-0123456789abcdef`.
///
/// Whoever uses one holds a lock on its byte 0 through an open file description, so that others can
/// tell it from one that a killed process has left.
struct NumberedFiles {
    /// What stands between the name of the database and the number.
    let infix: String

    private static let digits = 16

    /// A name that nobody has chosen before.
    func newPath(for database: String) -> String {
        let number = String(UInt64.random(in: .min ... .max), radix: 16)
        return database + infix + String(repeating: "0", count: Self.digits - number.count) + number
    }

    /// The paths of all such files.
    func paths(for database: String) -> [String] {
        let start = database.utf8.lastIndex(of: UInt8(ascii: "/")).map { database.utf8.index(after: $0) } ?? database.startIndex
        let folder = database[..<start], prefix = database[start...] + infix
        guard let directory = opendir(folder.isEmpty ? "." : String(folder)) else { return [] }
        defer { closedir(directory) }
        var paths: [String] = []
        let nameOffset = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
        while let entry = readdir(directory) {
            let name = String(cString: (UnsafeRawPointer(entry) + nameOffset).assumingMemoryBound(to: CChar.self))
            guard name.hasPrefix(prefix), name.utf8.count == prefix.utf8.count + Self.digits,
                name.utf8.suffix(Self.digits).allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
            else { continue }
            paths.append(folder + name)
        }
        return paths
    }

    /// Deletes those that nobody uses any more, left by processes that were killed.
    func removeUnused(for database: String, _ remove: (_ path: String) -> Void) {
        for path in paths(for: database) {
            let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { continue }
            if pinview_lock_description(descriptor, Int16(F_WRLCK), 0, 1) == 0 { remove(path) }
            close(descriptor)
        }
    }
}
