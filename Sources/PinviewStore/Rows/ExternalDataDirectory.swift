import Glibc
import PinviewGenerations

/// The directory next to a store where Core Data keeps large binary values as separate files:
/// `.<store>_SUPPORT/_EXTERNAL_DATA`.
struct ExternalDataDirectory: Sendable {
    static let inlineMarker: UInt8 = 1
    static let fileMarker: UInt8 = 2

    private let paths: [String]
    /// Larger files cannot be values: SQLite itself stores less.
    private static let longest = 1 << 31

    init(storePath: String) {
        let directoryEnd = storePath.utf8.lastIndex(of: UInt8(ascii: "/")).map { storePath.utf8.index(after: $0) } ?? storePath.startIndex
        let directory = storePath[..<directoryEnd]
        let name = storePath[directoryEnd...]
        // Core Data omits the extension; some tools keep it.
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name
        paths = [stem, name].map { "\(directory).\($0)_SUPPORT/_EXTERNAL_DATA/" }
    }

    /// The contents of a file.
    /// - Parameter name: the file's name, possibly followed by a NUL.
    /// - Returns: nil if there is no such file, or the name is not one of Core Data's.
    func contents(named name: some Sequence<UInt8>) -> [UInt8]? {
        let name = Array(name.prefix { $0 != 0 })
        // A UUID. Nothing else may become part of a path.
        guard name.count == 36, name.allSatisfy({ Self.isUUIDByte($0) }) else { return nil }
        for path in paths {
            if let contents = Self.read(path + String(decoding: name, as: UTF8.self)) { return contents }
        }
        return nil
    }

    private static func isUUIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func read(_ path: String) -> [UInt8]? {
        // A link could lead to any file of the machine.
        let descriptor = RegularFile.open(path, followsLinks: false)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        // A sparse file can have any size.
        guard fstat(descriptor, &status) == 0, status.st_size <= longest else { return nil }
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
                return nil
            }
        }
    }
}
