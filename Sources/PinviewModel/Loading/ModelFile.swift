import Glibc

/// Reads the files and folders of models: whole files, which must be regular ones.
enum ModelFile {
    private static let maximumSize = 256 << 20

    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// - Throws: `invalidArgument`, naming the path, for a file that cannot be read.
    static func bytes(_ path: String) throws(PinviewError) -> [UInt8] {
        // Opening a FIFO would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw failure(path, "opened", errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(path, "opened", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            let thing =
                switch status.st_mode & S_IFMT {
                case S_IFDIR: "a folder"
                case S_IFIFO: "a FIFO"
                case S_IFCHR, S_IFBLK: "a device"
                default: "something else"
                }
            throw PinviewError(.invalidArgument, "The model file '\(path)' is \(thing), not a regular file.")
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(Int(clamping: status.st_size), maximumSize))
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &chunk, chunk.count)
            if count < 0 {
                if errno == EINTR { continue }
                throw failure(path, "read", errno)
            }
            if count == 0 { return bytes }
            guard bytes.count + count <= maximumSize else {
                throw PinviewError(
                    .invalidArgument, "The model file '\(path)' has more than \(maximumSize) bytes, the most that is read.")
            }
            bytes += chunk[..<count]
        }
    }

    /// The names in a folder, sorted.
    static func names(inFolder path: String) throws(PinviewError) -> [String] {
        guard let folder = opendir(path) else { throw failure(path, "opened", errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: $0.pointee)) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    private static func failure(_ path: String, _ what: String, _ number: Int32) -> PinviewError {
        PinviewError(
            .invalidArgument, "The model file '\(path)' cannot be \(what): \(String(cString: strerror(number))).")
    }
}
