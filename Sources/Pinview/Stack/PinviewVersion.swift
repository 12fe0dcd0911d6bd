import PinviewGenerations

/// What this library is.
public enum PinviewVersion {
    /// The version of the library, by semantic versioning.
    public static let string = "0.1.0"
    public static let major = 0, minor = 1, patch = 0

    /// The version of the system's SQLite that the process uses, such as `3.40.1`.
    public static var sqliteVersion: String { SQLiteLibrary.version }

    /// The level of Core Data that the library stands for: above every published
    /// `NSCoreDataVersionNumber`.
    public static let coreDataVersionNumber = 700.0
}
