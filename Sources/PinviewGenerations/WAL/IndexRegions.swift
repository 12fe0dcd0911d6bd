internal import CPlatform

/// A private copy of the first regions of a WAL-index, which locate the pages of the copied frames.
/// Lives as long as a reader shows it.
final class IndexRegions: @unchecked Sendable {  // written by `init` only
    let memory: UnsafeMutableRawPointer
    let count: Int

    /// The number of frames in the first region's page table; the other regions list 4096 each.
    private static let firstRegionFrames = 4096 - WALIndex.tableOffset / 4

    /// The number of regions that list the given number of frames.
    static func count(forFrames frames: UInt32) -> Int {
        1 + max(0, (Int(frames) - firstRegionFrames + 4095) / 4096)
    }

    /// The first frame that a region lists.
    static func firstFrame(ofRegion number: Int) -> UInt32 { number == 0 ? 1 : UInt32(firstRegionFrames + 4096 * (number - 1) + 1) }

    /// The location of a frame's page number: the region, and the offset in it in bytes.
    static func location(ofFrame frame: UInt32) -> (region: Int, offset: Int) {
        let position = Int(frame) - 1
        guard position >= firstRegionFrames else { return (0, WALIndex.tableOffset + 4 * position) }
        let (region, entry) = (position - firstRegionFrames).quotientAndRemainder(dividingBy: 4096)
        return (region + 1, 4 * entry)
    }

    /// Copies the regions. Entries of frames that a pin holds do not move; writers add entries
    /// after them.
    ///
    /// - Parameter region: returns the live region of a given number.
    init?(frames: UInt32, region: (Int) -> UnsafeRawPointer?) {
        count = Self.count(forFrames: frames)
        memory = .allocate(byteCount: count * WALIndex.regionSize, alignment: 8)
        for number in 0..<count {
            // The object is discarded below, but all stored properties must be initialized first.
            guard let live = region(number) else {
                memory.deallocate()
                return nil
            }
            pinview_copy_shared(memory + number * WALIndex.regionSize, live, WALIndex.regionSize)
        }
    }

    /// Reads the regions from an index file.
    init(_ bytes: UnsafeRawBufferPointer) {
        count = bytes.count / WALIndex.regionSize
        memory = .allocate(byteCount: bytes.count, alignment: 8)
        memory.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(memory), byteCount: bytes.count)
    }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count * WALIndex.regionSize) }

    /// nil for a region that has no pinned frames.
    func region(_ number: Int) -> UnsafeMutableRawPointer? {
        (0..<count).contains(number) ? memory + number * WALIndex.regionSize : nil
    }
}
