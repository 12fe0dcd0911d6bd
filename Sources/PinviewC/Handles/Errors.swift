import CPinview
import Glibc
import Pinview

/// What an error handle stands for.
final class ErrorBox {
    let error: PinviewError
    let status: pinview_status
    let domain, message, description, validationKey: TextStorage
    let stores: [TextStorage]
    let conflicts: [ConflictTexts]
    let constraints: [ConstraintTexts]
    let userdata: UnsafeMutableRawPointer?
    private let freeUserdata: pinview_free_callback?
    /// What a callback left, when this is that error with something added on its way through the
    /// library.
    private let original: ErrorBox?
    private let lock = ThreadLock()
    private let arena = Arena()

    init(
        _ error: PinviewError, status: pinview_status? = nil, userdata: UnsafeMutableRawPointer? = nil,
        freeUserdata: pinview_free_callback? = nil
    ) {
        self.error = error
        let origin = error.programError as? CallbackError
        original = origin?.box
        self.status = status ?? origin?.status ?? error.status
        self.userdata = userdata ?? origin?.box.userdata
        self.freeUserdata = freeUserdata
        domain = TextStorage(error.domain)
        message = TextStorage(error.message)
        description = TextStorage(error.description)
        validationKey = TextStorage(error.validationKey)
        stores = error.affectedStores.map { TextStorage($0) }
        constraints = error.constraintConflicts.map(ConstraintTexts.init)
        let numbers = Dictionary(
            error.constraintConflicts.enumerated().map { ($1, Int32(clamping: $0 + 1)) }, uniquingKeysWith: { first, _ in first })
        conflicts = error.conflicts.map { ConflictTexts($0, constraintNumber: $0.constraint.flatMap { numbers[$0] } ?? 0) }
    }

    deinit { if let freeUserdata { callingOut { freeUserdata(userdata) } } }

    /// A value that lives as long as the error: errors are immutable, so the memory only grows by
    /// what is asked for.
    func value(_ value: Value) throws(PinviewError) -> pinview_value {
        lock.lock()
        defer { lock.unlock() }
        return try pinview_value(value, arena)
    }

    func objectID(_ objectID: ManagedObjectID) throws(PinviewError) -> OpaquePointer {
        lock.lock()
        defer { lock.unlock() }
        let handle = try Handles.make(objectID)
        arena.own(handle)
        return handle
    }
}

/// The properties of a conflict in alphabetical order, with their names for C.
final class ConflictTexts {
    let names: [String]
    let texts: [TextStorage]
    /// 1 + the index of the constraint conflict; 0 for none.
    let constraintNumber: Int32

    init(_ conflict: MergeConflict, constraintNumber: Int32) {
        self.constraintNumber = constraintNumber
        names = Set(conflict.base.keys).union(conflict.mine.keys).union(conflict.theirs?.keys ?? [:].keys).sorted()
        texts = names.map { TextStorage($0) }
    }
}

/// The names of a constraint conflict for C; those of the snapshots in alphabetical order.
final class ConstraintTexts {
    let entityName: TextStorage
    let constraint: [TextStorage]
    let names: [String]
    let texts: [TextStorage]

    init(_ conflict: ConstraintConflict) {
        entityName = TextStorage(conflict.entityName)
        constraint = conflict.constraint.map { TextStorage($0) }
        var known = Set((conflict.databaseSnapshot ?? [:]).keys)
        for snapshot in conflict.conflictingSnapshots { known.formUnion(snapshot.keys) }
        names = known.sorted()
        texts = names.map { TextStorage($0) }
    }
}

extension PinviewError {
    /// The status that goes with an error.
    var status: pinview_status {
        switch domain {
        case PinviewError.pinviewErrorDomain, PinviewError.cocoaErrorDomain:
            // A program can make errors of these domains too, with any number: the status of a
            // failure is never 0.
            code > 0 && code <= Int(Int32.max) ? -Int32(code) : 100
        case PinviewError.sqliteErrorDomain: PINVIEW_ERROR_SQLITE
        default: code >= 100 && code <= Int(Int32.max) ? Int32(code) : 100
        }
    }
}

extension PinviewError {
    /// The call would wait for the one that it is made in.
    fileprivate static var insideStatement: PinviewError {
        PinviewError(
            .invalidArgument,
            "A callback of the SQL log, and a check that may stop a fetch, run in the middle of a statement and cannot use the library.")
    }
}

/// An error that a callback of the program left, on its way back to the program.
struct CallbackError: ProgramError, @unchecked Sendable {  // errors are immutable
    let status: pinview_status
    let box: ErrorBox
    var pinviewError: PinviewError { box.error }
}

/// The last error of each thread.
enum LastError {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { value in
            guard let value else { return }
            _ = HandleTable.release(OpaquePointer(value), .error)
        }
        return key
    }()

    static var handle: OpaquePointer? { pthread_getspecific(key).map { OpaquePointer($0) } }

    /// Takes over one reference.
    static func set(_ handle: OpaquePointer?) {
        let old = Self.handle
        pthread_setspecific(key, handle.map { UnsafeRawPointer($0) })
        // The last release takes the table's lock, which a forked child must not.
        if let old, !ForkedProcess.isCurrent { _ = HandleTable.release(old, .error) }
    }
}

