import PinviewGenerations
import PinviewModel
import PinviewStore

/// Binds an entity to a context and a store: what all objects of that entity and store have in
/// common in that context.
///
/// Belongs to the context's state, which every object retains. Immutable, but for what says "On the
/// queue".
final class EntityBinding: @unchecked Sendable {
    let unmanagedState: Unmanaged<ContextState>
    let entity: Entity
    let entityNumber: UInt64
    /// All entities of the model.
    let entities: [Entity]
    /// The entity's properties, by index.
    private let properties: UnsafeMutablePointer<Unmanaged<Property>>
    let propertyCount: Int
    /// How many of them are texts.
    let textCount: Int
    /// How to find each property in rows, by index.
    private let accesses: UnsafeMutablePointer<PropertyAccess>
    /// The row layout to which the columns in `accesses` belong, retained. On the queue.
    private var layout: Unmanaged<AnyObject>?
    /// How many blocks since then had another layout; layouts may alternate.
    private var otherLayoutCount = 0
    private static let otherLayoutLimit = 16

    struct PropertyAccess {
        /// `.none` for a property without a column.
        let kind: CellKind
        /// Whether it is an attribute with a column.
        @inline(__always)
        var isStoredAttribute: Bool { kind != .none && kind != .reference }
        /// A value fits an integer property if it fits 64 − `unusedBits` bits. Negative: every
        /// value must be converted. The minimum: it is derived and takes none.
        private let unusedBits: Int8
        /// The column in rows of the layout; negative if there is none.
        var column: Int32 = -1
        /// The table of a to-one relationship's destinations, once it has been followed. Owned by
        /// the context's state.
        var destinations: Unmanaged<IdentityTable>?

        init(_ property: Property) {
            unusedBits =
                switch property.attributeType {
                case _ where property.isDerived: .min
                case .integer16: 48
                case .integer32: 32
                case .float: -1
                default: 0
                }
            kind = property.isStored ? property.cellKind : .none
        }

        /// Whether a stored property can take a value without conversion.
        @inline(__always)
        func takes(_ value: Value) -> Bool {
            switch (kind, value) {
            case (.none, _), (.reference, _): false
            case _ where unusedBits == .min: false
            case (_, .null): true
            case (.integer, .integer(let integer)): (integer << Int64(unusedBits)) >> Int64(unusedBits) == integer
            case (.real, .double): unusedBits == 0
            case (.text, .string), (.boolean, .boolean), (.date, .date): true
            default: false
            }
        }
    }
    let storeNumber: Int32
    let rootEntity: Int32
    let isConstrained: Bool
    /// Whether rows of the hierarchy can be of other entities.
    let hasRelatives: Bool
    /// Whether data of the objects may be in files of their own.
    let hasExternalData: Bool
    /// Guarded by the lock of the context's registry.
    let table: IdentityTable
    /// Nil until the context has a coordinator.
    let rowCache: RowCache?
    /// The index in ``EntityBindings``.
    private(set) var number: UInt32 = 0

    init(state: ContextState, entity: Entity, storeNumber: Int32, table: IdentityTable, coordinator: PersistentStoreCoordinator?) {
        unmanagedState = .passUnretained(state)
        self.entity = entity
        entityNumber = entity.number
        entities = coordinator?.managedObjectModel.entities ?? []
        propertyCount = entity.properties.count
        textCount = entity.properties.count { $0.cellKind == .text }
        hasExternalData = entity.properties.contains { $0.cellKind == .externalBinary }
        properties = .allocate(capacity: propertyCount)
        for (index, property) in entity.properties.enumerated() { (properties + index).initialize(to: .passUnretained(property)) }
        accesses = .allocate(capacity: propertyCount)
        for (index, property) in entity.properties.enumerated() { (accesses + index).initialize(to: PropertyAccess(property)) }
        self.storeNumber = storeNumber
        rootEntity = Int32(entity.rootIndex)
        isConstrained = !entity.allUniquenessConstraints.isEmpty
        hasRelatives = entity.rootIndex != entity.index || entity.familyIndexes.count > 1
        self.table = table
        rowCache = coordinator?.rowCache
        number = EntityBindings.add(self)
    }

    deinit {
        EntityBindings.remove(number)
        properties.deallocate()
        accesses.deallocate()
        layout?.release()
    }

    var state: ContextState { unmanagedState.takeUnretainedValue() }

    /// The property of an index, unretained; the entity owns it.
    @inline(__always)
    func property(at index: Int) -> Unmanaged<Property>? {
        UInt(bitPattern: index) < UInt(bitPattern: propertyCount) ? properties[index] : nil
    }

