@_exported import PinviewModel
@_exported import PinviewPredicates
import PinviewGenerations

/// The library's lock, for the C interface, which sees this module only.
package typealias ThreadLock = PinviewGenerations.Lock

extension String {
    /// The text of UTF-8; nil where the bytes are none. The standard library's own check looks up generic types each time.
    package init?(validUTF8 bytes: UnsafeRawBufferPointer) {
        guard UTF8Check.isValid(bytes) else { return nil }
        self.init(decoding: bytes, as: UTF8.self)
    }
}