/// Whether a thread is inside a callback of the program that `runCallback` runs.
enum CallbackDepth {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    // The number itself is the thread's value, so that there is nothing to free.
    private static var depth: Int {
        get { Int(bitPattern: pthread_getspecific(key)) }
        set { pthread_setspecific(key, UnsafeRawPointer(bitPattern: newValue)) }
    }

    static var isInside: Bool { depth > 0 }

    static func inside<R>(_ body: () -> R) -> R {
        depth += 1
        defer { depth -= 1 }
        return body()
    }
}

/// The error of a forked child. It is made in the parent, for in the child the table's lock may be
/// held for ever; handing it out takes no lock.
private enum ForkedError {
    // Made once, and a handle may be used by any thread.
    nonisolated(unsafe) private static let handle: OpaquePointer? = {
        ForkedProcess.arm()
        do throws(PinviewError) { try Handles.checkProcess(asIfForked: true) } catch {
            return try? HandleTable.make(.error, ErrorBox(error), isCounted: false)
        }
        return nil
    }()

    /// Whether this is such a child; in any other process it sees to it that the error exists.
    static var isDue: Bool { handle != nil && ForkedProcess.isCurrent }

    static func report(_ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
        guard let handle else { return PINVIEW_ERROR_FORKED }
        error?.pointee = error != nil && HandleTable.retain(handle, .error) ? handle : nil
        if HandleTable.retain(handle, .error) { LastError.set(handle) }
        return PINVIEW_ERROR_FORKED
    }
}

/// Every entry point that can fail runs its work in here: no Swift error crosses the border, and no
/// entry point decides by itself what becomes of one.
///
/// - Parameter insideStatements: whether callbacks that run in the middle of a statement may call
///   it: errors can be looked at there.
func call(
    _ error: UnsafeMutablePointer<OpaquePointer?>?, insideStatements: Bool = false, _ body: () throws -> Void
) -> pinview_status {
    guard !ForkedError.isDue else { return ForkedError.report(error) }
    do {
        if !insideStatements, StatementCallbacks.isInside { throw PinviewError.insideStatement }
        try body()
        error?.pointee = nil
        return PINVIEW_OK
    } catch let failure as CallbackError {
        return report(failure.box, failure.status, error)
    } catch let failure as PinviewError {
        let box = ErrorBox(failure)
        return report(box, box.status, error)
    } catch let failure {
        let other = PinviewError(domain: PinviewError.pinviewErrorDomain, code: 102, message: "\(failure)")
        return report(ErrorBox(other), other.status, error)
    }
}

private func report(_ box: ErrorBox, _ status: pinview_status, _ error: UnsafeMutablePointer<OpaquePointer?>?) -> pinview_status {
    error?.pointee = nil
    // Without a handle left the status has to do.
    guard let handle = try? HandleTable.make(.error, box) else { return status }
    if let error {
        _ = HandleTable.retain(handle, .error)
        error.pointee = handle
    }
    LastError.set(handle)
    return status
}

/// The place for a result, which has to be there.
func require<T>(_ out: UnsafeMutablePointer<T>?, _ parameter: String) throws(PinviewError) -> UnsafeMutablePointer<T> {
    guard let out else { throw PinviewError(.invalidArgument, "'\(parameter)' is NULL; there is no place for the result.") }
    return out
}

/// The place for a handle: NULL until there is one.
func requireHandle(_ out: UnsafeMutablePointer<OpaquePointer?>?, _ parameter: String = "out") throws(PinviewError) -> UnsafeMutablePointer<
    OpaquePointer?
> {
    let out = try require(out, parameter)
    out.pointee = nil
    return out
}

/// Runs a callback of the program and lets its failure through whole.
func runCallback(_ body: () -> pinview_status) throws {
    let before = LastError.handle
    let status = callingOut { CallbackDepth.inside(body) }
    switch status {
    case PINVIEW_OK, PINVIEW_USE_DEFAULT: return
    case PINVIEW_STOP: throw PinviewError(.stopped, "A callback asked to stop.")
    default:
        // The callback's own error, if it left one: it may be one of the library's or one made by
        // pinview_error_create.
        if let last = LastError.handle, last != before, let box = HandleTable.object(last, .error) as? ErrorBox, box.status == status {
            // It goes on as the error of the call around the callback, and ends where that is
            // dropped.
            LastError.set(nil)
            throw CallbackError(status: status, box: box)
        }
        let error = PinviewError(
            domain: String(cString: PINVIEW_CALLBACK_ERROR_DOMAIN), code: Int(status), message: "A callback returned the status \(status).")
        throw CallbackError(status: status, box: ErrorBox(error, status: status))
    }
}
