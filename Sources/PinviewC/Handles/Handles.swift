import CPinview
import Pinview

/// The objects behind handles: the Swift object, with the texts that were handed out.
final class ModelBox {
    let model: ManagedObjectModel
    private let lock = ThreadLock()
    /// The last is the newest; templates may have been added since the others were made.
    private var jsonTexts: [TextStorage] = []
    private var json = ""

    private var names: [String: TextStorage] = [:]

    init(_ model: ManagedObjectModel) { self.model = model }

    /// A name, kept as long as the model.
    func view(of name: String) -> pinview_string {
        lock.withLock {
            if let known = names[name] { return known.view }
            let text = TextStorage(name)
            names[name] = text
            return text.view
        }
    }

    /// A text made for a caller, kept as long as the model.
    func keep(_ text: String) -> pinview_string { view(of: text) }

    /// The model as JSON, kept as long as the model.
    func jsonView() -> pinview_string {
        lock.withLock {
            let text = model.jsonRepresentation()
            if let last = jsonTexts.last, text == json { return last.view }
            let storage = TextStorage(text)
            jsonTexts.append(storage)
            json = text
            return storage.view
        }
    }
}

final class EntityBox {
    let model: ManagedObjectModel
    let entity: Entity
    let name: TextStorage
    let parentName: TextStorage
    /// The name, destination and inverse of each property.
    let propertyTexts: [(TextStorage, TextStorage, TextStorage)]
    let compositeTexts: [TextStorage]
    /// The name and destination of each fetched property.
    let fetchedPropertyTexts: [(TextStorage, TextStorage)]

    init(_ entity: Entity, _ model: ManagedObjectModel) {
        self.entity = entity
        self.model = model
        name = TextStorage(entity.name)
        parentName = TextStorage(entity.superentityName)
        fetchedPropertyTexts = entity.fetchedProperties.map { (TextStorage($0.name), TextStorage($0.fetchRequest.entityName)) }
        compositeTexts = entity.composites.map { TextStorage($0.name) }
        propertyTexts = entity.properties.map {
            (TextStorage($0.name), TextStorage($0.isRelationship ? $0.destinationEntityName : nil), TextStorage($0.inverseName))
        }
    }
}

final class StoreBox {
    let store: PersistentStore
    let identifier, type, path, configuration, journalMode: TextStorage

    init(_ store: PersistentStore) {
        self.store = store
        identifier = TextStorage(store.identifier)
        type = TextStorage(store.type.rawValue)
        path = TextStorage(store.path)
        configuration = TextStorage(store.configurationName)
        journalMode = TextStorage(store.journalMode)
    }
}

final class TokenBox {
    let token: QueryGenerationToken
    let description: TextStorage
    private let lock = ThreadLock()
    private var data: TextStorage?

    init(_ token: QueryGenerationToken) {
        self.token = token
        description = TextStorage(token.description)
    }

    /// The token as bytes, which publishes its generation. Always the same bytes.
    func dataView() -> pinview_binary {
        let bytes = token.data()
        return lock.withLock {
            if let data { return data.binary }
            let data = TextStorage()
            bytes.withUnsafeBytes { data.set($0) }
            self.data = data
            return data.binary
        }
    }
}

/// The context of a handle; nil for a wrong handle, and in a child of fork().
func contextBox(_ context: OpaquePointer?) -> ContextBox? {
    Handles.boxOrNil(context, .context, ContextBox.self)
}

final class ContextBox {
    let context: ManagedObjectContext
    private let lock = ThreadLock()
    private let name = TextStorage()
    private let author = TextStorage()

    init(_ context: ManagedObjectContext) { self.context = context }

    func nameView() -> pinview_string { lock.withLock { name.set(context.name) } }
    func authorView() -> pinview_string { lock.withLock { author.set(context.transactionAuthor) } }
}

final class UndoManagerBox {
    let manager: UndoManager
    private let lock = ThreadLock()
    private let undoName = TextStorage()
    private let redoName = TextStorage()

