import PinviewModel

/// The objects that a fetch found, in order. A collection; with a batch size its elements' rows are
/// loaded in pages as they are accessed (FET-13).
///
/// A batched result belongs to its context's queue as objects do. A page that cannot be loaded leaves its objects
/// as faults, and reading one of their properties gives the error.
public struct FetchResult: RandomAccessCollection {
    @usableFromInline let batches: BatchedObjects?
    @usableFromInline let objects: [ManagedObject]

    init(objects: [ManagedObject]) {
        self.objects = objects
        batches = nil
    }

    init(batches: BatchedObjects) {
        self.batches = batches
        objects = []
    }

    // Inlinable: going through the objects costs no calls then.
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { batches == nil ? objects.count : batchedCount }

    @inlinable public subscript(position: Int) -> ManagedObject {
        batches == nil ? objects[position] : batchedObject(at: position)
    }

    @usableFromInline var batchedCount: Int { batches?.references.count ?? 0 }

    @usableFromInline
    func batchedObject(at position: Int) -> ManagedObject { batches?.object(at: position) ?? objects[position] }
}

/// The state of a batched result: the keys of all elements, and the objects of the pages accessed so far.
@usableFromInline
final class BatchedObjects {
    let references: [ObjectReference]
    private let state: ContextState
    private let entity: Entity
    private let batchSize: Int
    private var pages: [Int: [ManagedObject]] = [:]

    init(state: ContextState, entity: Entity, references: [ObjectReference], batchSize: Int) {
        self.state = state
        self.entity = entity
        self.references = references
        self.batchSize = batchSize
    }

    func object(at index: Int) -> ManagedObject {
        state.readOnQueue {
            let page = index / batchSize
            if let objects = pages[page] { return objects[index - page * batchSize] }
            let range = page * batchSize..<Swift.min((page + 1) * batchSize, references.count)
            let objects = state.objectsOfPage(references[range], entity: entity)
            pages[page] = objects
            return objects[index - range.lowerBound]
        }
    }
}
