import FoundationEssentials
import PinviewModel

// The C library copies numbers of several attributes at once instead.
#if !PINVIEW_C_LIBRARY
    /// Values of objects that are known by their IDs.
    extension ManagedObjectContext {
        /// The value of an attribute of the object of an ID, as `object(with:).attributeValue(at:)`
        /// returns it. The fastest way to read numbers, Booleans and dates of objects that the context
        /// knows: it takes no reference to the object. Fires a fault.
        ///
        /// - Parameter index: the attribute's index in the properties of the object's entity.
        /// - Throws: `unknownKey` for the index of something else; 133000 if there is no such row, unless
        ///   the context marks such objects as deleted.
        public func attributeValue(at index: Int, of objectID: ManagedObjectID) throws(PinviewError) -> Value {
            if let number = state.numberAtOnce(of: objectID.key, at: index) { return Value(number) }
            return try object(with: objectID).attributeValue(at: index)
        }
    }

    extension ContextState {
        /// An attribute value of a registered object if it is a number or null in the object's row and
        /// the calling thread is inside the context; otherwise nil.
        @inline(__always)
        func numberAtOnce(of key: ObjectKey, at index: Int) -> PlainNumber? {
            hasParent || !isReadable ? nil : registry.number(of: key, at: index)
        }
    }

    extension Value {
        init(_ number: PlainNumber) {
            switch number.kind {
            case .integer: self = .integer(number.bits)
            case .boolean: self = .boolean(number.bits != 0)
            case .double: self = .double(Double(bitPattern: UInt64(bitPattern: number.bits)))
            case .date: self = .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: UInt64(bitPattern: number.bits))))
            case .null, .text, .binary, .other: self = .null
            }
        }
    }
#endif
