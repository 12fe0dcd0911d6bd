import PinviewModel
import PinviewPredicates

/// The objects of a results controller in order, and their sections.
struct Arrangement {
    private(set) var objects = ArrangedObjects()
    private(set) var sections: ArrangedSections
    private var byObject: [ObjectIdentifier: ArrangedObject] = [:]
    private let hasSectionNames: Bool
    private let noSections: ArrangedSections
    /// The names of all sections.
    private var sectionNames: Set<SectionName> = []
    /// Whether several sections have the same name, since their objects are not consecutive.
    private(set) var isScattered = false

    init(hasSectionNames: Bool, sectionsPerPage: Int = 256) {
        self.hasSectionNames = hasSectionNames
        noSections = ArrangedSections(pageSize: sectionsPerPage)
        sections = noSections
        sections = sections(of: [])
    }

    func arranged(_ object: ManagedObject) -> ArrangedObject? { byObject[ObjectIdentifier(object)] }

    func indexPath(of object: ManagedObject) -> PinviewIndexPath? {
        arranged(object).map(place)
    }

    func info(ofSection index: Int, title: (String) -> String?) -> FetchedResultsSectionInfo {
        let name = sections.name(index).text
        return FetchedResultsSectionInfo(name: name, indexTitle: title(name), objects: objects[sections.range(index)].map(\.object))
    }

    /// Without section names there is one section, even if there are no objects.
    private func sections(of objects: [ArrangedObject]) -> ArrangedSections {
        var sections = noSections
        guard hasSectionNames else {
            sections.append(SectionName(""), objects.count)
            return sections
        }
        var rest = objects[...]
        while let name = rest.first?.sectionName {
            let same = rest.prefix { $0.sectionName == name }
            sections.append(name, same.count)
            rest = rest[same.endIndex...]
        }
        return sections
    }

    /// The name of a section whose objects are not consecutive.
    var scatteredSectionName: String? {
        var seen: Set<SectionName> = []
        return sections.names.first { !seen.insert($0).inserted }?.text
    }

    // MARK: Changing

    /// Positions before the change refer to the old arrangement, positions after it to the new one.
    struct Changes {
        var deletedSections: [Int] = []
        var insertedSections: [Int] = []
        var deleted: [(object: ManagedObject, from: PinviewIndexPath)] = []
        var inserted: [(object: ManagedObject, to: PinviewIndexPath)] = []
        var moved: [(object: ManagedObject, from: PinviewIndexPath, to: PinviewIndexPath)] = []
        var updated: [(object: ManagedObject, from: PinviewIndexPath, to: PinviewIndexPath)] = []

        var isEmpty: Bool {
            deletedSections.isEmpty && insertedSections.isEmpty && deleted.isEmpty && inserted.isEmpty && moved.isEmpty && updated.isEmpty
        }
    }

    /// New content that has been planned, and of which the delegate is about to be told.
    struct Plan {
        let changes: Changes
        /// Nil if all objects stay where they are, or few do not.
        fileprivate var content: (objects: [ArrangedObject], sections: ArrangedSections)?
        /// The objects that count as changed, if there is no new content.
        fileprivate var changed: [ArrangedObject] = []
        /// What few objects do, if there is no new content: the objects taken from their positions,
        /// and those put into new ones, each in the order of the positions.
        fileprivate var taken: [ArrangedObject] = []
        fileprivate var put: [(object: ArrangedObject, index: Int)] = []
        fileprivate var sectionChanges: SectionChanges?
    }

    /// Plans a change that leaves all objects where they are, without looking at the others.
    func plan(updating changed: [ArrangedObject]) -> Plan {
        let changed = changed.sorted { $0.index < $1.index }
        var changes = Changes()
        for object in changed {
            let path = place(object)
            changes.updated.append((object.object, path, path))
        }
        return Plan(changes: changes, changed: changed)
    }

