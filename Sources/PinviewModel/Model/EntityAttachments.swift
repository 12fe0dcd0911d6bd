import Glibc
import Synchronization

/// What the layers above keep with the entities of a model; open until the model is in use. Any thread may use it.
package final class EntityAttachments: @unchecked Sendable {  // guarded by `mutex`
    // Allocated, for a mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var templates: [String: FetchRequestDescription] = [:]
    private var byEntity: [Int: any AnyObject & Sendable] = [:]
    private var isClosed = false
    /// Tells the model from all others that this process has had.
    package let serial = EntityAttachments.serials.add(1, ordering: .relaxed).newValue
    private static let serials = Atomic<UInt64>(0)

    init() {
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Keeps something for an entity, in the place of what was kept for it before; nil takes that away.
    /// - Returns: false when the model is in use already and nothing was changed.
    package func set(_ attachment: (any AnyObject & Sendable)?, forEntityIndex index: Int) -> Bool {
        pthread_mutex_lock(mutex)
        // Let go after the lock: what goes with it may be the program's.
        var old: (any AnyObject & Sendable)?
        defer {
            pthread_mutex_unlock(mutex)
            withExtendedLifetime(old) {}
        }
        if isClosed { return false }
        old = byEntity[index]
        byEntity[index] = attachment
        return true
    }

    /// Keeps a fetch request under a name; nil takes it away.
    /// - Returns: false when the model is in use already and nothing was changed.
    func set(_ template: FetchRequestDescription?, forTemplateName name: String) -> Bool {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        if isClosed { return false }
        templates[name] = template
        return true
    }

    var fetchRequestTemplates: [String: FetchRequestDescription] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return templates
    }

    /// All that is kept, by entity index. From now on it stays as it is.
    package func close() -> [Int: any AnyObject & Sendable] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        return byEntity
    }
}
