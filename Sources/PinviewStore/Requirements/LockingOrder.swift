/// The order in which write locks of several stores are taken, the same in all processes.
package enum LockingOrder {
    package static func isBefore(_ left: any StoreIdentity, _ right: any StoreIdentity) -> Bool { left.identifier < right.identifier }
}
