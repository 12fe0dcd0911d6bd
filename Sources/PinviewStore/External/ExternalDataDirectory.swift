import CSQLite
import Glibc
import PinviewGenerations

/// The directory next to a store where Core Data keeps large binary values as separate files:
/// `.<store>_SUPPORT/_EXTERNAL_DATA`.
struct ExternalDataDirectory: Sendable {
    static let inlineMarker: UInt8 = 1
    static let fileMarker: UInt8 = 2
    /// Data up to this size stays in the row.
    static let longestInline = 100 * 1024

    private let storePath: String
    private let paths: [String]
    /// Larger files cannot be values: SQLite itself stores less.
    private static let longest = 1 << 31

    init(storePath: String) {
        let directoryEnd = storePath.utf8.lastIndex(of: UInt8(ascii: "/")).map { storePath.utf8.index(after: $0) } ?? storePath.startIndex
        let directory = storePath[..<directoryEnd]
        let name = storePath[directoryEnd...]
        self.storePath = storePath
        // Core Data omits the extension; some tools keep it.
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        paths = [stem, name].map { "\(directory).\($0)_SUPPORT/_EXTERNAL_DATA/" }
    }

    /// The data of a cell: what follows the marker, or the contents of the file that it names.
    /// - Parameter directory: nil for a store in memory, which has no files.
    static func data(in cell: some Collection<UInt8>, _ directory: ExternalDataDirectory?) throws(UnreadableData) -> [UInt8] {
        guard let marker = cell.first else { return [] }
        if marker == inlineMarker { return Array(cell.dropFirst()) }
        // A UUID. Nothing else may become part of a path.
        guard let name = name(in: cell), let directory else {
            throw UnreadableData(
                reason: marker == fileMarker
                    ? "has a cell that names no file"
                    : "has a cell that begins with \(marker) instead of 1 (for data) or 2 (for the name of a file)")
        }
        do throws(SystemFailure) { return try directory.contents(named: name) } catch {
            throw UnreadableData(reason: "is in \(error.message)")
        }
    }

    private func contents(named name: String) throws(SystemFailure) -> [UInt8] {
        var failure = SystemFailure(number: ENOENT, path: path + name)
        for path in paths {
            do throws(SystemFailure) { return try Self.read(path + name) } catch {
                if error.number != ENOENT { failure = error }
            }
        }
        throw failure
    }

    // MARK: Writing

    /// The directory that new files go to: one that exists, else Core Data's.
    private var path: String { paths.first { RegularFile.exists(at: $0) } ?? paths[0] }

    /// The path after which the list of pending files is named.
    var pendingPath: String { path.dropLast("_EXTERNAL_DATA/".count) + "external" }

    /// Creates the directory.
    func create() throws(SystemFailure) {
        let path = path
        guard !RegularFile.exists(at: path) else { return }
        for name in [String(path.dropLast("/_EXTERNAL_DATA/".count)), String(path.dropLast())]
        where mkdir(name, 0o777) != 0 && errno != EEXIST {
            throw SystemFailure(number: errno, path: name)
        }
    }

    /// The permissions of new files: the store's.
    var fileMode: mode_t {
        var status = stat()
        return stat(storePath, &status) == 0 ? status.st_mode & 0o666 : 0o644
    }

