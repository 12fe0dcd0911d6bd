import Glibc
import Synchronization

/// Numbers that stand for store identifiers, so that object keys are compared without touching
/// strings. They are unique in the process and never reused.
package enum StoreNumbers {
    /// The number of a store's UUID, ignoring case. Any thread may call this.
    package static func number(forIdentifier uuid: String) -> Int32 {
        table.number(forIdentifier: uuid.uppercased())
    }

    /// The UUID, in upper case, that has the given number; nil if there is none.
    package static func identifier(forNumber number: Int32) -> String? {
        table.identifier(forNumber: number)
    }

    private static let table = Table()

    private final class Table: @unchecked Sendable {
        // Allocated, because a mutex must not move. Never freed.
        private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private var numbers: [String: Int32] = [:]
        private var identifiers: [String] = []

        init() {
            mutex.initialize(to: pthread_mutex_t())
            pthread_mutex_init(mutex, nil)
        }

        func number(forIdentifier identifier: String) -> Int32 {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            if let known = numbers[identifier] { return known }
            let number = Int32(truncatingIfNeeded: numbers.count)
            numbers[identifier] = number
            identifiers.append(identifier)
            return number
        }

        func identifier(forNumber number: Int32) -> String? {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            let index = Int(number)
            return identifiers.indices.contains(index) ? identifiers[index] : nil
        }
    }
}

/// Serial numbers for unsaved objects.
package enum TemporaryKeys {
    /// A number that no other object of this process has had.
    package static func next() -> Int64 {
        counter.add(1, ordering: .relaxed).newValue
    }

    /// The first of consecutive numbers that no other object of this process has had.
    package static func next(_ count: Int) -> Int64 {
        let count = Int64(count)
        return counter.add(count, ordering: .relaxed).newValue - count + 1
    }

    private static let counter = Atomic<Int64>(0)

    /// Tells the temporary IDs of different processes apart in their text form.
    private static let processPrefix = hexadecimal(UInt64.random(in: 0...UInt64.max))

    static func text(forSerial serial: Int64) -> String {
        processPrefix + hexadecimal(UInt64(bitPattern: serial))
    }

    /// - Returns: nil if the text was not made in this process.
    static func serial(fromText text: String) -> Int64? {
        guard text.utf8.count == 32, text.hasPrefix(processPrefix), let bits = UInt64(text.suffix(16), radix: 16) else { return nil }
        let serial = Int64(bitPattern: bits)
        return self.text(forSerial: serial) == text ? serial : nil
    }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