    /// Plans a change of few objects, without looking at the others.
    ///
    /// - Returns: nil if several sections have, or would have, the same name, or if one would move.
    /// - Parameters:
    ///   - entering: new objects and those that get another position, in order, each with the
    ///     number of objects that stay before it.
    ///   - leaving: objects that are removed.
    ///   - changed: all objects that count as changed, including those of `entering`.
    func plan(entering: [(object: ArrangedObject, place: Int)], leaving: [ArrangedObject], changed: [ArrangedObject]) -> Plan? {
        let taken = (leaving + entering.lazy.map(\.object).filter { $0.index >= 0 }).sorted { $0.index < $1.index }
        let named = entering.map { (name: $0.object.sectionName, place: $0.place) }
        guard !isScattered,
            let sectionChanges = SectionChanges(
                sections, names: hasSectionNames ? sectionNames : nil, taken: taken.map(\.index), entering: named, count: objects.count)
        else { return nil }
        let put = entering.enumerated().map { (object: $1.object, index: $1.place + $0) }
        for (object, index) in put { object.newIndex = index }
        for object in changed where object.newIndex < 0 {
            let place = object.index - taken.prefix { $0.index < object.index }.count
            object.newIndex = place + entering.prefix { $0.place <= place }.count
        }
        defer { for object in taken + changed + entering.map(\.object) { object.newIndex = -1 } }
        func path(_ object: ArrangedObject) -> PinviewIndexPath { sectionChanges.place(object.newIndex, sections).path }
        func hasSameSection(_ object: ArrangedObject) -> Bool {
            sectionChanges.place(object.newIndex, sections).old == place(object).section
        }

        var changes = Changes(deletedSections: sectionChanges.deleted, insertedSections: sectionChanges.inserted)
        for object in leaving.sorted(by: { $0.index > $1.index }) { changes.deleted.append((object.object, place(object))) }
        for (object, _) in put where object.index < 0 { changes.inserted.append((object.object, path(object))) }
        // An object has moved if it has another section, or has passed one that has not changed, or
        // if it is not among the most of the others that have kept their order; see `movedObjects`.
        let known = changed.filter { $0.index >= 0 }.sorted { $0.newIndex < $1.newIndex }
        let gone = (leaving + known).map(\.index), come = put.filter { $0.object.index < 0 }.map(\.index) + known.map(\.newIndex)
        let fitting = known.filter { object in
            hasSameSection(object)
                && object.index - gone.count { $0 < object.index } == object.newIndex - come.count { $0 < object.newIndex }
        }
        var stays: Set<ObjectIdentifier> = []
        for (object, isPart) in zip(fitting, areInOldOrder(fitting)) where isPart {
            stays.insert(ObjectIdentifier(object))
        }
        for object in known {
            let change = (object.object, place(object), path(object))
            if stays.contains(ObjectIdentifier(object)) { changes.updated.append(change) } else { changes.moved.append(change) }
        }
        return Plan(changes: changes, changed: changed, taken: taken, put: put, sectionChanges: sectionChanges)
    }

    /// The index of the object before which so many stay.
    ///
    /// - Parameter taken: the indexes of those that do not stay, in order.
    static func index(ofStaying place: Int, _ taken: [Int]) -> Int {
        var index = place
        for one in taken where one <= index { index += 1 }
        return index
    }

    /// Notes which sections vanish and which are new.
    private func noteSections(_ oldOfNew: [Int?], in changes: inout Changes) {
        var isKept = [Bool](repeating: false, count: sections.count)
        for (new, old) in oldOfNew.enumerated() {
            if let old { isKept[old] = true } else { changes.insertedSections.append(new) }
        }
        for (old, isKept) in isKept.enumerated().reversed() where !isKept { changes.deletedSections.append(old) }
    }

    /// Plans the change to these objects, in this order. The arrangement stays the same until
    /// `carryOut(_:)`.
    func plan(_ newObjects: [ArrangedObject]) -> Plan {
        let newSections = sections(of: newObjects)
        let oldOfNew = matched(newSections)
        // Most changes leave almost all objects in place, and the passes below visit all of them.
        var keptCount = 0
        var lastIndex = -1
        var nothingMoved = true
        for number in newSections.indices {
            let oldRange = oldOfNew[number].map(sections.range) ?? 0..<0
            for index in newSections.range(number) {
                let object = newObjects[index]
                object.newIndex = index
                object.newSection = number
                let oldIndex = object.index
                guard oldIndex >= 0 else { continue }
                keptCount += 1
                if oldIndex < lastIndex || !oldRange.contains(oldIndex) { nothingMoved = false }
                lastIndex = oldIndex
            }
        }
        var changes = Changes()
        noteSections(oldOfNew, in: &changes)
        if keptCount < objects.count {
            for object in objects.all.reversed() where object.newIndex < 0 { changes.deleted.append((object.object, place(object))) }
        }
        func staysInSection(_ object: ArrangedObject) -> Bool {
            oldOfNew[object.newSection].map { sections.range($0).contains(object.index) } ?? false
        }
        let moved = nothingMoved ? [] : movedObjects(newObjects, staysInSection: staysInSection)
        for object in newObjects where object.index < 0 || object.isChanged || !nothingMoved {
            let to = PinviewIndexPath(
                item: object.newIndex - newSections.range(object.newSection).lowerBound, section: object.newSection)
            if object.index < 0 {
                changes.inserted.append((object.object, to))
            } else if moved.contains(ObjectIdentifier(object)) {
                changes.moved.append((object.object, place(object), to))
            } else if object.isChanged {
                changes.updated.append((object.object, place(object), to))
            }
        }
        return Plan(changes: changes, content: (newObjects, newSections))
    }