    /// Writes a file under a new name.
    func write(_ bytes: UnsafeRawBufferPointer, named name: String) throws(SystemFailure) {
        let path = path + name
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, fileMode)
        guard descriptor >= 0 else { throw SystemFailure(number: errno, path: path) }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                let failure = SystemFailure(number: errno, path: path)
                unlink(path)
                throw failure
            }
        }
    }

    /// Gives a file, whose content never changes, another name as well.
    func link(_ name: String, as other: String, in target: ExternalDataDirectory? = nil) throws(SystemFailure) {
        let target = target ?? self
        for path in paths where RegularFile.exists(at: path + name) {
            if Glibc.link(path + name, target.path + other) == 0 { return }
            guard [EPERM, EMLINK, EXDEV, EOPNOTSUPP].contains(errno) else { throw SystemFailure(number: errno, path: path + name) }
            let contents = try Self.read(path + name)
            return try contents.withUnsafeBytes { bytes in Result { () throws(SystemFailure) in try target.write(bytes, named: other) } }
                .get()
        }
        throw SystemFailure(number: ENOENT, path: path + name)
    }

    /// Gives a copy of the store its own files, before the copy is made.
    ///
    /// - Parameter body: makes the copy. After an error, the files are deleted.
    func copy(_ names: Set<String>, besideStore path: String, _ body: () throws -> Void) throws {
        let target = ExternalDataDirectory(storePath: path)
        var copied: [String] = []
        do {
            for name in names.sorted() where has(name) && !target.has(name) {
                do throws(SystemFailure) {
                    if copied.isEmpty { try target.create() }
                    try link(name, as: name, in: target)
                } catch {
                    throw error.sqliteError
                }
                copied.append(name)
            }
            try body()
        } catch {
            target.remove(copied)
            throw error
        }
    }

    /// The names of all files.
    var names: Set<String> {
        var names: Set<String> = []
        for path in paths {
            guard let directory = opendir(path) else { continue }
            defer { closedir(directory) }
            while let entry = readdir(directory) {
                let name = withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                }
                if Self.name(in: [Self.fileMarker] + Array(name.utf8)) != nil { names.insert(name) }
            }
        }
        return names
    }

    func has(_ name: String) -> Bool { paths.contains { RegularFile.exists(at: $0 + name) } }

    func remove(_ names: some Sequence<String>) {
        for name in names { for path in paths where unlink(path + name) == 0 { break } }
    }

    /// Waits until files, and the directory with their names, are on disk.
    func synchronize(_ names: some Sequence<String>) throws(SystemFailure) {
        for file in names.map({ path + $0 }) + [path] {
            let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw SystemFailure(number: errno, path: file) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw SystemFailure(number: errno, path: file) }
        }
    }

    /// The name in a cell that refers to a file; nil for other cells.
    static func name(in cell: some Collection<UInt8>) -> String? {
        guard cell.first == fileMarker else { return nil }
        let name = Array(cell.dropFirst().prefix { $0 != 0 })
        return name.count == PendingNames.nameLength && name.allSatisfy(isUUIDByte) ? String(decoding: name, as: UTF8.self) : nil
    }

    /// The cell that refers to a file.
    static func cell(referringTo name: String) -> [UInt8] { [fileMarker] + Array(name.utf8) + [0] }

    private static func isUUIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func read(_ path: String) throws(SystemFailure) -> [UInt8] {
        // A link could lead to any file of the machine.
        let descriptor = RegularFile.open(path, followsLinks: false)
        guard descriptor >= 0 else { throw SystemFailure(number: errno, path: path) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemFailure(number: errno, path: path) }
        // A sparse file can have any size.
        guard status.st_size <= longest else { throw SystemFailure(number: EFBIG, path: path) }
        var contents: [UInt8] = []
        contents.reserveCapacity(max(0, Int(status.st_size)))
        var buffer = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = Glibc.read(descriptor, &buffer, buffer.count)
            if count > 0 {
                contents.append(contentsOf: buffer[..<count])
            } else if count == 0 {
                return contents
            } else if errno != EINTR {
                throw SystemFailure(number: errno, path: path)
            }
        }
    }
}

/// Why data cannot be read although the row has a cell for them.
struct UnreadableData: Error {
    /// What follows the name of the attribute, such as "is in the file '…' …".
    let reason: String

    /// The SQLite code of the error: the store is damaged, and this is how.
    static let code = SQLITE_CORRUPT | (78 << 8)

    func message(_ attribute: String, of object: String) -> String {
        "\(attribute) of \(object) \(reason). Everything else can be read; restore the file from a backup, or set another value."
    }
}

/// Why a file could not be read or written.
struct SystemFailure: Error {
    let number: Int32
    let path: String

    var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }
    var sqliteError: SQLiteError {
        SQLiteError(
            kind: isFull ? .full : .sqlite, extendedCode: isFull ? SQLITE_FULL : SQLITE_IOERR, message: message, path: path)
    }
    var message: String { "the file '\(path)' of a large value: \(String(cString: strerror(number)))" }
}
