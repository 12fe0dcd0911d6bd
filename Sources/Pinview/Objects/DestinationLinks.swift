import PinviewGenerations

/// The destination that an object refers to because one of its to-one relationships was read, and
/// the block of its row.
///
/// Most objects whose relationships are read have no more than that besides their row. It takes a
/// fifth of the memory of ``ObjectExtras``, and no allocation.
struct DestinationLink {
    // Both retained.
    var block: Unmanaged<RowBlock>
    let destination: Unmanaged<ManagedObject>
    /// The relationship's index.
    let property: Int
}

/// The memory of the links of one context's objects. Guarded by the context's identity lock.
final class LinkPool {
    typealias Link = UnsafeMutablePointer<DestinationLink>

    private static let slabSize = 128

    private var slabs: [Link] = []
    /// A free link begins with the address of the next one.
    private var firstFree: UnsafeMutableRawPointer?
    private var count = 0

    deinit { for slab in slabs { slab.deallocate() } }

    func make(_ link: DestinationLink) -> Link {
        if firstFree == nil { addSlab() }
        // Safe: there is one now.
        let free = firstFree.unsafelyUnwrapped
        firstFree = free.load(as: UnsafeMutableRawPointer?.self)
        count += 1
        return free.initializeMemory(as: DestinationLink.self, to: link)
    }

    func remove(_ link: Link) {
        link.deinitialize(count: 1)
        add(UnsafeMutableRawPointer(link))
        count -= 1
        // Memory comes back when there are no links any more.
        guard count == 0, slabs.count > 1 else { return }
        for slab in slabs { slab.deallocate() }
        slabs = []
        firstFree = nil
    }

    private func add(_ free: UnsafeMutableRawPointer) {
        free.storeBytes(of: firstFree, as: UnsafeMutableRawPointer?.self)
        firstFree = free
    }

    @inline(never)
    private func addSlab() {
        let slab = Link.allocate(capacity: Self.slabSize)
        slabs.append(slab)
        for index in (0..<Self.slabSize).reversed() { add(UnsafeMutableRawPointer(slab + index)) }
    }
}
