/// A read mark that has been acquired, and the state that it was acquired for.
struct HeldMark {
    let slot: Int
    /// The last frame visible under the read mark.
    let mark: UInt32
    let header: WALHeader
    /// Which observation of the main file pins of the read mark are compared with.
    let observation: UInt8
}
