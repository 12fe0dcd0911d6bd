import Glibc

/// The sanitizers of `make sanitize`.
package enum Sanitizers {
    /// Whether this program runs under one.
    package static let areActive = dlsym(nil, "__sanitizer_set_report_path") != nil
    /// Whether it is the one for threads.
    package static let checkThreads = dlsym(nil, "__tsan_init") != nil
}