    /// The property of an index, unretained, if it is a stored attribute that can take a value
    /// without conversion.
    @inline(__always)
    func attribute(at index: Int, taking value: Value) -> Unmanaged<Property>? {
        UInt(bitPattern: index) < UInt(bitPattern: propertyCount) && accesses[index].takes(value) ? properties[index] : nil
    }

    /// On the queue.
    private(set) lazy var slotsOfNewObjects = SlotsOfNewObjects(entity)

    /// The layout of rows with the values of new objects. On the queue.
    private(set) lazy var newRowLayout = state.model.map { RowLayout(entity: entity, model: $0) }

    /// Whether the entity has a relationship with rows of its own. On the queue.
    private(set) lazy var hasOwnMembers = entity.relationships.contains { state.hasOwnMembers($0) }

    @inline(__always)
    var toManyIndexes: [Int] { entity.toManyIndexes }

    @inline(__always)
    func isToMany(_ index: Int) -> Bool { property(at: index)?._withUnsafeGuaranteedRef { $0.isToMany } ?? false }

    /// Whether a property is an attribute with a value in the row.
    @inline(__always)
    func isStoredAttribute(_ index: Int) -> Bool {
        guard UInt(bitPattern: index) < UInt(bitPattern: propertyCount) else { return false }
        return accesses[index].isStoredAttribute
    }

    /// How to find a property in the rows of a block; nil if it has no column there. On the queue.
    @inline(__always)
    func access(to index: Int, in block: RowBlock) -> PropertyAccess? {
        guard UInt(bitPattern: index) < UInt(bitPattern: propertyCount), let access = accesses(in: block)?[index] else { return nil }
        return access.column < 0 ? nil : access
    }

    /// How to find each property in the rows of a block, by index; nil if the block has another
    /// layout than most. On the queue.
    @inline(__always)
    func accesses(in block: RowBlock) -> UnsafePointer<PropertyAccess>? {
        guard block.unmanagedContext?.toOpaque() == layout?.toOpaque() || adoptLayout(of: block) else { return nil }
        return UnsafePointer(accesses)
    }

    /// How to find a property in rows of the known layout.
    @inline(__always)
    func knownAccess(to index: Int, in block: RowBlock) -> PropertyAccess? {
        guard UInt(bitPattern: index) < UInt(bitPattern: propertyCount), let layout,
            block.unmanagedContext?.toOpaque() == layout.toOpaque(), accesses[index].column >= 0
        else { return nil }
        return accesses[index]
    }

    @inline(never)
    private func adoptLayout(of block: RowBlock) -> Bool {
        otherLayoutCount += 1
        if layout != nil, otherLayoutCount < Self.otherLayoutLimit { return false }
        otherLayoutCount = 0
        layout?.release()
        layout = block.unmanagedContext?.retain()
        let row = RowSnapshot(block: block, row: 0)
        for index in 0..<propertyCount {
            accesses[index].column = Int32(truncatingIfNeeded: properties[index]._withUnsafeGuaranteedRef { row.column(of: $0) })
        }
        return true
    }

    /// The stored to-one relationships that have inverses. On the queue.
    private(set) lazy var toOneWithInverse: [(property: Property, inverse: Property)] = entity.relationships.compactMap { property in
        guard !property.isToMany, !property.isTransient, let index = property.inverseIndex,
            entities.indices.contains(property.destinationIndex)
        else { return nil }
        return (property, entities[property.destinationIndex].properties[index])
    }

    /// The hierarchies of their destinations, by `Entity.rootIndex`. On the queue.
    private(set) lazy var toOneDestinationRoots = Array(
        Set(toOneWithInverse.map { Int32(entities[$0.property.destinationIndex].rootIndex) }))

    /// How many bindings the context had when none of them was of such a hierarchy; -1 if one of
    /// them was. On the queue.
    @exclusivity(unchecked) var bindingCountWithoutDestinations = -1

    /// The to-many relationships without an inverse that may have objects of the entity as members.
    /// On the queue.
    private(set) lazy var relationshipsWithoutInverseLeadingHere: [Property] = entities.flatMap { owner in
        owner.relationships.filter {
            $0.declaringEntityIndex == owner.index && $0.isToMany && $0.inverseIndex == nil && !$0.isTransient
                && entity.isKind(ofIndex: $0.destinationIndex)
        }
    }

