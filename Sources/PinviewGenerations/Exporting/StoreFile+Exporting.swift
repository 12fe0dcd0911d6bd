internal import CSQLite
import Glibc

/// Exporting a generation as a file of its own.
extension StoreFile {
    /// Writes a generation to a new database file, which appears under its name only when it is
    /// complete. Writers go on meanwhile.
    ///
    /// - Parameters:
    ///   - generation: nil for the newest state, also of a store without generations.
    ///   - replacing: whether an existing file may be replaced.
    ///   - monitor: called about once per megabyte.
    /// - Throws: kind `interrupted` if the monitor ended it, and the monitor's own errors. There is
    ///   no file then, or still the old one.
    package func export(
        _ generation: Generation?, to path: String, replacing: Bool, monitor: ExportMonitor = { _ in true }
    ) throws {
        try requireOpen()
        try requireFree(path, replacing)
        guard let shared else {
            return try readNewest { try export($0, to: path, replacing, monitor) }
        }
        let generation = try generation ?? currentGeneration()
        guard let image = try image(of: generation, shared) else {
            return try read(at: generation) { try export($0, to: path, replacing, monitor) }
        }
        var status = stat()
        guard fstat(image.main, &status) == 0 else { throw FileCopy.failure(errno, shared.path) }
        let target = try ExportTarget(path, mode: status.st_mode & 0o666, needsName: false)
        do {
            guard try image.write(to: target, monitor) else { throw Self.cancelled(path) }
        } catch {
            try prove(generation, image.pin, shared, after: .any)
            throw error
        }
        try prove(generation, image.pin, shared, after: .any)
        try target.publish(replacing: replacing)
    }

    /// The files and pages that make up a generation; nil if only a connection can read them.
    private func image(of generation: Generation, _ shared: SharedFile) throws(SQLiteError) -> GenerationImage? {
        switch try pin(of: generation, shared) {
        case .mark(let pin):
            guard let main = shared.slots?.mainDescriptor else { return nil }
            try prove(generation, pin, shared, after: .none)
            guard pin.slot > 0, pin.header.frame > 0 else {
                return try GenerationImage(pin: pin, main: main, path: shared.path, regions: nil)
            }
            guard let regions = IndexRegions(frames: pin.header.frame, region: { shared.indexRegion($0) }) else { return nil }
            return try GenerationImage(pin: pin, main: main, path: shared.path, regions: regions)
        case .copy(let pin):
            guard let copy = pin.copy else { return nil }
            return try GenerationImage(pin: pin, main: copy.files.main, path: copy.path, regions: pin.slot > 0 ? copy.regions : nil)
        case .transaction: return nil
        }
    }

    /// Copies what a connection reads, page by page, with SQLite's backup.
    private func export(_ source: Connection, to path: String, _ replacing: Bool, _ monitor: ExportMonitor) throws {
        var status = stat()
        let isFile = namedFiles != nil && stat(self.path, &status) == 0
        let target = try ExportTarget(path, mode: isFile ? status.st_mode & 0o666 : 0o600, needsName: true)
        guard let name = target.temporaryName else { return }
        let copy = try Connection(path: name.hasPrefix("/") ? name : "./" + name, flags: SQLITE_OPEN_READWRITE, vfs: "unix")
        defer { copy.close() }
        for pragma in ["journal_mode=OFF", "synchronous=OFF"] { try copy.execute("PRAGMA " + pragma) }
        guard let backup = sqlite3_backup_init(copy.handle, "main", source.handle, "main") else { throw copy.error(SQLITE_ERROR) }
        let pageSize = try source.value("PRAGMA page_size").flatMap { Int64($0) } ?? 1
        var isFinished = false
        defer { if !isFinished { sqlite3_backup_finish(backup) } }
        // The first step only counts the pages.
        var code = SQLITE_OK, pages: Int32 = 0
        while code == SQLITE_OK {
            code = sqlite3_backup_step(backup, pages)
            pages = 256
            let total = Int64(sqlite3_backup_pagecount(backup)) * pageSize, left = Int64(sqlite3_backup_remaining(backup)) * pageSize
            guard try monitor(ExportProgress(completed: total - left, total: total)) else { throw Self.cancelled(path) }
        }
        isFinished = true
        let finished = sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE, finished == SQLITE_OK else { throw copy.error(code == SQLITE_DONE ? finished : code) }
        copy.close()
        try target.publish(replacing: replacing)
    }

    private static func cancelled(_ path: String) -> SQLiteError {
        SQLiteError(kind: .interrupted, extendedCode: SQLITE_INTERRUPT, message: "the export was cancelled", path: path)
    }

    /// Refuses, before anything is copied, a path that cannot be exported to.
    private func requireFree(_ path: String, _ replacing: Bool) throws(SQLiteError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw FileCopy.failure(EINVAL, path, path.isEmpty ? "the path is empty" : "the path contains a NUL character")
        }
        var existing = stat()
        guard lstat(path, &existing) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return try requireNoJournal(path) }
            throw FileCopy.failure(errno, path)
        }
        guard replacing else { throw ExportTarget.exists(path) }
        guard existing.st_mode & S_IFMT == S_IFREG else {
            throw FileCopy.failure(EINVAL, path, "it is not a regular file, so it is not replaced")
        }
        if namedFiles != nil {
            for own in [self.path, self.path + "-wal", self.path + "-shm"] {
                var status = stat()
                if stat(own, &status) == 0, status.st_dev == existing.st_dev, status.st_ino == existing.st_ino {
                    throw FileCopy.failure(EINVAL, path, "it is a file of the store itself; choose another name")
                }
            }
        }
        try requireNoJournal(path)
    }

    /// SQLite would apply another database's journal to the exported file.
    private func requireNoJournal(_ path: String) throws(SQLiteError) {
        for journal in [path + "-wal", path + "-journal"] {
            var status = stat()
            guard lstat(journal, &status) == 0, status.st_size > 0 else { continue }
            throw FileCopy.failure(
                EEXIST, path, "\(journal) belongs to another database of that name; close the program that uses it, or delete it")
        }
    }
}
