import Foundation

/// A random schema and how its store keeps it, as `Benchmarks/Explore` describes it (`Tables.description`).
struct ExploredSchema: Decodable {
    struct Attribute: Decodable {
        let name: String
        let type: String
        let column: String
    }

    struct Entity: Decodable {
        let name: String
        let table: String
        let attributes: [Attribute]
    }

    struct Join: Decodable {
        let table: String
        let owner: String
        let member: String
    }

    struct Relation: Decodable {
        let name: String
        let owner: String
        let member: String
        let inverse: String
        let kind: String
        /// The column of the members' table with the owner's key; nil for many-to-many.
        let column: String?
        /// The column of the owners' table with the member's key, of a one-to-one relationship.
        let ownerColumn: String?
        /// What the members of an ordered relationship are ordered by.
        let order: String?
        let join: Join?
    }

    let entities: [Entity]
    let relations: [Relation]

    init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func table(_ entity: String) -> String { entities.first { $0.name == entity }?.table ?? "" }
}

/// Random numbers that a seed repeats (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