    init(_ manager: UndoManager) { self.manager = manager }

    func undoNameView() -> pinview_string { lock.withLock { undoName.set(manager.undoActionName) } }
    func redoNameView() -> pinview_string { lock.withLock { redoName.set(manager.redoActionName) } }
}

final class WeakContextBox {
    weak var context: ManagedObjectContext?
    init(_ context: ManagedObjectContext) { self.context = context }
}

final class WeakObjectBox {
    weak var object: ManagedObject?
    init(_ object: ManagedObject) { self.object = object }
}

/// The description of a predicate or an expression, made on demand: with ten thousand values it is
/// long.
final class LazyDescription: @unchecked Sendable {
    private let lock = ThreadLock()
    private let make: () -> String
    private var made: TextStorage?

    init(_ make: @escaping () -> String) { self.make = make }

    var view: pinview_string {
        lock.withLock {
            let text = made ?? TextStorage(make())
            made = text
            return text.view
        }
    }
}

final class PredicateBox {
    let predicate: PinviewPredicate
    let description: LazyDescription

    init(_ predicate: PinviewPredicate) {
        self.predicate = predicate
        description = LazyDescription { predicate.description }
    }
}

final class ExpressionBox {
    let expression: PinviewExpression
    let description: LazyDescription

    init(_ expression: PinviewExpression) {
        self.expression = expression
        description = LazyDescription { expression.description }
    }
}

final class ContainerBox {
    let container: PersistentContainer
    init(_ container: PersistentContainer) { self.container = container }
}

final class NotificationBox {
    let notification: PinviewNotification
    let name: TextStorage

    init(_ notification: PinviewNotification) {
        self.notification = notification
        name = TextStorage(notification.name.rawValue)
    }
}

final class BufferBox {
    let arena = Arena()
    /// Made when a column is read.
    private(set) lazy var column = ObjectColumn()
    /// The values of a column as C values.
    var values: UnsafeMutableBufferPointer<pinview_value> = .init(start: nil, count: 0)

    deinit { values.deallocate() }
}

