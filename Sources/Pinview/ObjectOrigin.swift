import PinviewGenerations
import PinviewModel
import PinviewStore

/// What all objects of one entity and store have in common in one context.
///
/// It belongs to the context's state, which every object retains. Immutable.
final class ObjectOrigin: @unchecked Sendable {
    let unmanagedState: Unmanaged<ContextState>
    let entity: Entity
    /// Those of the model.
    let entities: [Entity]
    /// Those of the entity, by index.
    private let properties: UnsafeMutablePointer<Unmanaged<Property>>
    private let propertyCount: Int
    let storeNumber: Int32
    let rootEntity: Int32
    /// Guarded by the context's identity lock.
    let table: IdentityTable
    /// Nil until the context has a coordinator.
    let rowCache: RowCache?
    /// The place in ``ObjectOrigins``.
    private(set) var number: UInt32 = 0

    init(state: ContextState, entity: Entity, storeNumber: Int32, table: IdentityTable, coordinator: PersistentStoreCoordinator?) {
        unmanagedState = .passUnretained(state)
        self.entity = entity
        entities = coordinator?.managedObjectModel.entities ?? []
        propertyCount = entity.properties.count
        properties = .allocate(capacity: propertyCount)
        for (index, property) in entity.properties.enumerated() { (properties + index).initialize(to: .passUnretained(property)) }
        self.storeNumber = storeNumber
        rootEntity = Int32(entity.rootIndex)
        self.table = table
        rowCache = coordinator?.rowCache
        number = ObjectOrigins.add(self)
    }

    deinit {
        ObjectOrigins.remove(number)
        properties.deallocate()
    }

    var state: ContextState { unmanagedState.takeUnretainedValue() }

    /// Unretained: the entity has it.
    @inline(__always)
    func property(at index: Int) -> Unmanaged<Property>? {
        UInt(bitPattern: index) < UInt(bitPattern: propertyCount) ? properties[index] : nil
    }

    func key(_ primaryKey: Int64) -> ObjectKey {
        ObjectKey(storeNumber: storeNumber, rootEntity: rootEntity, primaryKey: primaryKey)
    }
}

/// All origins of the process by number: an object has four bytes for its own.
///
/// The table grows by pieces that never move, so that finding one needs no lock: whoever has an object was given it by a thread that saw
/// its origin entered.
enum ObjectOrigins {
    private typealias Piece = UnsafeMutablePointer<Unmanaged<ObjectOrigin>?>

    private static let lock = Lock()
    /// Piece n holds 64 · 2ⁿ origins. Written with the lock held.
    nonisolated(unsafe) private static let pieces: UnsafeMutablePointer<Piece?> = {
        let pieces = UnsafeMutablePointer<Piece?>.allocate(capacity: pieceLimit)
        pieces.initialize(repeating: nil, count: pieceLimit)
        return pieces
    }()
    private static let pieceLimit = 26
    private static let firstSize: UInt = 64
    nonisolated(unsafe) private static var freeNumbers: [UInt32] = []
    nonisolated(unsafe) private static var nextNumber: UInt32 = 0

    @inline(__always)
    private static func place(_ number: UInt32) -> Piece {
        let shifted = UInt(number) + firstSize
        let piece = UInt.bitWidth - 1 - shifted.leadingZeroBitCount
        // Safe: pieces are made before numbers in them are given away.
        return pieces[piece &- 6].unsafelyUnwrapped + Int(shifted - 1 << UInt(piece))
    }

    /// The origin of a number that an object has.
    @inline(__always)
    static func origin(_ number: UInt32) -> Unmanaged<ObjectOrigin> { place(number).pointee.unsafelyUnwrapped }

    fileprivate static func add(_ origin: ObjectOrigin) -> UInt32 {
        lock.withLock {
            let number: UInt32
            if let free = freeNumbers.popLast() {
                number = free
            } else {
                number = nextNumber
                nextNumber += 1
                let shifted = UInt(number) + firstSize
                let piece = UInt.bitWidth - 1 - shifted.leadingZeroBitCount - 6
                if pieces[piece] == nil {
                    let size = Int(firstSize) << piece
                    let new = Piece.allocate(capacity: size)
                    new.initialize(repeating: nil, count: size)
                    pieces[piece] = new
                }
            }
            place(number).pointee = .passUnretained(origin)
            return number
        }
    }

    fileprivate static func remove(_ number: UInt32) {
        lock.withLock {
            place(number).pointee = nil
            freeNumbers.append(number)
        }
    }
}
