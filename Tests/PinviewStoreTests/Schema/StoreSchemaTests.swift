import Foundation
import PinviewModel
import XCTest

@testable import PinviewStore

/// The statements of an entity are made when it is first used, by whichever thread that is.
final class StoreSchemaTests: StoreTestCase {
    func test_threadsThatAskForAnEntityFirstGetTheSameSchema() throws {
        let model = try TestModels.company()
        for _ in 0..<50 {
            let names = SchemaNames(model: model, numbers: StoreOpening.newNumbers(of: model, holding: model.entities))
            let schema = StoreSchema(names: names, heldEntities: model.entities, externalData: nil, mayHoldStrays: false)
            let found = FoundSchemas()

            DispatchQueue.concurrentPerform(iterations: 8) { thread in
                for index in model.entities.indices {
                    let entity = thread.isMultiple(of: 2) ? index : model.entities.count - 1 - index
                    guard let made = schema.entity(at: entity) else { return }
                    found.note(made, at: entity)
                }
            }

            XCTAssertEqual(found.counts, model.entities.map { _ in 1 })
        }
    }

    func test_entitiesThatTheStoreDoesNotHoldHaveNoSchema() throws {
        let model = try TestModels.company()
        let held = model.entities.filter { $0.rootName == "Car" }
        let names = SchemaNames(model: model, numbers: StoreOpening.newNumbers(of: model, holding: held))

        let schema = StoreSchema(names: names, heldEntities: held, externalData: nil, mayHoldStrays: false)

        XCTAssertEqual(model.entities.filter { schema.entity(at: $0.index) != nil }.map(\.name), ["Car"])
        XCTAssertNil(schema.entity(at: -1))
        XCTAssertNil(schema.entity(at: model.entities.count))
    }
}

/// The schemas that threads have found, by entity.
private final class FoundSchemas: @unchecked Sendable {  // guarded by `lock`
    private let lock = NSLock()
    private var schemas: [Int: Set<ObjectIdentifier>] = [:]

    func note(_ schema: EntitySchema, at entity: Int) {
        lock.withLock { _ = schemas[entity, default: []].insert(ObjectIdentifier(schema)) }
    }

    /// How many different schemas were found for each entity.
    var counts: [Int] { lock.withLock { schemas.values.map(\.count) } }
}
