@_exported import PinviewModel
@_exported import PinviewPredicates
import PinviewGenerations

/// The library's lock, for the C interface, which sees this module only.
package typealias ThreadLock = PinviewGenerations.Lock
