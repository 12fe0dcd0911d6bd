import Glibc
import Synchronization

/// Spreads threads over a few stripes, so that those doing the same thing at the same time do not
/// compete for a cache line. Threads that share a stripe only lose speed.
enum ThreadStripe {
    static let count = 8
    private static let last = Atomic<Int>(0)
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The stripe of the calling thread.
    static var current: Int {
        let known = Int(bitPattern: pthread_getspecific(key))
        if known != 0 { return known & (count - 1) }
        let number = last.add(1, ordering: .relaxed).newValue
        // 0 stands for a thread without a stripe.
        let stored = number & (count - 1) | count
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: stored))
        return stored & (count - 1)
    }
}

/// Words on separate cache lines, one for each stripe.
private struct StripedWords: ~Copyable, @unchecked Sendable {  // atomic
    private static let stride = 128
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: ThreadStripe.count * stride, alignment: stride)

    init() { for stripe in 0..<ThreadStripe.count { word(stripe).initialize(to: Atomic<UInt>(0)) } }

    deinit { memory.deallocate() }

    func word(_ stripe: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        (memory + stripe * Self.stride).assumingMemoryBound(to: Atomic<UInt>.self)
    }
}

/// A counter that many threads increment.
final class StripedCounter: Sendable {
    private let words = StripedWords()

    func increment() { _ = words.word(ThreadStripe.current).pointee.add(1, ordering: .relaxed) }

    var value: UInt64 { (0..<ThreadStripe.count).reduce(0) { $0 &+ UInt64(words.word($1).pointee.load(ordering: .relaxed)) } }
}

/// One slot for each stripe, which the stripe's threads put objects in and take them from without a
/// lock. Objects in slots are retained.
final class StripedSlots<Object: AnyObject>: Sendable {
    private let words = StripedWords()

    /// Takes the object out of the slot of the calling thread's stripe.
    func take() -> Object? { take(from: ThreadStripe.current) }

    /// - Returns: false if the slot is taken.
    func put(_ object: Object) -> Bool {
        let retained = Unmanaged.passRetained(object)
        let word = UInt(bitPattern: retained.toOpaque())
        if words.word(ThreadStripe.current).pointee.compareExchange(expected: 0, desired: word, ordering: .sequentiallyConsistent).exchanged
        {
            return true
        }
        retained.release()
        return false
    }

    /// Takes the objects out of all slots.
    func takeAll() -> [Object] { (0..<ThreadStripe.count).compactMap(take(from:)) }

    private func take(from stripe: Int) -> Object? {
        // Check first, because reading is cheaper than writing and slots are often empty.
        guard words.word(stripe).pointee.load(ordering: .sequentiallyConsistent) != 0,
            let pointer = UnsafeMutableRawPointer(
                bitPattern: words.word(stripe).pointee.exchange(0, ordering: .sequentiallyConsistent))
        else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    deinit { _ = takeAll() }
}
