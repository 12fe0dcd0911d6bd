import PinviewGenerations

/// The version of the library, and what it is built on.
public enum PinviewVersion {
    /// The version of the library (semantic versioning).
    public static let string = "0.1.0"
    /// The parts of the version.
    public static let major = 0, minor = 1, patch = 0

    /// The version of the system's SQLite in use, such as `3.40.1`.
    public static var sqliteVersion: String { SQLiteLibrary.version }

    /// The version of Core Data that the library corresponds to, above every published
    /// `NSCoreDataVersionNumber`.
    public static let coreDataVersionNumber = 700.0
}
