import PinviewGenerations
import PinviewModel

/// Translates between an entity's properties and the bit masks that the history stores for them
/// (`ZCOLUMNS`).
///
/// A mask must mean the same regardless of the order in which a model declares its properties, so
/// bits are assigned by the properties' names:
///
///     bit   0   1   2     3     4    …        (bit 0 is the most significant bit of the first byte)
///           –   –   age   born  boss …        (stored properties, inherited ones included, sorted by the bytes of their names)
///
/// As far as its files show, Core Data uses the same format. Early versions of Pinview numbered
/// properties as declared, starting with the least significant bit. A change's `Z_OPT` tells the
/// formats apart row by row, since an early version may still write to the same file.
final class ColumnMasks: Sendable {
    /// `Z_OPT` of changes whose masks are sorted by name; earlier versions wrote 1.
    static let form: Int64 = 2
    private static let offset = 2

    private let model: ManagedObjectModel
    private let tables: LockedTables
    /// Whether it is known which property a bit stands for.
    private let isKnown: Bool

    /// - Parameter additions: properties of the model that the store's own model lacks, which have
    ///   no bits; nil if these are unknown, so that no mask can be read.
    init(model: ManagedObjectModel, additions: Set<Property>? = []) {
        self.model = model
        isKnown = additions != nil
        tables = LockedTables(additions: additions ?? [])
    }

    /// The indexes of properties as bits, starting with the least significant one: the format in
    /// which changes are collected. The file has masks instead.
    static func bits(of properties: [Property]) -> [UInt8] {
        var bits: [UInt8] = []
        for property in properties {
            let byte = property.index / 8
            while bits.count <= byte { bits.append(0) }
            bits[byte] |= 1 << UInt8(property.index % 8)
        }
        return bits
    }

    /// The mask, as bytes for the file, of properties.
    ///
    /// - Parameter bits: see ``bits(of:)``.
    func withMask<R>(ofEntityIndex entityIndex: Int, bits: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        let table = tables.sorted(model.entities[entityIndex])
        return try withUnsafeTemporaryAllocation(byteCount: table.byteCount, alignment: 1) { mask in
            mask.initializeMemory(as: UInt8.self, repeating: 0)
            var used = 0
            Self.forEachBit(bits) { index in
                guard table.bitOfProperty.indices.contains(index), table.bitOfProperty[index] >= 0 else { return }
                let bit = table.bitOfProperty[index]
                mask[bit / 8] |= 0x80 >> UInt8(bit % 8)
                used = max(used, bit / 8 + 1)
            }
            return try body(UnsafeRawBufferPointer(rebasing: mask[..<used]))
        }
    }

    /// The indexes of a mask's properties, in ascending order.
    ///
    /// - Parameters:
    ///   - column: the column of `statement` with the mask.
    ///   - form: `Z_OPT` of the change.
    ///   - declaredOrder: each entity's property names in the order of the model that the store was
    ///     created with, which explains masks of early versions; nil for a store of Core Data.
    func properties(
        of statement: Statement, _ column: Int32, form: Int64, entityIndex: Int, declaredOrder: () throws -> [String: [String]]?
    ) throws -> [Int] {
        guard isKnown, !statement.isNull(column) else { return [] }
        let entity = model.entities[entityIndex]
        let mask = statement.withBytes(column) { Array($0) }
        var properties: [Int] = []
        if form == Self.form {
            let sorted = tables.sorted(entity).propertyOfBit
            for bit in 0..<mask.count * 8 where mask[bit / 8] & 0x80 >> UInt8(bit % 8) != 0 {
                if sorted.indices.contains(bit - Self.offset) { properties.append(sorted[bit - Self.offset]) }
            }
        } else {
            let declared = try tables.declared(entity, declaredOrder)
            Self.forEachBit(mask) { if declared.indices.contains($0), declared[$0] >= 0 { properties.append(declared[$0]) } }
        }
        return properties.sorted()
    }

    private static func forEachBit(_ bits: [UInt8], _ body: (Int) -> Void) {
        for byte in bits.indices where bits[byte] != 0 {
            for bit in 0..<8 where bits[byte] >> UInt8(bit) & 1 == 1 { body(byte * 8 + bit) }
        }
    }

    /// The order of bits of one entity.
    struct Sorted {
        /// By property index; −1 for a property that is not stored.
        var bitOfProperty: [Int]
        var propertyOfBit: [Int]
        var byteCount: Int { (propertyOfBit.count + offset + 7) / 8 }

        init(_ entity: Entity, additions: Set<Property> = []) {
            // Transient properties are not part of the version hash, so adding one must not move
            // the others.
            propertyOfBit = entity.properties.indices.filter { index in
                !entity.properties[index].isTransient && !additions.contains(entity.properties[index])
            }.sorted {
                entity.properties[$0].name.utf8.lexicographicallyPrecedes(entity.properties[$1].name.utf8)
            }
            bitOfProperty = [Int](repeating: -1, count: entity.properties.count)
            for (position, index) in propertyOfBit.enumerated() { bitOfProperty[index] = position + offset }
        }
    }

    /// Results of earlier calls. Most stores never need them.
    private final class LockedTables: @unchecked Sendable {  // guarded by `lock`
        private let lock = Lock()
        private let additions: Set<Property>
        private var sorted: [Int: Sorted] = [:]
        private var declared: [Int: [Int]] = [:]
        private var order: [String: [String]]??

        init(additions: Set<Property>) {
            self.additions = additions
        }

        func sorted(_ entity: Entity) -> Sorted {
            lock.withLock {
                if let known = sorted[entity.index] { return known }
                let made = Sorted(entity, additions: additions)
                sorted[entity.index] = made
                return made
            }
        }

        /// The property index of each bit in masks of early versions; −1 for none.
        func declared(_ entity: Entity, _ readOrder: () throws -> [String: [String]]?) throws -> [Int] {
            try lock.withLock {
                if let known = declared[entity.index] { return known }
                let order: [String: [String]]?
                if let known = self.order { order = known } else { order = try readOrder() }
                self.order = .some(order)
                let made = order?[entity.name].map { $0.map { entity.propertyIndex(named: $0) ?? -1 } } ?? Array(entity.properties.indices)
                declared[entity.index] = made
                return made
            }
        }
    }
}
