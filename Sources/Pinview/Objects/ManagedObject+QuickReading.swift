import FoundationEssentials
import PinviewGenerations
import PinviewModel
import PinviewStore

/// Reads properties of an object that are in its row, on a thread that can enter the context without
/// waiting.
///
/// Nothing is retained and nothing fails on this path. In all other cases the caller takes the
/// general path.
extension ManagedObject {
    /// The index of a property of the object's entity.
    @inline(__always)
    func quickIndex(named name: String) -> Int? { unmanagedBinding._withUnsafeGuaranteedRef { $0.entity.propertyIndex(named: name) } }

    /// Runs a body with the block of the object's row, on the queue.
    @inline(__always)
    private func withRow<R>(
        _ body: (EntityBinding, ContextState, Unmanaged<RowBlock>, Int) -> R?
    ) -> R? {
        unmanagedBinding._withUnsafeGuaranteedRef { binding in
            binding.unmanagedState._withUnsafeGuaranteedRef { state in
                state.readAtOnce {
                    guard let row = rowNumber, let block = plainBlock ?? unmanagedExtras?._withUnsafeGuaranteedRef({ $0.unmanagedBlock }),
                        flags.isDisjoint(with: [.invalidated, .fault]) || realiseFromPrefetchedRow(block, state, binding)
                    else { return nil }
                    return body(binding, state, block, row)
                }
            }
        }
    }

    /// Realises a fault from its prefetched row, if it may.
    private func realiseFromPrefetchedRow(_ block: Unmanaged<RowBlock>, _ state: ContextState, _ binding: EntityBinding) -> Bool {
        if flags.contains(.invalidated) || hasExtras { return false }
        return block._withUnsafeGuaranteedRef { state.realiseFromPrefetchedRow(self, $0, binding) }
    }

    /// Whether the object has something else for a property than its row has.
    @inline(__always)
    func isReplaced(_ index: Int) -> Bool { unmanagedExtras?._withUnsafeGuaranteedRef { $0.hasSlot(index) } ?? false }

    /// Runs a body with the row of the object.
    /// - Returns: whether it ran.
    @inline(__always)
    func withQuickRow(_ body: (RowBlock, Int) -> Void) -> Bool {
        withRow { (_, _, block, row) -> Void? in block._withUnsafeGuaranteedRef { body($0, row) } } != nil
    }

    /// The value of an attribute.
    @inline(__always)
    func quickValue(at index: Int) -> Value? { valueInside(at: index) ?? valueAtOnce(at: index) }

    /// The value of an attribute in the usual case: the calling thread is inside the context, and
    /// the object has its values and nothing else.
    @inline(__always)
    private func valueInside(at index: Int) -> Value? {
        unmanagedBinding._withUnsafeGuaranteedRef { binding in
            guard binding.unmanagedState._withUnsafeGuaranteedRef({ $0.isReadable }), let values = valuesAlone else { return nil }
            return values.block._withUnsafeGuaranteedRef { block in
                guard let access = binding.knownAccess(to: index, in: block), access.isStoredAttribute else { return nil }
                if access.kind == .integer, let integer = block.integerInSlot(row: values.row, column: Int(access.column)) {
                    return .integer(integer)
                }
                let cell = block.cell(row: values.row, column: Int(access.column))
                var sink = ValueSink()
                return access.kind.decode(cell.type, cell.bits, bytes: block.bytes(at: cell.bits), into: &sink)
            }
        }
    }

    @inline(never)
    private func valueAtOnce(at index: Int) -> Value? {
        withRow { (binding, _, block, row) in
            block._withUnsafeGuaranteedRef { block in
                guard let access = binding.access(to: index, in: block), access.isStoredAttribute, !isReplaced(index) else { return nil }
                let cell = block.cell(row: row, column: Int(access.column))
                var sink = ValueSink()
                if let value = access.kind.decode(cell.type, cell.bits, bytes: block.bytes(at: cell.bits), into: &sink) { return value }
                // A file is read through the general path, which knows what to do if it is gone.
                return access.kind == .externalBinary
                    ? nil : binding.property(at: index)?._withUnsafeGuaranteedRef { block.value(row: Int32(row), of: $0) }
            }
        }
    }

