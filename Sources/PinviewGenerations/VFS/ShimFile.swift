internal import CSQLite

/// The beginning of a file of Pinview's VFSes. The file of the stock `unix` VFS lies behind it in
/// the same block of memory.
struct ShimFile {
    var base: sqlite3_file
    /// The VFS's data for the file: a `TrackedState` or a `FrozenState`.
    var state: UnsafeMutableRawPointer?

    /// A multiple of 16, so that the real file is aligned.
    static let size = 16

    static func real(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<sqlite3_file> {
        (UnsafeMutableRawPointer(file) + size).assumingMemoryBound(to: sqlite3_file.self)
    }

    /// Whether a file belongs to `pinview-track` and has a `TrackedState`.
    static func isTracked(_ file: UnsafeMutablePointer<sqlite3_file>) -> Bool { file.pointee.pMethods == trackedMethods }

    static func state<State>(_ file: UnsafeMutablePointer<sqlite3_file>, as type: State.Type) -> UnsafeMutablePointer<State>? {
        UnsafeMutableRawPointer(file).assumingMemoryBound(to: ShimFile.self).pointee.state?.assumingMemoryBound(to: State.self)
    }

    /// Fills in the block of a file that has been opened.
    static func fill(
        _ file: UnsafeMutablePointer<sqlite3_file>, methods: UnsafePointer<sqlite3_io_methods>, state: UnsafeMutableRawPointer?
    ) {
        UnsafeMutableRawPointer(file).initializeMemory(as: ShimFile.self, to: ShimFile(base: sqlite3_file(pMethods: methods), state: state))
    }
}

/// The stock `unix` VFS and those derived from it, which are registered once and never
/// unregistered: two here, a third by ``ExaminedVFS``.
struct ShimVFS: @unchecked Sendable {  // the pointers are never written after registration
    let unix: UnsafeMutablePointer<sqlite3_vfs>
    let trackedName: String
    let frozenName: String

    /// Nil if the default VFS of the process is not the stock one: then generations are open
    /// transactions.
    static let shared: ShimVFS? = {
        pinview_disable_memory_statistics()
        guard sqlite3_initialize() == SQLITE_OK, let unix = sqlite3_vfs_find(nil), let name = unix.pointee.zName,
            String(cString: name) == "unix"
        else { return nil }
        unixVFS = unix
        guard
            let tracked = register("pinview-track", { vfs in vfs.xOpen = openTracked }),
            let frozen = register(
                "pinview-frozen",
                { vfs in
                    vfs.xOpen = openFrozen
                    vfs.xDelete = { _, _, _ in SQLITE_READONLY }
                    vfs.xAccess = accessFrozen
                })
        else { return nil }
        return ShimVFS(unix: unix, trackedName: tracked, frozenName: frozen)
    }()

    /// Registers a copy of the stock VFS with some methods replaced, which call the stock one
    /// through `unixVFS`.
    static func register(_ name: String, _ change: (inout sqlite3_vfs) -> Void) -> String? {
        // If there is a second copy of this library in the process, it has the plain name and its
        // own state.
        var name = name
        let copy = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        if sqlite3_vfs_find(name) != nil { name += "-\(UInt(bitPattern: copy))" }
        let bytes = Array(name.utf8CString)
        let text = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        text.initialize(from: bytes, count: bytes.count)
        guard let unix = unixVFS else { return nil }
        copy.initialize(to: unix.pointee)
        copy.pointee.pNext = nil
        copy.pointee.zName = UnsafePointer(text)
        copy.pointee.szOsFile = Int32(ShimFile.size) + unix.pointee.szOsFile
        change(&copy.pointee)
        return sqlite3_vfs_register(copy, 0) == SQLITE_OK ? name : nil
    }
}

/// The stock VFS, for the callbacks; set before any of them can run.
nonisolated(unsafe) var unixVFS: UnsafeMutablePointer<sqlite3_vfs>?

/// Opens the real file behind one of Pinview's.
func openReal(
    _ name: UnsafePointer<CChar>?, _ real: UnsafeMutablePointer<sqlite3_file>, _ flags: Int32, _ outFlags: UnsafeMutablePointer<Int32>?
) -> Int32 {
    guard let unix = unixVFS, let open = unix.pointee.xOpen else { return SQLITE_CANTOPEN }
    real.pointee.pMethods = nil
    return open(unix, name, real, flags, outFlags)
}

// The methods that both kinds of files have in common call the real file. SQLite's own methods are
// all present; the checks only keep a missing one from being called.

let forwardingMethods: sqlite3_io_methods = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 3
    methods.xRead = { file, buffer, count, offset in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xRead?(real, buffer, count, offset) ?? SQLITE_IOERR
    }
    methods.xWrite = { file, buffer, count, offset in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xWrite?(real, buffer, count, offset) ?? SQLITE_IOERR
    }
    methods.xTruncate = { file, size in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xTruncate?(real, size) ?? SQLITE_IOERR
    }
    methods.xSync = { file, flags in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xSync?(real, flags) ?? SQLITE_IOERR
    }
    methods.xFileSize = { file, size in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xFileSize?(real, size) ?? SQLITE_IOERR
    }
    methods.xLock = { file, level in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xLock?(real, level) ?? SQLITE_IOERR
    }
    methods.xUnlock = { file, level in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xUnlock?(real, level) ?? SQLITE_IOERR
    }
    methods.xCheckReservedLock = { file, isReserved in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xCheckReservedLock?(real, isReserved) ?? SQLITE_IOERR
    }
    methods.xFileControl = { file, operation, argument in
        guard let file else { return SQLITE_NOTFOUND }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xFileControl?(real, operation, argument) ?? SQLITE_NOTFOUND
    }
    methods.xSectorSize = { file in
        guard let file else { return 4096 }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xSectorSize?(real) ?? 4096
    }
    methods.xDeviceCharacteristics = { file in
        guard let file else { return 0 }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xDeviceCharacteristics?(real) ?? 0
    }
    methods.xShmBarrier = { file in
        guard let file else { return }
        let real = ShimFile.real(file)
        real.pointee.pMethods.pointee.xShmBarrier?(real)
    }
    methods.xFetch = { file, offset, count, page in
        guard let file else { return SQLITE_IOERR }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xFetch?(real, offset, count, page) ?? SQLITE_IOERR
    }
    methods.xUnfetch = { file, offset, page in
        guard let file else { return SQLITE_OK }
        let real = ShimFile.real(file)
        return real.pointee.pMethods.pointee.xUnfetch?(real, offset, page) ?? SQLITE_OK
    }
    return methods
}()

/// A table of methods that lives as long as the process, as SQLite expects.
func permanentMethods(_ change: (inout sqlite3_io_methods) -> Void) -> UnsafePointer<sqlite3_io_methods> {
    let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    methods.initialize(to: forwardingMethods)
    change(&methods.pointee)
    return UnsafePointer(methods)
}
