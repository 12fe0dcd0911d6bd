import Glibc

/// Checks that a path refers to a regular file, as a store must. Opening a FIFO would block until
/// someone writes to it, and opening a device may have any effect.
package enum RegularFile {
    /// What is at the path, such as "a FIFO", if it is neither a regular file nor missing.
    package static func otherThing(at path: String) -> String? {
        var status = stat()
        // If it cannot be examined, opening it gives a better error.
        guard stat(path, &status) == 0 else { return nil }
        return otherThing(status)
    }

    package static func exists(at path: String) -> Bool { access(path, F_OK) == 0 }

    /// - Parameter status: the status of a file or descriptor.
    package static func otherThing(_ status: stat) -> String? {
        switch status.st_mode & S_IFMT {
        case S_IFREG: nil
        case S_IFDIR: "a folder"
        case S_IFIFO: "a FIFO"
        case S_IFSOCK: "a socket"
        case S_IFCHR, S_IFBLK: "a device"
        default: "something else"
        }
    }

    /// Opens a file for reading without ever waiting for a writer.
    ///
    /// - Parameter followsLinks: whether the path may be a symbolic link.
    /// - Returns: the descriptor; −1 with `errno` set if the file cannot be opened, to EINVAL if it
    ///   is not a regular file.
    package static func open(_ path: String, followsLinks: Bool = true) -> Int32 {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW))
        guard descriptor >= 0 else { return -1 }
        var status = stat()
        guard fstat(descriptor, &status) == 0, otherThing(status) == nil else {
            Glibc.close(descriptor)
            errno = EINVAL
            return -1
        }
        return descriptor
    }
}