    /// The to-one relationships from which a deleted object must be removed; nil if its deletion
    /// does more than remove it from to-many relationships without rows and rules of their own. On
    /// the queue.
    private(set) lazy var relationshipsOfUnnoticedOwners: [Int]? = {
        var indexes: [Int] = []
        for relationship in entity.relationships where relationship.deleteRule != .noAction {
            guard relationship.deleteRule == .nullify, !relationship.isToMany, !relationship.isTransient else { return nil }
            guard let inverseIndex = relationship.inverseIndex else { continue }
            for index in entities[relationship.destinationIndex].familyIndexes {
                let inverse = entities[index].properties[inverseIndex]
                guard inverse.isToMany, !inverse.isOrdered, !entities[index].restrictedProperties.contains(where: { $0 === inverse }) else {
                    return nil
                }
            }
            indexes.append(relationship.index)
        }
        return indexes
    }()

    /// The destination key in a row's to-one relationship; nil if there is none. On the queue.
    func reference(_ index: Int, of block: RowBlock, row: Int) -> Int64? {
        if let access = access(to: index, in: block) {
            let cell = block.cell(row: row, column: Int(access.column))
            if cell.type == .null { return nil }
            if cell.type == .integer { return cell.bits }
        }
        // A row of another layout, or not written by Pinview.
        return properties[index]._withUnsafeGuaranteedRef { RowSnapshot(block: block, row: Int32(row)).reference(of: $0)?.primaryKey }
    }

    @inline(__always)
    func isToOne(_ index: Int) -> Bool {
        UInt(bitPattern: index) < UInt(bitPattern: propertyCount) && accesses[index].kind == .reference
    }

    /// The table of a to-one relationship's destinations. Requires the registry's lock.
    @inline(__always)
    func destinations(_ relationship: Int, _ identities: inout IdentityMap) -> Unmanaged<IdentityTable>? {
        accesses[relationship].destinations ?? findDestinations(relationship, &identities)
    }

    @inline(never)
    private func findDestinations(_ relationship: Int, _ identities: inout IdentityMap) -> Unmanaged<IdentityTable>? {
        let destinationIndex = properties[relationship]._withUnsafeGuaranteedRef { $0.destinationIndex }
        guard entities.indices.contains(destinationIndex) else { return nil }
        let table = Unmanaged.passUnretained(identities.table(storeNumber, Int32(entities[destinationIndex].rootIndex)))
        accesses[relationship].destinations = table
        return table
    }

    func key(_ primaryKey: Int64) -> ObjectKey {
        ObjectKey(storeNumber: storeNumber, rootEntity: rootEntity, primaryKey: primaryKey)
    }
}

/// All bindings of the process by number, so that an object needs four bytes for its own.
///
/// The table grows by pieces that never move, so looking up a binding needs no lock: a thread
/// receives an object from a thread that saw its binding entered, and when a save changes an
/// object's number, the thread that entered the new binding releases the change.
enum EntityBindings {
    private typealias Piece = UnsafeMutablePointer<Unmanaged<EntityBinding>?>

    private static let lock = Lock()
    /// The first piece, which holds most programs' bindings. A global that starts as nil needs no
    /// check for initialisation.
    nonisolated(unsafe) private static var firstPiece: Piece?
    /// Piece n holds 64 · 2ⁿ bindings. Written while the lock is held.
    nonisolated(unsafe) private static let pieces: UnsafeMutablePointer<Piece?> = {
        let pieces = UnsafeMutablePointer<Piece?>.allocate(capacity: pieceLimit)
        pieces.initialize(repeating: nil, count: pieceLimit)
        return pieces
    }()
    private static let pieceLimit = 26
    private static let firstSize: UInt = 64
    nonisolated(unsafe) private static var freeNumbers: [UInt32] = []
    nonisolated(unsafe) private static var nextNumber: UInt32 = 0

    private static func place(_ number: UInt32) -> Piece {
        let shifted = UInt(number) + firstSize
        let piece = UInt.bitWidth - 1 - shifted.leadingZeroBitCount
        // Safe: a piece is made before its numbers are handed out.
        return pieces[piece &- 6].unsafelyUnwrapped + Int(shifted - 1 << UInt(piece))
    }

    /// The binding of an object's number.
    @inline(__always)
    static func binding(_ number: UInt32) -> Unmanaged<EntityBinding> {
        if number < UInt32(firstSize), let firstPiece { return firstPiece[Int(number)].unsafelyUnwrapped }
        return place(number).pointee.unsafelyUnwrapped
    }

    fileprivate static func add(_ binding: EntityBinding) -> UInt32 {
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
                    if piece == 0 { firstPiece = new }
                }
            }
            place(number).pointee = .passUnretained(binding)
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
