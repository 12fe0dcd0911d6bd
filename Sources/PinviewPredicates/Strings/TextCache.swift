import Glibc
import PinviewModel

/// What has been made of texts that are used again and again, shared by all threads.
///
/// Programs have few different texts. One that keeps making new ones, which no cache can help, does not
/// need the old ones either.
final class TextCache<Made: Sendable>: @unchecked Sendable {  // `made` is guarded by `mutex`
    // Allocated, because a mutex must not move. Never freed.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var made: [ExactText: Made] = [:]

    private static var capacity: Int { 256 }
    private let longest: Int

    /// - Parameter longest: how many bytes a text may have to be kept.
    init(longest: Int = .max) {
        self.longest = longest
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    /// What is made of a text, made now if it is not known.
    func made<Failure>(of text: String, _ make: () throws(Failure) -> Made) throws(Failure) -> Made {
        guard text.utf8.count <= longest else { return try make() }
        let key = ExactText(text)
        pthread_mutex_lock(mutex)
        let known = made[key]
        pthread_mutex_unlock(mutex)
        if let known { return known }
        let new = try make()
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if made.count >= Self.capacity { made.removeAll(keepingCapacity: true) }
        made[key] = new
        return new
    }
}
