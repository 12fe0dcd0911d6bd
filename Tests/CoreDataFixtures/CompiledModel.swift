import Foundation
import PinviewModel

/// A version of a model as Core Data compiles it.
package struct CompiledModel {
    package let entities: [EntityDescription]
    package let identifier: String
    /// The version hashes: 32 equal bytes for each entity.
    package let hashes: [String: [UInt8]]

    /// - Parameter marks: the byte of each entity's hash.
    package init(_ identifier: String, _ entities: [EntityDescription], marks: [String: UInt8]) {
        self.entities = entities
        self.identifier = identifier
        hashes = marks.mapValues { [UInt8](repeating: $0, count: 32) }
    }

    /// The content of a `.mom`.
    package var archive: [UInt8] {
        let archive = ModelArchive()
        archive.model(
            entities.map { ($0.name, entity($0, archive)) }, ["NSVersionIdentifiers": archive.array([archive.text(identifier)], "NSSet")])
        return archive.bytes
    }

    /// What a store keeps in `Z_MODELCACHE`.
    package var cache: [UInt8] { deflated(archive) }

    private func entity(_ entity: EntityDescription, _ archive: ModelArchive) -> PropertyListValue {
        let attributes = entity.attributes.map { attribute in
            (
                attribute.name,
                archive.attribute(attribute.name, Int64(attribute.attributeType.rawValue), renaming(attribute.renamingIdentifier, archive))
            )
        }
        let relationships = entity.relationships.map { relationship in
            let members = archive.relationshipMembers(
                relationship.name, relationship.destinationEntityName, inverse: relationship.inverseRelationshipName ?? "",
                maximum: relationship.isToMany ? 0 : 1, renaming(relationship.renamingIdentifier, archive))
            return (relationship.name, archive.object("NSRelationshipDescription", members))
        }
        return archive.object(
            "NSEntityDescription",
            archive.entityMembers(entity.name, attributes + relationships, renaming(entity.renamingIdentifier, archive)))
    }

    private func renaming(_ identifier: String?, _ archive: ModelArchive) -> [String: PropertyListValue] {
        identifier.map { ["NSRenamingIdentifier": archive.text($0)] } ?? [:]
    }

    /// Makes a `.momd` of versions; the last one is the current one.
    package static func write(_ versions: [(name: String, model: CompiledModel)], to folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (name, model) in versions { try Data(model.archive).write(to: URL(fileURLWithPath: "\(folder)/\(name).mom")) }
        let hashes = versions.map { ($0.name, PropertyListValue.dictionary($0.model.hashes.mapValues { .data($0) })) }
        let info = PropertyListValue.dictionary([
            "NSManagedObjectModel_CurrentVersionName": .string(versions.last?.name ?? ""),
            "NSManagedObjectModel_VersionHashes": .dictionary(Dictionary(uniqueKeysWithValues: hashes)),
        ])
        try Data(info.binaryPropertyList()).write(to: URL(fileURLWithPath: "\(folder)/VersionInfo.plist"))
    }
}
