import PinviewModel
import Synchronization

// Left out of the shared library for C, which has no typed objects.
#if !PINVIEW_C_LIBRARY
    /// A property's name that remembers where the property is, so that reading by it costs no
    /// search for the name. Typed objects have one for each of their properties.
    ///
    /// A key may be used with objects of any entity and any model: what it remembers is looked up
    /// by the object's entity each time.
    public final class PropertyKey: @unchecked Sendable {  // `slots` are atomic
        /// The name of the property.
        public let name: String
        /// The indexes for the entities used last: the entity's number, then 16 bits with the
        /// index. An entity and its sub-entities have consecutive numbers, so they rarely share a
        /// slot.
        private let slots: UnsafeMutablePointer<Atomic<UInt64>>
        private static let slotCount = 4

        /// Makes a key of a property's name.
        public init(_ name: String) {
            self.name = name
            slots = .allocate(capacity: Self.slotCount)
            for slot in 0..<Self.slotCount { (slots + slot).initialize(to: Atomic(0)) }
        }

        deinit {
            slots.deinitialize(count: Self.slotCount)
            slots.deallocate()
        }

        /// The index of the property in an entity; nil if it has none.
        @inline(__always)
        func index(in binding: EntityBinding) -> Int? {
            let number = binding.entityNumber
            let word = (slots + Int(number & 3)).pointee.load(ordering: .relaxed)
            if word >> 16 == number { return Int(word & 0xFFFF) }
            return lookUp(binding)
        }

        @inline(never)
        private func lookUp(_ binding: EntityBinding) -> Int? {
            guard let index = binding.entity.propertyIndex(named: name) else { return nil }
            if index <= 0xFFFF {
                let number = binding.entityNumber
                (slots + Int(number & 3)).pointee.store(number << 16 | UInt64(index), ordering: .relaxed)
            }
            return index
        }
    }

    /// Properties by key, for typed objects.
    extension ManagedObject {
        @inline(__always)
        private func index(of key: PropertyKey) -> Int? {
            unmanagedBinding._withUnsafeGuaranteedRef { key.index(in: $0) }
        }

        /// The value of an attribute. Fires a fault.
        public func attributeValue(for key: PropertyKey) throws(PinviewError) -> Value {
            if let index = index(of: key), let value = quickValue(at: index) { return value }
            let property = try attribute(forKey: key.name)
            return try read { (state) throws(PinviewError) in try state.attributeValue(of: self, property) }
        }

        /// Sets an attribute. Fires a fault first.
        public func setAttributeValue(_ value: Value, for key: PropertyKey) throws(PinviewError) {
            if let index = index(of: key), setQuickly(value, at: index) { return }
            try setAttributeValue(value, forKey: key.name)
        }

        /// The destination of a to-one relationship, possibly a fault; nil if there is none.
        public func relatedObject(for key: PropertyKey) throws(PinviewError) -> ManagedObject? {
            if let index = index(of: key), let destination = quickDestination(at: index) { return destination }
            return try relatedObject(forKey: key.name)
        }

        /// Remembers that a property that cannot throw has failed; see
        /// ``ManagedObjectContext/propertyFailure``.
        public func notePropertyFailure(_ error: PinviewError) {
            let state = state
            if state.settings.propertyFailure == nil { state.set(\.propertyFailure, error) }
            PropertyFailures.tell(error)
        }
    }

    extension ManagedObjectContext {
        /// The first failure of a typed property since the last save, or nil. Any thread.
        ///
        /// Properties such as `person.name` cannot throw: reading one that fails gives the value
        /// that its key documents, and setting one changes nothing. So that such a value is not
        /// stored unnoticed, the next ``save()`` throws the failure, once, and writes nothing.
        public var propertyFailure: PinviewError? { state.settings.propertyFailure }

        /// The failure, which the next save then does not throw. Any thread.
        @discardableResult
        public func takePropertyFailure() -> PinviewError? {
            guard let failure = state.settings.propertyFailure else { return nil }
            state.set(\.propertyFailure, nil)
            return failure
        }
    }

    /// Reports every failure of a typed property, for logs.
    public enum PropertyFailures {
        private static let lock = ThreadLock()
        nonisolated(unsafe) private static var handler: (@Sendable (PinviewError) -> Void)?

        /// Sets what is called with each failure, on the thread of the access; nil for nothing,
        /// which is the default.
        public static func setHandler(_ new: (@Sendable (PinviewError) -> Void)?) {
            let old = lock.withLock {
                let old = handler
                handler = new
                return old
            }
            withExtendedLifetime(old) {}
        }

        static func tell(_ error: PinviewError) { lock.withLock { handler }?(error) }
    }
#endif
