@_exported import PinviewModel
@_exported import PinviewPredicates
import PinviewGenerations
import PinviewStore

// For the C interface, which imports this module only.
/// The library's lock.
package typealias ThreadLock = PinviewGenerations.Lock
package typealias LockStripes = PinviewGenerations.LockStripes
package typealias RowCell = PinviewGenerations.RowCell

package typealias NewRows = PinviewStore.NewRows

package typealias StatementCallbacks = PinviewGenerations.StatementCallbacks
package typealias InterruptCheck = PinviewGenerations.InterruptCheck

@inline(__always)
package func callingOut<R>(_ body: () throws -> R) rethrows -> R { try PinviewGenerations.callingOut(body) }

extension String {
    /// The string of UTF-8 bytes; nil if they are invalid. The standard library's own check looks
    /// up generic types each time.
    package init?(validUTF8 bytes: UnsafeRawBufferPointer) {
        guard UTF8Check.isValid(bytes) else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
