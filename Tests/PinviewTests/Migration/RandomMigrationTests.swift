import Foundation
import Pinview
import RandomSupport
import XCTest

/// Random models with data, and random later versions of them: each migrated store is compared,
/// object by object, with a naive migration in memory (MIG-01, MIG-03).
///
/// `PINVIEW_SEED` repeats one pair, `PINVIEW_ROUNDS` says how many are tried (`make random`).
final class RandomMigrationTests: MigrationTestCase {
    private struct Mismatch: Error, CustomStringConvertible {
        let description: String
    }

    /// An object as the naive migration knows it.
    private struct Thing {
        var entity: Int
        var values: [Int: Value]
        var related: [Int: [Int64]] = [:]
    }

    func test_randomVersionsMigrateAsTheNaiveMigrationDoes_MIG_01_MIG_03() throws {
        let environment = ProcessInfo.processInfo.environment
        let rounds = environment["PINVIEW_ROUNDS"].flatMap(Int.init) ?? (SeededGenerator.givenSeed == nil ? 25 : 1)
        let first = SeededGenerator.givenSeed ?? 1
        var migrated = 0
        for seed in first..<first + UInt64(rounds) {
            do {
                if try run(seed) { migrated += 1 }
            } catch {
                XCTFail("PINVIEW_SEED=\(seed): \(error)")
                if rounds < 100 { return }
            }
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                try FileManager.default.removeItem(atPath: folder + "/" + file)
            }
        }
        print("\(migrated) of \(rounds) pairs of models migrated, the others were refused as they should be")
        XCTAssertGreaterThan(migrated, rounds / 2)
    }

    /// - Returns: whether the store could be migrated, as it should be.
    private func run(_ seed: UInt64) throws -> Bool {
        var drafts = DraftGenerator(seed: seed)
        drafts.makeFirst()
        let old = drafts.model
        let uidCount = try fill(old, &drafts)
        let before = try dump(old, old.model())
        guard before.count == uidCount else { throw Mismatch(description: "\(before.count) of \(uidCount) objects were read back") }
        drafts.makeNext()
        let new = drafts.model
        let newModel: ManagedObjectModel
        do { newModel = try new.model() } catch { return false }
        let expected = naive(before, from: old, to: new)
        let oldModel = try old.model()
        let difference = ModelDifference(from: oldModel, to: newModel)
        let confirmed = difference.obstacles.filter { $0.kind == .unclearRemoval }.map(\.subject).joined(separator: ",")
        do {
            let coordinator = try makeCoordinator(
                newModel, options: Self.migrating.merging(["confirmedRemovals": .string(confirmed)]) { $1 })
            for store in coordinator.persistentStores { try coordinator.remove(store) }
        } catch {
            guard expected == nil else { throw Mismatch(description: "it should have migrated: \(error)\n\(difference)") }
            try compare(try dump(old, oldModel), before, old, "after the refusal", difference)
            return false
        }
        guard let expected else { throw Mismatch(description: "it should have been refused\n\(difference)") }
        try compare(try dump(new, newModel), expected, new, "after the migration", difference)
        try checkLayout(newModel, difference)
        return true
    }

    private func fill(_ draft: DraftModel, _ drafts: inout DraftGenerator) throws -> Int {
        let coordinator = try makeCoordinator(try draft.model())
        let context = try makeContext(coordinator)
        var objects: [(entity: Int, object: ManagedObject)] = []
        for entity in draft.entities where !entity.isAbstract {
            for _ in 0..<drafts.number(0...4) {
                let object = try context.insertNewObject(forEntityName: entity.name)
                try object.setAttributeValue(.integer(Int64(objects.count)), forKey: "uid")
                for attribute in draft.attributes(entity.id) where drafts.chance(70) {
                    try object.setAttributeValue(drafts.value(attribute.type), forKey: attribute.name)
                }
                objects.append((entity.id, object))
            }
        }
        for (entity, object) in objects {
            for relationship in draft.relationships(entity) where drafts.chance(70) {
                let candidates = objects.filter { draft.isKind($0.entity, of: relationship.destination) }.map(\.object)
                guard let one = drafts.pick(candidates) else { continue }
                if relationship.isToMany {
                    for member in candidates where drafts.chance(40) { try object.addRelatedObject(member, forKey: relationship.name) }
                } else {
                    try object.setRelatedObject(one, forKey: relationship.name)
                }
            }
        }
        try context.save()
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return objects.count
    }

    /// By uid. To-many relationships that have no order are sorted.
    private func dump(_ draft: DraftModel, _ model: ManagedObjectModel) throws -> [Int64: Thing] {
        let coordinator = try makeCoordinator(model)
        defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
        let context = try makeContext(coordinator)
        var things: [Int64: Thing] = [:]
        for entity in draft.entities where entity.parent == nil {
            for object in try context.fetch(FetchRequest(entity.name)) {
                let name = object.entity.name
                guard let own = draft.entities.first(where: { $0.name == name }) else { continue }
                guard let uid = try object.attributeValue(forKey: "uid").integerValue else {
                    throw Mismatch(description: "an object of \(name) without uid")
                }
                var thing = Thing(entity: own.id, values: [:])
                for attribute in draft.attributes(own.id) { thing.values[attribute.id] = try object.attributeValue(forKey: attribute.name) }
                for relationship in draft.relationships(own.id) {
                    let members =
                        relationship.isToMany
                        ? try object.relatedObjects(forKey: relationship.name)
                        : try object.relatedObject(forKey: relationship.name).map { [$0] } ?? []
                    let uids = try members.map { try $0.attributeValue(forKey: "uid").integerValue ?? -1 }
                    thing.related[relationship.id] = relationship.isToMany && relationship.isOrdered ? uids : uids.sorted()
                }
                guard things.updateValue(thing, forKey: uid) == nil else { throw Mismatch(description: "object \(uid) is there twice") }
            }
        }
        return things
    }

    // MARK: The naive migration

    /// - Returns: nil where there is no inferred way.
    private func naive(_ before: [Int64: Thing], from old: DraftModel, to new: DraftModel) -> [Int64: Thing]? {
        var after: [Int64: Thing] = [:]
        for (uid, thing) in before {
            guard let entity = new.entity(thing.entity) else { continue }
            if entity.isAbstract { return nil }
            var moved = Thing(entity: thing.entity, values: [:])
            for attribute in new.attributes(entity.id) {
                let kept = old.attributes(thing.entity).contains { $0.id == attribute.id } ? thing.values[attribute.id] : nil
                var value = kept ?? attribute.defaultValue
                if value.isNull, !attribute.isOptional { value = attribute.defaultValue }
                if value.isNull, !attribute.isOptional { return nil }
                moved.values[attribute.id] = value
            }
            after[uid] = moved
        }
        guard areUnique(after, in: new) else { return nil }
        var isPossible = true
        for entity in new.entities {
            for relationship in entity.relationships { isPossible = isPossible && relate(relationship, entity, before, &after, old, new) }
        }
        return isPossible ? after : nil
    }

    /// Whether no constraint finds the same value twice, in objects of its entity and of
    /// sub-entities.
    private func areUnique(_ things: [Int64: Thing], in model: DraftModel) -> Bool {
        for entity in model.entities {
            for id in entity.unique where id != DraftModel.uid {
                let values = things.values.filter { model.isKind($0.entity, of: entity.id) }.compactMap { $0.values[id] }
                let known = values.filter { !$0.isNull }
                if Set(known.map { "\($0)" }).count != known.count { return false }
            }
        }
        return true
    }

    private func relate(
        _ relationship: DraftModel.Relationship, _ owner: DraftModel.Entity, _ before: [Int64: Thing], _ after: inout [Int64: Thing],
        _ old: DraftModel, _ new: DraftModel
    ) -> Bool {
        var lists: [Int64: [Int64]] = [:]
        let oldOwn = old.relationship(relationship.id)?.relationship
        for (uid, thing) in before {
            guard let moved = after[uid], new.isKind(moved.entity, of: owner.id), oldOwn != nil else { continue }
            lists[uid] = thing.related[relationship.id]?.filter {
                after[$0].map { new.isKind($0.entity, of: relationship.destination) } ?? false
            }
        }
        // What only the other side knew.
        if let inverse = relationship.inverse, old.relationship(inverse) != nil, oldOwn?.inverse != inverse {
            for (uid, thing) in before {
                guard let moved = after[uid], new.isKind(moved.entity, of: relationship.destination) else { continue }
                for other in thing.related[inverse] ?? [] where after[other].map({ new.isKind($0.entity, of: owner.id) }) ?? false {
                    if !(lists[other] ?? []).contains(uid) { lists[other, default: []].append(uid) }
                }
            }
        }
        let isSorted = oldOwn.map { $0.isToMany && $0.isOrdered } ?? false
        var owners: [Int64: Int] = [:]
        for uid in after.keys {
            guard let thing = after[uid], new.isKind(thing.entity, of: owner.id) else { continue }
            let list = lists[uid] ?? []
            if !relationship.isToMany, list.count > 1 { return false }
            for member in list { owners[member, default: 0] += 1 }
            // Where there was no order the keys decide, which the comparison does not know.
            after[uid]?.related[relationship.id] = relationship.isOrdered && isSorted && relationship.isToMany ? list : list.sorted()
        }
        // Members of a to-many relationship without an inverse name their owner.
        let isShared = owners.values.contains { $0 > 1 }
        if relationship.isToMany, relationship.inverse == nil, isShared { return false }
        return true
    }

    private func compare(
        _ found: [Int64: Thing], _ expected: [Int64: Thing], _ draft: DraftModel, _ when: String, _ difference: ModelDifference
    ) throws {
        func fail(_ text: String) throws -> Never { throw Mismatch(description: "\(when): \(text)\n\(difference)") }
        guard Set(found.keys) == Set(expected.keys) else {
            try fail("the objects are \(found.keys.sorted()) instead of \(expected.keys.sorted())")
        }
        for (uid, thing) in expected {
            guard let other = found[uid] else { continue }
            let name = draft.entity(thing.entity)?.name ?? "?"
            if other.entity != thing.entity { try fail("\(uid) is of another entity than \(name)") }
            for (id, value) in thing.values {
                guard let attribute = draft.attributes(thing.entity).first(where: { $0.id == id }) else { continue }
                if !isSame(other.values[id] ?? .null, value) {
                    try fail("\(name) \(uid): \(attribute.name) is \(other.values[id] ?? .null) instead of \(value)")
                }
            }
            for (id, uids) in thing.related {
                let members = other.related[id] ?? []
                let relationship = draft.relationship(id)?.relationship
                if members != uids, relationship?.isOrdered != true || members.sorted() != uids.sorted() || uids != uids.sorted() {
                    try fail("\(name) \(uid): \(relationship?.name ?? "?") leads to \(members) instead of \(uids)")
                }
            }
        }
    }

    private func isSame(_ left: Value, _ right: Value) -> Bool {
        if left == right { return true }
        switch (left, right) {
        case (.decimal(let decimal), .integer(let integer)), (.integer(let integer), .decimal(let decimal)):
            return decimal.int64Value == integer
        case (.double(let double), .integer(let integer)), (.integer(let integer), .double(let double)): return double == Double(integer)
        default: return false
        }
    }

    // MARK: The layout

    /// The tables and indexes are those of a store that the model has made.
    private func checkLayout(_ model: ManagedObjectModel, _ difference: ModelDifference) throws {
        let coordinator = try makeCoordinator(model, name: "fresh.sqlite")
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        let found = try layout("store.sqlite"), expected = try layout("fresh.sqlite")
        guard found == expected else {
            let more = Set(found).subtracting(expected).sorted(), less = Set(expected).subtracting(found).sorted()
            throw Mismatch(description: "the layout has \(more) instead of \(less)\n\(difference)")
        }
    }

    private func layout(_ file: String) throws -> [String] {
        try sqlite3(
            """
            SELECT m.name || '.' || p.name || ' ' || p.type || ' ' || p.pk FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p
            WHERE m.type = 'table' UNION ALL
            SELECT 'index ' || m.name || ' ' || m.tbl_name || ' ' || group_concat(p.name, ',') || ' ' || (m.sql LIKE '%UNIQUE%')
            FROM sqlite_master AS m JOIN pragma_index_info(m.name) AS p WHERE m.type = 'index' AND m.sql IS NOT NULL GROUP BY m.name UNION ALL
            SELECT 'key ' || Z_ENT || Z_NAME || Z_SUPER FROM Z_PRIMARYKEY ORDER BY 1; PRAGMA integrity_check;
            """, file: file
        ).split(separator: "\n").map(String.init).sorted()
    }
}
