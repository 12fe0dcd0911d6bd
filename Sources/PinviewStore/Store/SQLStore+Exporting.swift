import Glibc
import PinviewGenerations
import PinviewModel

extension SQLStore {
    /// Writes a generation to a database file of its own.
    ///
    /// - Parameters:
    ///   - generation: nil for the newest state.
    ///   - monitor: told of the progress; false cancels the export.
    package func export(
        _ generation: Generation?, to path: String, replacing: Bool, monitor: (ExportProgress) -> Bool
    ) throws(PinviewError) {
        let columns = schema.externalColumns
        guard let externalFiles, !columns.isEmpty else {
            return try Self.exporting(to: path, name) {
                try file.export(generation, to: path, replacing: replacing, monitor: monitor)
            }
        }
        // The files that the rows refer to must be those of the same state.
        var state = generation
        if state == nil, supportsGenerations { state = try currentGeneration() }
        let names = try read(at: state) { try ExternalDataFiles.names(columns, $0) }
        try Self.exporting(to: path, name) {
            try externalFiles.directory.copy(names, besideStore: path) {
                try file.export(state, to: path, replacing: replacing, monitor: monitor)
            }
        }
    }

    /// Writes the newest state of any SQLite database to a file of its own. The database is opened
    /// for reading only.
    package static func exportDatabase(
        at source: String, to path: String, replacing: Bool, monitor: (ExportProgress) -> Bool
    ) throws(PinviewError) {
        let name = StoreName(.file(path: source))
        let file: StoreFile
        do {
            var options = StoreFileOptions()
            options.isReadOnly = true
            file = try StoreFile.open(path: source, options: options)
        } catch {
            throw PinviewError(any: error, while: .opening, store: name)
        }
        defer { file.close() }
        let directory = ExternalDataDirectory(storePath: source)
        try exporting(to: path, name) {
            try directory.copy(directory.names, besideStore: path) {
                try file.export(nil, to: path, replacing: replacing, monitor: monitor)
            }
        }
    }

    private static func exporting(to path: String, _ store: StoreName, _ body: () throws -> Void) throws(PinviewError) {
        do {
            try body()
        } catch let error as SQLiteError where error.kind == .interrupted {
            throw PinviewError(.userCancelled, "Exporting \(store.within) to '\(path)' was cancelled; no file was written.")
        } catch let error as SQLiteError where error.path == path {
            // What is wrong is wrong with the new file.
            throw PinviewError.sqlite(
                .persistentStoreOperation, "Exporting \(store.within) to '\(path)' failed: \(error.message).",
                sqliteCode: error.extendedCode, sqliteMessage: error.message, store: nil
            ).with(affectedStores: store.affected)
        } catch {
            throw PinviewError(any: error, while: .reading, store: store)
        }
    }
}