    /// The value of an attribute that is a number or null and is in the row; otherwise nil. Calls
    /// nothing that takes a lock.
    @inline(__always)
    func plainNumber(at index: Int) -> PlainNumber? {
        guard let row = rowNumber, let block = plainBlock, flags.isDisjoint(with: [.invalidated, .fault]) else { return nil }
        return unmanagedBinding._withUnsafeGuaranteedRef { binding in
            block._withUnsafeGuaranteedRef { block in PlainNumber(binding.knownAccess(to: index, in: block), block, row) }
        }
    }

    /// Passes on the values of attributes that are numbers or null and are in the row.
    ///
    /// - Returns: false if one of them needs more than that. Those before it have been passed on.
    package func giveNumbers(at indexes: UnsafeBufferPointer<Int32>, take: (Int, PlainNumber) -> Void) -> Bool {
        withRow { (binding, _, block, row) -> Void? in
            block._withUnsafeGuaranteedRef { block in
                for position in indexes.indices {
                    let index = Int(indexes[position])
                    guard !isReplaced(index), let number = PlainNumber(binding.access(to: index, in: block), block, row) else { return nil }
                    take(position, number)
                }
                return ()
            }
        } != nil
    }

    /// The destination of a to-one relationship, or none.
    ///
    /// From now on, the object refers to it (REF-09).
    @inline(__always)
    func quickDestination(at index: Int) -> ManagedObject?? {
        if !unmanagedBinding._withUnsafeGuaranteedRef({ $0.isToOne(index) }) { return nil }
        return withRow { (binding, state, block, row) -> ManagedObject?? in
            if hasExtras { return nil }
            if let link {
                return link.pointee.property == index ? .some(link.pointee.destination.takeUnretainedValue()) : nil
            }
            return block._withUnsafeGuaranteedRef { rows -> ManagedObject?? in
                guard let access = binding.access(to: index, in: rows), access.kind == .reference else { return nil }
                let cell = rows.cell(row: row, column: Int(access.column))
                if cell.type == .null { return .some(nil) }
                guard cell.type == .integer, let (destination, link) = state.registry.destination(cell.bits, index, binding, block)
                else { return nil }
                takeLink(link)
                return .some(destination)
            }
        }
    }
}

/// An attribute value that needs no memory of its own.
package struct PlainNumber {
    package let kind: ValueReader.Kind
    /// For a double and a date, the bits of the number.
    package let bits: Int64

    package init(kind: ValueReader.Kind, bits: Int64) { (self.kind, self.bits) = (kind, bits) }

    /// The value of an attribute in a row; nil if it is no number.
    @inline(__always)
    fileprivate init?(_ access: EntityBinding.PropertyAccess?, _ block: RowBlock, _ row: Int) {
        guard let access, access.isStoredAttribute else { return nil }
        if access.kind == .integer, let integer = block.integerInSlot(row: row, column: Int(access.column)) {
            self.init(kind: .integer, bits: integer)
            return
        }
        let cell = block.cell(row: row, column: Int(access.column))
        var sink = Sink()
        guard let number = access.kind.decode(cell.type, cell.bits, bytes: UnsafeRawBufferPointer(start: nil, count: 0), into: &sink) ?? nil
        else { return nil }
        self = number
    }

    /// Returns nil for anything but numbers.
    struct Sink: CellSink {
        func takeNull() -> PlainNumber? { PlainNumber(kind: .null, bits: 0) }
        func take(integer: Int64) -> PlainNumber? { PlainNumber(kind: .integer, bits: integer) }
        func take(boolean: Bool) -> PlainNumber? { PlainNumber(kind: .boolean, bits: boolean ? 1 : 0) }
        func take(real: Double) -> PlainNumber? { PlainNumber(kind: .double, bits: Int64(bitPattern: real.bitPattern)) }
        func take(date: Double) -> PlainNumber? { PlainNumber(kind: .date, bits: Int64(bitPattern: date.bitPattern)) }
        func take(text: UnsafeRawBufferPointer) -> PlainNumber? { nil }
        func take(binary: UnsafeRawBufferPointer) -> PlainNumber? { nil }
        func take(reference: Int64) -> PlainNumber? { nil }
        func takeOther() -> PlainNumber? { nil }
    }
}
