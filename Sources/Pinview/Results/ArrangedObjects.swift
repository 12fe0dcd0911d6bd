import PinviewModel

/// An object of a results controller, with what its position depends on.
final class ArrangedObject {
    let object: ManagedObject
    /// The page of the list that has the object; nil if none has. Pages set it, and drop it when they
    /// end.
    fileprivate unowned(unsafe) var page: ArrangedObjects.Page?
    /// The position on the page.
    fileprivate var offset = 0
    /// The keys that it was last sorted by. Its values may have changed since, or belong to a newer
    /// state of the store.
    var sortKeys: [Value]?
    var sectionName = SectionName("")
    /// The version of the row examined last.
    var version: Int64?
    /// Whether it had unsaved changes then.
    var wasPending = false
    /// Whether it counts as changed in the change being planned.
    var isChanged = false
    /// Whether that change takes it from its position, to put it elsewhere or to remove it.
    var isLeaving = false
    /// The position that is planned for it; −1 if none is.
    var newIndex = -1
    var newSection = -1

    init(_ object: ManagedObject) { self.object = object }

    /// The position among all objects; −1 if the object is not among them.
    @inline(never)
    var index: Int {
        guard let page else { return -1 }
        return page.start + offset
    }

    /// Decides the order of objects with equal sort keys.
    var rank: (Int, UInt64, Int64) {
        index >= 0 ? (index, 0, 0) : (.max, object.changeSequence, object.key.primaryKey)
    }
}

/// The objects of an arrangement in order. They are kept on pages, and each knows its own: putting
/// one in or taking one out renumbers a page and moves the starts of those behind it, but visits no
/// object between the old position and the new one.
struct ArrangedObjects {
    fileprivate final class Page {
        /// The index of the first object.
        var start: Int
        /// The position among the pages.
        var number: Int
        var objects: [ArrangedObject]

        init(_ objects: ArraySlice<ArrangedObject>, start: Int, number: Int) {
            (self.objects, self.start, self.number) = (Array(objects), start, number)
            renumber(from: 0)
        }

        deinit {
            for object in objects where object.page === self { object.page = nil }
        }

        func renumber(from first: Int) {
            for offset in first..<objects.count { (objects[offset].page, objects[offset].offset) = (self, offset) }
        }
    }

    /// None is empty.
    private var pages: [Page] = []
    /// The number of objects on a new page. One with more than twice as many is divided.
    private let pageSize: Int
    private(set) var count = 0

    /// Takes over objects, which leave another list if they are in one.
    init(_ objects: [ArrangedObject] = [], pageSize: Int = 512) {
        self.pageSize = pageSize
        count = objects.count
        for start in stride(from: 0, to: count, by: pageSize) {
            pages.append(Page(objects[start..<Swift.min(start + pageSize, count)], start: start, number: pages.count))
        }
    }

    subscript(index: Int) -> ArrangedObject {
        let page = pages[pageNumber(of: index)]
        return page.objects[index - page.start]
    }

    subscript(range: Range<Int>) -> [ArrangedObject] {
        var found: [ArrangedObject] = []
        found.reserveCapacity(range.count)
        // Step by step: a range may end on a later page.
        while found.count < range.count {
            let index = range.lowerBound + found.count, page = pages[pageNumber(of: index)]
            found += page.objects[(index - page.start)...].prefix(range.count - found.count)
        }
        return found
    }

    /// All of them.
    var all: [ArrangedObject] { self[0..<count] }

    /// The last page that starts at an index or before it.
    private func pageNumber(of index: Int) -> Int { partitionPoint(pages.count) { pages[$0].start <= index } - 1 }

    mutating func insert(_ object: ArrangedObject, at index: Int) {
        if pages.isEmpty { pages = [Page([], start: 0, number: 0)] }
        let page = pages[pageNumber(of: index)], offset = index - page.start
        page.objects.insert(object, at: offset)
        page.renumber(from: offset)
        count += 1
        guard page.objects.count > 2 * pageSize else { return moveStarts(behind: page.number, by: 1) }
        pages.insert(Page(page.objects[pageSize...], start: page.start + pageSize, number: 0), at: page.number + 1)
        page.objects.removeSubrange(pageSize...)
        moveStarts(behind: page.number + 1, by: 1)
        renumberPages(from: page.number)
    }

    /// Takes out an object of the list.
    mutating func remove(_ object: ArrangedObject) {
        guard let page = object.page else { return }
        page.objects.remove(at: object.offset)
        page.renumber(from: object.offset)
        object.page = nil
        count -= 1
        moveStarts(behind: page.number, by: -1)
        guard page.objects.isEmpty else { return }
        pages.remove(at: page.number)
        renumberPages(from: page.number)
    }

    /// Takes out objects before another list takes over the rest.
    func leave(_ object: ArrangedObject) { object.page = nil }

    private func moveStarts(behind number: Int, by distance: Int) {
        for page in pages[(number + 1)...] { page.start += distance }
    }

    private func renumberPages(from first: Int) {
        for number in first..<pages.count { pages[number].number = number }
    }
}
