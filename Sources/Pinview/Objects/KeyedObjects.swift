import PinviewModel

/// Objects of one store and hierarchy by primary key, without duplicates.
struct KeyedObjects {
    private let objects: [ManagedObject]
    /// Sorted like the objects.
    let keys: [Int64]

    init(_ objects: [ManagedObject]) {
        self.objects = Self.inOrder(objects)
        keys = self.objects.map(\.primaryKey)
    }

    /// The objects in the order of their keys, without duplicates.
    static func inOrder(_ objects: [ManagedObject]) -> [ManagedObject] {
        var isInOrder = true, last = Int64.min
        objects.forEachUncounted { object in
            if object.primaryKey <= last { isInOrder = false }
            last = object.primaryKey
        }
        if isInOrder { return objects }
        var places: [(key: Int64, place: Int)] = []
        places.reserveCapacity(objects.count)
        objects.forEachUncounted { places.append(($0.primaryKey, places.count)) }
        places.sort { $0.key < $1.key }
        var chosen: [ManagedObject] = []
        chosen.reserveCapacity(objects.count)
        var former: Int64?
        for (key, place) in places where key != former {
            chosen.append(objects[place])
            former = key
        }
        return chosen
    }

    func search() -> Search { Search(self) }

    /// Searches for one key after another. Keys in ascending order are found at once.
    struct Search {
        private let objects: KeyedObjects
        private var next = 0
        private var isTaken: [Bool]

        fileprivate init(_ objects: KeyedObjects) {
            self.objects = objects
            isTaken = Array(repeating: false, count: objects.keys.count)
        }

        /// Takes the object of a key, or nil if there is none or it was taken. The caller keeps the
        /// objects alive.
        mutating func take(_ key: Int64) -> Unmanaged<ManagedObject>? {
            let keys = objects.keys
            if next == keys.count || keys[next] != key { next = partitionPoint(keys.count) { keys[$0] < key } }
            guard next < keys.count, keys[next] == key, !isTaken[next] else { return nil }
            isTaken[next] = true
            defer { next += 1 }
            return .passUnretained(objects.objects[next])
        }

        func forEachLeft(_ body: (ManagedObject) -> Void) {
            for (place, isTaken) in isTaken.enumerated() where !isTaken { body(objects.objects[place]) }
        }
    }
}
