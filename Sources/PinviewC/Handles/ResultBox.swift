import Pinview

final class ResultBox {
    enum Contents {
        case objects(FetchResult, Entity?)
        case objectArray([ManagedObject])
        case objectIDs([ManagedObjectID])
        case dictionaries(DictionaryResult)
        case count(Int)
        case nothing
    }

    /// What became of the rows of a batch insert or an upsert.
    struct RowCounts {
        var inserted = 0, updated = 0, left = 0
    }

    let contents: Contents
    /// The number of elements.
    let count: Int
    /// The names of the values in rows of dictionaries.
    let columnNames: [TextStorage]
    /// Nil unless rows were inserted.
    let rowCounts: RowCounts?
    /// By row; nil except for upserts.
    let outcomes: [UpsertOutcome]?

    init(_ contents: Contents, rowCounts: RowCounts? = nil, outcomes: [UpsertOutcome]? = nil) {
        self.contents = contents
        count = contents.count
        self.rowCounts = rowCounts
        self.outcomes = outcomes
        if case .dictionaries(let rows) = contents {
            columnNames = rows.columnNames.map { TextStorage($0) }
        } else {
            columnNames = []
        }
    }
}

func resultBox(_ result: OpaquePointer?) -> ResultBox? {
    Handles.boxOrNil(result, .result, ResultBox.self)
}

func resultContents(_ result: OpaquePointer?) throws(PinviewError) -> ResultBox.Contents {
    // Loops over results ask: no reference to the box is counted.
    let handle = try Handles.borrow(result, .result)
    defer { handle.end() }
    return handle.thing(ResultBox.self)._withUnsafeGuaranteedRef { $0.contents }
}

/// A range of a result's objects.
func resultObjects(_ result: OpaquePointer?, _ first: UInt64, _ count: Int) throws(PinviewError) -> [ManagedObject] {
    let contents = try resultContents(result)
    let range = try contents.checkRange(first, count)
    // An empty range is no error for any kind of result.
    return range.isEmpty ? [] : try contents.objects(in: range)
}

extension ResultBox.Contents {
    /// - Parameter entity: the request's entity.
    init(_ result: PersistentStoreResult, _ entity: Entity?) {
        self =
            switch result {
            case .objects(let objects): .objects(objects, entity)
            case .objectIDs(let objectIDs): .objectIDs(objectIDs)
            case .dictionaries(let rows): .dictionaries(rows)
            case .count(let count): .count(count)
            case .success, .transactions, .changes, .asynchronous: .nothing
            }
    }

    var count: Int {
        switch self {
        case .objects(let objects, _): objects.count
        case .objectArray(let objects): objects.count
        case .objectIDs(let objectIDs): objectIDs.count
        case .dictionaries(let rows): rows.count
        case .count(let count): count
        case .nothing: 0
        }
    }

    func checkRange(_ first: UInt64, _ count: Int) throws(PinviewError) -> Range<Int> {
        try checkedRange(first, count, of: self.count, "elements in the result")
    }

    func forEachObject(in range: Range<Int>, _ body: (ManagedObject) throws -> Void) throws {
        // A result that keeps its objects needs no more references to them.
        let kept: [ManagedObject]? =
            switch self {
            case .objectArray(let objects): objects
            case .objects(let objects, _): objects.keptObjects
            case .objectIDs, .dictionaries, .count, .nothing: nil
            }
        if let kept { return try kept[range].withUncounted { try $0.forEachObject(body) } }
        // In pieces, so that a batched result keeps no more objects than it must.
        var first = range.lowerBound
        repeat {
            let end = min(first + 512, range.upperBound)
            for object in try objects(in: first..<end) { try body(object) }
            first = end
        } while first < range.upperBound
    }

    func objects(in range: Range<Int>) throws(PinviewError) -> [ManagedObject] {
        switch self {
        case .objects(let objects, _): return objects.objects(in: range)
        case .objectArray(let objects): return Array(objects[range])
        case .objectIDs, .dictionaries, .count, .nothing: throw Self.holdsNoObjects
        }
    }

    private static var holdsNoObjects: PinviewError {
        PinviewError(.wrongType, "The result holds no objects; see pinview_result_get_type.")
    }

    /// Realises the faults in a range, all from one state.
    func realise(_ range: Range<Int>) throws(PinviewError) {
        switch self {
        case .objects(let objects, _): try objects.realise(range)
        case .objectArray(let objects):
            try objects[range].withUncounted { (objects) throws(PinviewError) in try ManagedObject.realiseTogether(objects) }
        case .objectIDs, .dictionaries, .count, .nothing: throw Self.holdsNoObjects
        }
    }

    func object(_ index: Int) throws(PinviewError) -> ManagedObject {
        switch self {
        case .objects(let objects, _): return objects[index]
        case .objectArray(let objects): return objects[index]
        case .objectIDs, .dictionaries, .count, .nothing:
            throw Self.holdsNoObjects
        }
    }
}
