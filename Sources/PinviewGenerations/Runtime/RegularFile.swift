import Glibc

/// What is at a path that somebody has given: only a regular file can be a store. To open a FIFO would block until somebody writes
/// to it, and a device may do anything when it is opened.
package enum RegularFile {
    /// What is at the path if it is neither a regular file nor missing, such as "a FIFO".
    package static func otherThing(at path: String) -> String? {
        var status = stat()
        // What cannot be asked is left to who opens it: the error is better then.
        guard stat(path, &status) == 0 else { return nil }
        return otherThing(status)
    }

    /// - Parameter status: of an open descriptor.
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

    /// Opens a file for reading, without ever waiting for a writer.
    ///
    /// - Parameter followsLinks: whether the path may be a symbolic link.
    /// - Returns: the descriptor; −1 with `errno` where the file cannot be opened, and with EINVAL where it is no regular one.
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
