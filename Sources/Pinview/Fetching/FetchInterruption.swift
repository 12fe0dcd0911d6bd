import PinviewGenerations

/// A check that the library calls while a thread fetches, fires faults, saves or makes batch
/// requests, and that can stop them.
///
/// Other threads stop a context with ``ManagedObjectContext/interrupt()``. The check is for
/// programs in which only the fetching thread learns that it should stop, such as interpreters that
/// handle signals there, or event loops.
public enum FetchInterruption {
    /// Sets a check that is called about 20 times a second while the calling thread fetches
    /// (objects, IDs, counts, dictionaries, and columns read on that thread), fires faults, writes
    /// for a save or a batch request, or waits for another writer. If it returns true, the call
    /// fails with `userCancelled`. An interrupted save has written nothing and its changes stay
    /// pending; its commit is not interrupted. Operations of microseconds are not checked.
    ///
    /// - Parameter check: runs in the middle of SQLite's statement, on the calling thread, and must
    ///   not use the library; nil removes the check.
    public static func setCheck(_ check: (() -> Bool)?) { InterruptCheck.set(check) }
}
