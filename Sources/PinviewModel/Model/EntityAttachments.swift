import Glibc
import Synchronization

/// Objects and templates that the layers above attach to a model until it is in use. Any thread may
/// use it.
package final class EntityAttachments: @unchecked Sendable {  // guarded by `mutex`
    // Allocated, because a mutex must not move.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private var templates: [String: FetchRequestDescription]
    private var byEntity: [Int: any AnyObject & Sendable] = [:]
    private var isClosed = false
    /// A serial number that no other model of this process has had.
    package let serial = EntityAttachments.serials.add(1, ordering: .relaxed).newValue
    private static let serials = Atomic<UInt64>(0)

    init(templates: [String: FetchRequestDescription] = [:]) {
        self.templates = templates
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deinitialize(count: 1)
        mutex.deallocate()
    }

    /// Attaches an object to an entity, replacing the previous one; nil removes it.
    /// - Returns: false, changing nothing, if the model is already in use.
    package func set(_ attachment: (any AnyObject & Sendable)?, forEntityIndex index: Int) -> Bool {
        pthread_mutex_lock(mutex)
        // Released after unlocking, because its deinitializer may run code of the application.
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

    /// Stores a fetch request under a name; nil removes it.
    /// - Returns: false, changing nothing, if the model is already in use.
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

    /// Marks the model as in use and returns the attached objects by entity index.
    package func close() -> [Int: any AnyObject & Sendable] {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        isClosed = true
        return byEntity
    }
}
