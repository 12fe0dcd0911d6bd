internal import CSQLite

/// A private copy of the first regions of a WAL-index: where the pages of the copied frames are. It lives as long as a
/// reader shows it.
final class IndexRegions: @unchecked Sendable {  // written by `init` only
    let memory: UnsafeMutableRawPointer
    let count: Int

    /// Frames whose pages the first region lists; each of the others lists 4096.
    private static let firstRegionFrames = 4096 - WALIndex.tableOffset / 4

    /// How many regions list so many frames.
    static func count(forFrames frames: UInt32) -> Int {
        1 + max(0, (Int(frames) - firstRegionFrames + 4095) / 4096)
    }

    /// Where the number of a frame's page stands: in which region, and how many bytes from its beginning.
    static func place(ofFrame frame: UInt32) -> (region: Int, offset: Int) {
        let position = Int(frame) - 1
        guard position >= firstRegionFrames else { return (0, WALIndex.tableOffset + 4 * position) }
        let (region, entry) = (position - firstRegionFrames).quotientAndRemainder(dividingBy: 4096)
        return (region + 1, 4 * entry)
    }

    /// Copies the regions. Entries of frames that a pin holds stay where they are; what writers add meanwhile lies behind.
    ///
    /// - Parameter region: gives the live region with a number.
    init?(frames: UInt32, region: (Int) -> UnsafeRawPointer?) {
        count = Self.count(forFrames: frames)
        memory = .allocate(byteCount: count * WALIndex.regionSize, alignment: 8)
        for number in 0..<count {
            // An empty object is thrown away below: nothing may be left uninitialised all the same.
            guard let live = region(number) else {
                memory.deallocate()
                return nil
            }
            pinview_copy_shared(memory + number * WALIndex.regionSize, live, WALIndex.regionSize)
        }
    }

    /// The regions that were written to a file.
    init(_ bytes: UnsafeRawBufferPointer) {
        count = bytes.count / WALIndex.regionSize
        memory = .allocate(byteCount: bytes.count, alignment: 8)
        memory.copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(memory), byteCount: bytes.count)
    }

    deinit { memory.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count * WALIndex.regionSize) }

    /// nil for a region that no pinned frame is in.
    func region(_ number: Int) -> UnsafeMutableRawPointer? {
        (0..<count).contains(number) ? memory + number * WALIndex.regionSize : nil
    }
}
