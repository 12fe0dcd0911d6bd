import PinviewGenerations

/// A question that the library asks while a fetch, a save or a batch request of a thread runs:
/// whether to stop.
///
/// Another thread stops a fetch with ``ManagedObjectContext/interruptFetch()``. This is for
/// programs that learn on the fetching thread only that it should stop: an interpreter that sees
/// its signals there, or a loop that has to be looked at.
public enum FetchInterruption {
    /// Has a body asked about 20 times a second while the calling thread fetches: objects, IDs,
    /// counts, dictionaries and columns that it reads itself, or while it writes for a save or a
    /// batch request. If it gives true, the call fails with `userCancelled`: a save has then
    /// written nothing, and its changes stay pending; its commit is not interrupted. What is over
    /// within microseconds is not asked about.
    ///
    /// - Parameter check: runs in the middle of SQLite's statement, on the calling thread, and
    ///   cannot use the library; nil for none.
    public static func setCheck(_ check: (() -> Bool)?) { InterruptCheck.set(check) }
}