/// Making handles, and looking up their objects.
enum Handles {
    /// - Throws: `forked`, or `invalidHandle`, which names the expected kind.
    static func box<Box: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, _ type: Box.Type) throws(PinviewError) -> Box {
        try checkProcess()
        guard let object = HandleTable.object(handle, kind) as? Box else {
            throw invalid(handle, kind)
        }
        return object
    }

    /// The object of a handle, for functions that report no errors: nil also for an invalid handle
    /// and in a forked process.
    static func boxOrNil<Box: AnyObject>(_ handle: OpaquePointer?, _ kind: HandleKind, _ type: Box.Type) -> Box? {
        if ForkedProcess.isCurrent { return nil }
        return HandleTable.object(handle, kind) as? Box
    }

    /// Looks up a handle for the length of a call, without counting a reference to its object; see
    /// `HandleTable.Borrowed`.
    @inline(__always)
    static func borrow(_ handle: OpaquePointer?, _ kind: HandleKind) throws(PinviewError) -> HandleTable.Borrowed {
        try checkProcess()
        if let borrowed = HandleTable.Borrowed(handle, kind) { return borrowed }
        throw invalid(handle, kind)
    }

    /// Looks up the objects of several handles for the length of a call, without counting references
    /// to them. NULL is skipped.
    ///
    /// - Parameter handles: must stay in memory until the loan ends.
    static func borrowObjects(
        _ handles: UnsafeBufferPointer<OpaquePointer?>
    ) throws(PinviewError) -> HandleTable.BorrowedList<ManagedObject> {
        try checkProcess()
        if let borrowed = HandleTable.BorrowedList(handles, .object, ManagedObject.self) { return borrowed }
        throw invalid(handles.first { $0 != nil } ?? nil, .object)
    }

    private static func invalid(_ handle: OpaquePointer?, _ kind: HandleKind) -> PinviewError {
        let what = handle == nil ? "NULL was given" : "The handle is invalid (released, or of another kind)"
        return PinviewError(.invalidHandle, "\(what) where a \(kind.name) was expected.")
    }

    static func checkProcess(asIfForked: Bool = false) throws(PinviewError) {
        guard ForkedProcess.isCurrent || asIfForked else { return }
        throw PinviewError(
            .forked,
            "This process was created by fork() from one that uses Pinview, so it cannot use Pinview itself. Start it with spawn or exec instead."
        )
    }

    static func model(_ handle: OpaquePointer?) throws(PinviewError) -> ManagedObjectModel { try box(handle, .model, ModelBox.self).model }
    static func coordinator(_ handle: OpaquePointer?) throws(PinviewError) -> PersistentStoreCoordinator {
        try box(handle, .coordinator, PersistentStoreCoordinator.self)
    }
    static func store(_ handle: OpaquePointer?) throws(PinviewError) -> PersistentStore { try box(handle, .store, StoreBox.self).store }
    static func token(_ handle: OpaquePointer?) throws(PinviewError) -> QueryGenerationToken {
        try box(handle, .token, TokenBox.self).token
    }
    static func context(_ handle: OpaquePointer?) throws(PinviewError) -> ManagedObjectContext {
        try box(handle, .context, ContextBox.self).context
    }
    static func undoManager(_ handle: OpaquePointer?) throws(PinviewError) -> UndoManager {
        try box(handle, .undoManager, UndoManagerBox.self).manager
    }
    static func object(_ handle: OpaquePointer?) throws(PinviewError) -> ManagedObject {
        let borrowed = try borrow(handle, .object)
        defer { borrowed.end() }
        return borrowed.thing(ManagedObject.self).takeUnretainedValue()
    }
    static func objectID(_ handle: OpaquePointer?) throws(PinviewError) -> ManagedObjectID {
        let borrowed = try borrow(handle, .objectID)
        defer { borrowed.end() }
        return borrowed.thing(ManagedObjectID.self).takeUnretainedValue()
    }
    static func objectIDs(
        _ handles: UnsafePointer<OpaquePointer?>?, _ count: Int, _ parameter: String
    ) throws(PinviewError) -> [ManagedObjectID] {
        let handles = try elements(handles, count, parameter)
        var objectIDs: [ManagedObjectID] = []
        objectIDs.reserveCapacity(count)
        for handle in handles { objectIDs.append(try objectID(handle)) }
        return objectIDs
    }
    static func predicate(_ handle: OpaquePointer?) throws(PinviewError) -> PinviewPredicate {
        try box(handle, .predicate, PredicateBox.self).predicate
    }
    static func expression(_ handle: OpaquePointer?) throws(PinviewError) -> PinviewExpression {
        try box(handle, .expression, ExpressionBox.self).expression
    }

    static func make(_ model: ManagedObjectModel) throws(PinviewError) -> OpaquePointer { try HandleTable.make(.model, ModelBox(model)) }
    static func make(_ entity: Entity, _ model: ManagedObjectModel) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.entity, EntityBox(entity, model))
    }
    static func make(_ coordinator: PersistentStoreCoordinator) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.coordinator, coordinator)
    }
    static func make(_ store: PersistentStore) throws(PinviewError) -> OpaquePointer { try HandleTable.make(.store, StoreBox(store)) }
    static func make(_ token: QueryGenerationToken) throws(PinviewError) -> OpaquePointer { try HandleTable.make(.token, TokenBox(token)) }
    static func make(_ context: ManagedObjectContext) throws(PinviewError) -> OpaquePointer { try make(ContextBox(context)) }
    static func make(_ context: ContextBox) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.context, context, known: (0, 0))
    }
    static func make(_ manager: UndoManager) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.undoManager, UndoManagerBox(manager))
    }
    static func make(_ object: ManagedObject) throws(PinviewError) -> OpaquePointer { try HandleTable.make(.object, object) }
    static func make(_ objectID: ManagedObjectID) throws(PinviewError) -> OpaquePointer {
        let key = objectID.key
        // The lowest bit stays free.
        let hierarchy = UInt64(UInt32(bitPattern: key.storeNumber)) << 32 | UInt64(UInt32(bitPattern: key.rootEntity) << 1)
        return try HandleTable.make(.objectID, objectID, known: (hierarchy, UInt64(bitPattern: key.primaryKey)))
    }

    /// The key of an ID, without taking a reference; nil if the handle is invalid.
    @inline(__always)
    static func key(_ objectID: OpaquePointer?) -> ObjectKey? {
        guard let (hierarchy, primaryKey) = HandleTable.known(objectID, .objectID) else { return nil }
        return ObjectKey(
            storeNumber: Int32(truncatingIfNeeded: hierarchy >> 32), rootEntity: Int32(truncatingIfNeeded: hierarchy) >> 1,
            primaryKey: Int64(bitPattern: primaryKey))
    }

    static func make(
        _ contents: ResultBox.Contents, rowCounts: ResultBox.RowCounts? = nil, outcomes: [UpsertOutcome]? = nil
    ) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.result, ResultBox(contents, rowCounts: rowCounts, outcomes: outcomes))
    }
    static func make(_ predicate: PinviewPredicate) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.predicate, PredicateBox(try predicate.withinLimits()))
    }
    static func make(_ expression: PinviewExpression) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.expression, ExpressionBox(try expression.withinLimits()))
    }
    static func make(_ notification: PinviewNotification) throws(PinviewError) -> OpaquePointer {
        try HandleTable.make(.notification, NotificationBox(notification))
    }
    static func make(_ error: PinviewError) throws(PinviewError) -> OpaquePointer { try HandleTable.make(.error, ErrorBox(error)) }

    // MARK: The functions that every kind has

    static func retain(_ handle: OpaquePointer?, _ kind: HandleKind) -> pinview_status {
        if ForkedProcess.isCurrent { return PINVIEW_ERROR_FORKED }
        return HandleTable.retain(handle, kind) ? PINVIEW_OK : PINVIEW_ERROR_INVALID_HANDLE
    }

    /// A forked child cannot end anything and only forgets the handle.
    static func release(_ handle: OpaquePointer?, _ kind: HandleKind) -> pinview_status {
        if handle == nil || ForkedProcess.isCurrent { return PINVIEW_OK }
        if StatementCallbacks.isInside { return releaseLater(handle, kind) }
        return HandleTable.release(handle, kind) ? PINVIEW_OK : PINVIEW_ERROR_INVALID_HANDLE
    }

    /// Releases many handles; invalid ones are skipped.
    static func release(_ handles: UnsafeBufferPointer<OpaquePointer?>, _ kind: HandleKind) {
        if ForkedProcess.isCurrent { return }
        if StatementCallbacks.isInside {
            for handle in handles { _ = releaseLater(handle, kind) }
        } else {
            HandleTable.release(handles, kind)
        }
    }

    /// Releases a handle inside the callback of the SQL log on another thread: deallocating its
    /// object might wait for the statement in which the callback runs.
    @inline(never)
    private static func releaseLater(_ handle: OpaquePointer?, _ kind: HandleKind) -> pinview_status {
        guard HandleTable.isGood(handle, kind) else { return PINVIEW_ERROR_INVALID_HANDLE }
        // Handles are plain numbers.
        nonisolated(unsafe) let handle = handle
        BackgroundWork.run { _ = HandleTable.release(handle, kind) }
        return PINVIEW_OK
    }

    /// Whether two handles have equal objects.
    static func isEqual<Box: AnyObject>(
        _ left: OpaquePointer?, _ right: OpaquePointer?, _ kind: HandleKind, _ type: Box.Type, _ compare: (Box, Box) -> Bool
    ) -> Int32 {
        guard let left = HandleTable.object(left, kind) as? Box, let right = HandleTable.object(right, kind) as? Box else { return 0 }
        return compare(left, right) ? 1 : 0
    }
}