    private func place(_ object: ArrangedObject) -> PinviewIndexPath { sections.path(object.index) }

    mutating func carryOut(_ plan: Plan) {
        guard let content = plan.content else {
            for object in plan.changed { object.isChanged = false }
            if !plan.taken.isEmpty || !plan.put.isEmpty { rearrange(plan) }
            return
        }
        for object in objects.all where object.newIndex < 0 {
            byObject[ObjectIdentifier(object.object)] = nil
            objects.leave(object)
        }
        for object in content.objects {
            if object.index < 0 { byObject[ObjectIdentifier(object.object)] = object }
            object.newIndex = -1
            object.isChanged = false
        }
        (objects, sections) = (ArrangedObjects(content.objects), content.sections)
        sectionNames = Set(sections.names)
        isScattered = sectionNames.count < sections.count
    }

    /// Moves few objects.
    private mutating func rearrange(_ plan: Plan) {
        for object in plan.taken {
            objects.remove(object)
            object.isLeaving = false
        }
        for (object, index) in plan.put {
            objects.insert(object, at: index)
            byObject[ObjectIdentifier(object.object)] = object
        }
        for object in plan.taken where object.index < 0 { byObject[ObjectIdentifier(object.object)] = nil }
        plan.sectionChanges?.carryOut(&sections, &sectionNames)
    }

    /// The old section of the same name for each new section; nil for an inserted one. Matched
    /// sections keep their order, so sections never move.
    private func matched(_ newSections: ArrangedSections) -> [Int?] {
        guard hasSectionNames else { return [0] }
        var old: [SectionName: [Int]] = [:]
        for (index, name) in sections.names.enumerated() { old[name, default: []].append(index) }
        var last = -1
        return newSections.names.map { name in
            guard let index = old[name]?.first(where: { $0 > last }) else { return nil }
            last = index
            return index
        }
    }

    /// The objects whose position among the others has changed: as few unchanged objects as
    /// possible.
    private func movedObjects(
        _ newObjects: [ArrangedObject], staysInSection: (ArrangedObject) -> Bool
    ) -> Set<ObjectIdentifier> {
        var moved: Set<ObjectIdentifier> = []
        var staying: [ArrangedObject] = []
        for object in newObjects where object.index >= 0 {
            guard staysInSection(object) else {
                moved.insert(ObjectIdentifier(object))
                continue
            }
            staying.append(object)
        }
        // Objects that did not change are the landmarks.
        let unchanged = staying.filter { !$0.isChanged }
        // By old position.
        var isLandmark = [Bool](repeating: false, count: objects.count)
        for (object, stays) in zip(unchanged, areInOldOrder(unchanged)) {
            if stays { isLandmark[object.index] = true } else { moved.insert(ObjectIdentifier(object)) }
        }
        var next = objects.count
        var upperBounds = [Int](repeating: 0, count: staying.count)
        for position in staying.indices.reversed() {
            upperBounds[position] = next
            if isLandmark[staying[position].index] { next = staying[position].index }
        }
        var last = -1
        var fitting: [ArrangedObject] = []
        for (position, object) in staying.enumerated() {
            if isLandmark[object.index] {
                last = object.index
            } else if object.isChanged {
                if object.index > last, object.index < upperBounds[position] {
                    fitting.append(object)
                } else {
                    moved.insert(ObjectIdentifier(object))
                }
            }
        }
        for (object, stays) in zip(fitting, areInOldOrder(fitting)) where !stays { moved.insert(ObjectIdentifier(object)) }
        return moved
    }

    /// Whether each object is one of the most that are in their old order.
    private func areInOldOrder(_ objects: [ArrangedObject]) -> [Bool] { LongestAscending.members(of: objects.map { Int64($0.index) }) }
}
