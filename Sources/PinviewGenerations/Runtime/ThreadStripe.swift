import Glibc
import Synchronization

/// Spreads threads over a few places, so that those which do the same thing at the same time do not wait for one cache line. Two threads
/// may have the same place: it is a matter of speed only.
enum ThreadStripe {
    static let count = 8
    private static let last = Atomic<Int>(0)
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// The place of the calling thread.
    static var current: Int {
        let known = Int(bitPattern: pthread_getspecific(key))
        if known != 0 { return known & (count - 1) }
        let number = last.add(1, ordering: .relaxed).newValue
        // 0 stands for a thread without a number.
        let stored = number & (count - 1) | count
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: stored))
        return stored & (count - 1)
    }
}

/// Words that are a cache line and more apart, one for each place.
private struct StripedWords: ~Copyable, @unchecked Sendable {  // atomic
    private static let stride = 128
    private let memory = UnsafeMutableRawPointer.allocate(byteCount: ThreadStripe.count * stride, alignment: stride)

    init() { for place in 0..<ThreadStripe.count { word(place).initialize(to: Atomic<UInt>(0)) } }

    deinit { memory.deallocate() }

    func word(_ place: Int) -> UnsafeMutablePointer<Atomic<UInt>> {
        (memory + place * Self.stride).assumingMemoryBound(to: Atomic<UInt>.self)
    }
}

/// A count that many threads raise.
final class StripedCounter: Sendable {
    private let words = StripedWords()

    func increment() { _ = words.word(ThreadStripe.current).pointee.add(1, ordering: .relaxed) }

    var value: UInt64 { (0..<ThreadStripe.count).reduce(0) { $0 &+ UInt64(words.word($1).pointee.load(ordering: .relaxed)) } }
}

/// One object for each place, put down and taken up again by the threads of the place without a lock. What is put down is retained.
final class StripedSlots<Object: AnyObject>: Sendable {
    private let words = StripedWords()

    /// What lies at the place of the calling thread.
    func take() -> Object? { take(from: ThreadStripe.current) }

    /// - Returns: false when something lies there already.
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

    /// What lies anywhere.
    func takeAll() -> [Object] { (0..<ThreadStripe.count).compactMap(take(from:)) }

    private func take(from place: Int) -> Object? {
        // Most often there is something to look at without writing.
        guard words.word(place).pointee.load(ordering: .sequentiallyConsistent) != 0,
            let pointer = UnsafeMutableRawPointer(
                bitPattern: words.word(place).pointee.exchange(0, ordering: .sequentiallyConsistent))
        else { return nil }
        return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }

    deinit { _ = takeAll() }
}
