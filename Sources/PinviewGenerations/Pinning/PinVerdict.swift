/// Whether pages read under a pin belong to the pinned state.
enum PinVerdict {
    case stands
    /// They do not, and never will again.
    case lost(LossReason)
    /// The system could not tell. The read fails; the pin stays, and the next read checks again.
    case unknown(SystemError)

    var stands: Bool { if case .stands = self { true } else { false } }
}
