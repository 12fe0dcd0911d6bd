import PinviewModel

/// Sets attributes of a realised object, on a thread that is inside the context already.
extension ManagedObject {
    /// Sets a stored attribute to a value that needs no conversion. Returns false, changing
    /// nothing, in all other cases, for which the caller takes the general path.
    package func setAtOnce(_ value: Value, at index: Int) -> Bool { setQuickly(value, at: index) }

    @inline(__always)
    func setQuickly(_ value: Value, at index: Int) -> Bool {
        unmanagedBinding._withUnsafeGuaranteedRef { binding in
            guard let property = binding.attribute(at: index, taking: value) else { return false }
            return binding.unmanagedState._withUnsafeGuaranteedRef { state in
                guard state.isReadable, flags.isDisjoint(with: [.fault, .invalidated]), !state.isUnnoticed else { return false }
                // This calls nothing of the program's, so the owner need not enter again.
                state.queue.change { state.setStoredAttribute(self, property, value) }
                return true
            }
        }
    }
}
