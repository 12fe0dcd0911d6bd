import PinviewModel

/// The name of a section. Names are equal if their bytes are, which is how the store compares and
/// sorts text.
struct SectionName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: SectionName, right: SectionName) -> Bool { left.text.hasSameBytes(as: right.text) }
}

/// The sections of a results controller's objects, in order.
///
/// They are kept on pages, as the objects are: a change of one section moves the starts of those on its
/// page and of the pages behind, and copies no other names.
struct ArrangedSections {
    private struct Page {
        /// The position of its first section among all sections, and that of the first object among all
        /// objects.
        var number: Int
        var start: Int
        var names: [SectionName] = []
        /// Where each section ends, counted from the start of the page.
        var ends: [Int] = []

        var size: Int { ends.last ?? 0 }

        func range(_ section: Int) -> Range<Int> {
            let position = section - number
            return start + (position == 0 ? 0 : ends[position - 1])..<start + ends[position]
        }

        mutating func moveEnds(from position: Int, by distance: Int) {
            for position in position..<ends.count { ends[position] += distance }
        }
    }

    /// None is empty.
    private var pages: [Page] = []
    /// The number of sections on a new page. One with more than twice as many is divided.
    private let pageSize: Int
    private(set) var count = 0

    init(pageSize: Int = 256) { self.pageSize = pageSize }

    var indices: Range<Int> { 0..<count }
    var names: [SectionName] { pages.flatMap(\.names) }

    func name(_ section: Int) -> SectionName {
        let page = pages[pageNumber(of: section)]
        return page.names[section - page.number]
    }

    /// The positions of a section's objects.
    func range(_ section: Int) -> Range<Int> { pages[pageNumber(of: section)].range(section) }

    @inline(never)
    func path(_ index: Int) -> PinviewIndexPath {
        let page = pages[partitionPoint(pages.count) { pages[$0].start <= index } - 1], offset = index - page.start
        let position = partitionPoint(page.ends.count) { page.ends[$0] <= offset }
        return PinviewIndexPath(item: offset - (position == 0 ? 0 : page.ends[position - 1]), section: page.number + position)
    }

    /// The page of a section, or the last one.
    private func pageNumber(of section: Int) -> Int { partitionPoint(pages.count) { pages[$0].number <= section } - 1 }

    /// Adds objects behind all others: to the last section if it has this name, otherwise to one of
    /// their own.
    @inline(never)
    mutating func append(_ name: SectionName, _ more: Int) {
        if pages.last?.names.last == name {
            resize(count - 1, by: more)
        } else {
            insert(name, more, at: count)
        }
    }

    /// Inserts a section of so many objects before another one, or behind all.
    mutating func insert(_ name: SectionName, _ size: Int, at section: Int) {
        if pages.isEmpty { pages.append(Page(number: 0, start: 0)) }
        let number = pageNumber(of: section), position = section - pages[number].number
        let end = position == 0 ? 0 : pages[number].ends[position - 1]
        pages[number].names.insert(name, at: position)
        pages[number].ends.insert(end, at: position)
        pages[number].moveEnds(from: position, by: size)
        count += 1
        movePages(behind: number, sections: 1, objects: size)
        if pages[number].ends.count > 2 * pageSize { divide(number) }
    }

    /// Removes a section with its objects.
    mutating func remove(_ section: Int) {
        let number = pageNumber(of: section), position = section - pages[number].number, size = range(section).count
        pages[number].names.remove(at: position)
        pages[number].ends.remove(at: position)
        pages[number].moveEnds(from: position, by: -size)
        count -= 1
        movePages(behind: number, sections: -1, objects: -size)
        if pages[number].ends.isEmpty { pages.remove(at: number) }
    }

    /// Adds objects to a section, or takes some from it.
    mutating func resize(_ section: Int, by more: Int) {
        let number = pageNumber(of: section)
        pages[number].moveEnds(from: section - pages[number].number, by: more)
        movePages(behind: number, sections: 0, objects: more)
    }

    private mutating func movePages(behind number: Int, sections: Int, objects: Int) {
        for number in (number + 1)..<pages.count {
            pages[number].number += sections
            pages[number].start += objects
        }
    }

    private mutating func divide(_ number: Int) {
        var first = pages[number], second = Page(number: first.number + pageSize, start: first.start + first.ends[pageSize - 1])
        second.names = Array(first.names[pageSize...])
        second.ends = first.ends[pageSize...].map { $0 - (second.start - first.start) }
        first.names.removeSubrange(pageSize...)
        first.ends.removeSubrange(pageSize...)
        pages[number] = first
        pages.insert(second, at: number + 1)
    }
}
