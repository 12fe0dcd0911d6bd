/// Whether what was read under a pin belongs to the pinned state.
enum PinVerdict {
    case stands
    /// It does not, and never will again.
    case lost(LossReason)
    /// The system would not say. The read that asked fails; the pin stays, and the next read asks again.
    case unknown(SystemError)

    var stands: Bool { if case .stands = self { true } else { false } }
}
