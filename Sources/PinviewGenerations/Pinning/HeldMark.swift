/// A read mark that has been acquired, and the state that it was acquired for.
struct HeldMark {
    let slot: Int
    /// The last frame that readers of the read mark may see.
    let mark: UInt32
    let header: WALHeader
    /// Which of the looks at the main file pins of the read mark are judged by.
    let look: UInt8
}
