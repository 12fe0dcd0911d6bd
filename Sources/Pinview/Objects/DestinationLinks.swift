import PinviewGenerations

/// The destination of the one to-one relationship that was read of an object, and the block of the
/// object's row.
///
/// Most objects whose relationships are read have nothing else besides their row. A link takes a
/// fifth of the memory of ``ObjectExtras``, and no allocation.
struct DestinationLink {
    // Both retained.
    var block: Unmanaged<RowBlock>
    let destination: Unmanaged<ManagedObject>
    /// The relationship's index.
    let property: Int
}

/// Memory for the links of one context's objects. Guarded by the lock of its ``ObjectRegistry``.
struct LinkPool: ~Copyable {
    typealias Link = UnsafeMutablePointer<DestinationLink>

    private static let slabSize = 128

    private var slabs: [Link] = []
    /// Each free link begins with the address of the next one.
    private var firstFree: UnsafeMutableRawPointer?
    private var count = 0

    deinit { for slab in slabs { slab.deallocate() } }

    mutating func make(_ link: DestinationLink) -> Link {
        if firstFree == nil { addSlab() }
        // Safe: there is one now.
        let free = firstFree.unsafelyUnwrapped
        firstFree = free.load(as: UnsafeMutableRawPointer?.self)
        count += 1
        return free.initializeMemory(as: DestinationLink.self, to: link)
    }

    mutating func remove(_ link: Link) {
        link.deinitialize(count: 1)
        add(UnsafeMutableRawPointer(link))
        count -= 1
        // Return memory once no links are left.
        guard count == 0, slabs.count > 1 else { return }
        for slab in slabs { slab.deallocate() }
        slabs = []
        firstFree = nil
    }

    private mutating func add(_ free: UnsafeMutableRawPointer) {
        free.storeBytes(of: firstFree, as: UnsafeMutableRawPointer?.self)
        firstFree = free
    }

    @inline(never)
    private mutating func addSlab() {
        let slab = Link.allocate(capacity: Self.slabSize)
        slabs.append(slab)
        for index in (0..<Self.slabSize).reversed() { add(UnsafeMutableRawPointer(slab + index)) }
    }
}
