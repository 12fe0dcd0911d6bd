import PinviewModel

/// What a change of few objects does to the sections: which of them get more or fewer objects, which
/// vanish, and which are new. All others keep their objects and move at most.
struct SectionChanges {
    /// A section that is touched.
    private struct Touched {
        /// The old section, or the one before which a new section is put.
        let old: Int
        /// The name of a new section.
        let name: SectionName?
        /// How many more objects it has.
        let more: Int
        /// Its number and its first position afterwards, and how many objects it has then.
        var section = 0, start = 0, count = 0
        var vanishes = false
        /// How far the change moves the sections behind it, and their objects.
        var sectionsMoved = 0, objectsMoved = 0
    }

    /// In their new order. One that vanishes stands where it would be.
    private var touched: [Touched] = []

    /// - Returns: nil if a section would be cut in two, or would have to move.
    /// - Parameters:
    ///   - names: those of all sections, no two of which are equal; nil if there is one section, whatever
    ///     is in it.
    ///   - taken: the positions of the objects that leave theirs, in order.
    ///   - entering: the names of the sections of the objects that get new positions, in order, each with
    ///     the number of objects that stay before it.
    ///   - count: the number of all objects before the change.
    init?(
        _ sections: ArrangedSections, names: Set<SectionName>?, taken: [Int], entering: [(name: SectionName, place: Int)], count: Int
    ) {
        guard let names else {
            place([Touched(old: 0, name: nil, more: entering.count - taken.count)], in: sections, keepsEmpty: true)
            return
        }
        var more: [Int: Int] = [:]
        for index in taken { more[sections.path(index).section, default: 0] -= 1 }
        /// Sections all of whose objects are taken. They may get others.
        var emptied: [SectionName: Int] = [:]
        for (section, more) in more where sections.range(section).count + more == 0 { emptied[sections.name(section)] = section }
        var new: [(before: Int, name: SectionName, count: Int)] = [], newNames: Set<SectionName> = []

        func section(ofStaying place: Int) -> Int? {
            guard place >= 0, place < count - taken.count else { return nil }
            return sections.path(Arrangement.index(ofStaying: place, taken)).section
        }
        var rest = entering[...]
        while let place = rest.first?.place {
            // Those between the same two that stay: the first ones may join the section before them, and
            // the last ones the section behind them.
            var here = rest.prefix { $0.place == place }.map(\.name)[...]
            rest = rest.dropFirst(here.count)
            let before = section(ofStaying: place - 1), behind = section(ofStaying: place)
            if let before {
                let name = sections.name(before), joining = here.prefix { $0 == name }.count
                if joining > 0 { more[before, default: 0] += joining }
                here = here.dropFirst(joining)
                if before == behind, !here.isEmpty { return nil }
            }
            if let behind {
                let name = sections.name(behind), joining = here.reversed().prefix { $0 == name }.count
                if joining > 0 { more[behind, default: 0] += joining }
                here = here.dropLast(joining)
            }
            var last = before ?? -1, lastName: SectionName?
            for name in here {
                let joinsLast = name == lastName
                lastName = name
                if let old = emptied[name], old > last || joinsLast, old < behind ?? sections.count {
                    more[old, default: 0] += 1
                    last = old
                } else if joinsLast {
                    new[new.count - 1].count += 1
                } else {
                    guard !names.contains(name), newNames.insert(name).inserted else { return nil }
                    new.append((last + 1, name, 1))
                }
            }
        }
        var touched: [Touched] = [], newOnes = new[...]
        for old in more.keys.sorted() {
            while let one = newOnes.first, one.before <= old {
                touched.append(Touched(old: one.before, name: one.name, more: one.count))
                newOnes = newOnes.dropFirst()
            }
            touched.append(Touched(old: old, name: nil, more: more[old] ?? 0))
        }
        for one in newOnes { touched.append(Touched(old: one.before, name: one.name, more: one.count)) }
        place(touched, in: sections, keepsEmpty: false)
    }

    private mutating func place(_ all: [Touched], in sections: ArrangedSections, keepsEmpty: Bool) {
        touched = all
        var sectionsMoved = 0, objectsMoved = 0
        for position in touched.indices {
            let one = touched[position]
            let range = one.old < sections.count ? sections.range(one.old) : nil
            let start = range?.lowerBound ?? (sections.count == 0 ? 0 : sections.range(sections.count - 1).upperBound)
            touched[position].section = one.old + sectionsMoved
            touched[position].start = start + objectsMoved
            touched[position].count = one.more + (one.name == nil ? range?.count ?? 0 : 0)
            touched[position].vanishes = touched[position].count == 0 && !keepsEmpty
            if one.name != nil { sectionsMoved += 1 } else if touched[position].vanishes { sectionsMoved -= 1 }
            objectsMoved += one.more
            touched[position].sectionsMoved = sectionsMoved
            touched[position].objectsMoved = objectsMoved
        }
    }

    /// The place of an object after the change, and which old section that is; nil for a new one.
    func place(_ index: Int, _ sections: ArrangedSections) -> (path: PinviewIndexPath, old: Int?) {
        let position = partitionPoint(touched.count) { touched[$0].start <= index } - 1
        guard position >= 0 else {
            let path = sections.path(index)
            return (path, path.section)
        }
        let one = touched[position]
        if index < one.start + one.count {
            return (PinviewIndexPath(item: index - one.start, section: one.section), one.name == nil ? one.old : nil)
        }
        let path = sections.path(index - one.objectsMoved)
        return (PinviewIndexPath(item: path.item, section: path.section + one.sectionsMoved), path.section)
    }

    /// The new sections, by their numbers after the change.
    var inserted: [Int] { touched.filter { $0.name != nil }.map(\.section) }

    /// The sections that vanish, by their numbers before the change, from the last to the first.
    var deleted: [Int] { touched.reversed().filter(\.vanishes).map(\.old) }

    func carryOut(_ sections: inout ArrangedSections, _ names: inout Set<SectionName>) {
        // From the last to the first, so that numbers of before the change are right.
        for one in touched.reversed() {
            if let name = one.name {
                sections.insert(name, one.more, at: one.old)
                names.insert(name)
            } else if one.vanishes {
                names.remove(sections.name(one.old))
                sections.remove(one.old)
            } else {
                sections.resize(one.old, by: one.more)
            }
        }
    }
}
