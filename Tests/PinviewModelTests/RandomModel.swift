import FoundationEssentials

@testable import PinviewModel
import RandomSupport

/// Generates valid models that use every member.
struct RandomModel {
    var generator: SeededGenerator
    var seed: UInt64 { generator.seed }

    private static let texts = ["", "plain", "quote \" and \\", "line\nbreak\t\u{1}", "größe 😀 \u{2028}", "e\u{301}", "\0"]

    mutating func make() throws -> ManagedObjectModel {
        let count = number(1, 8)
        var entities = (0..<count).map { position in
            EntityDescription(
                name: "Entity\(position)", superentityName: position > 0 && chance() ? "Entity\(number(0, position - 1))" : nil)
        }
        for position in 0..<count {
            entities[position].isAbstract = chance()
            entities[position].attributes = (0..<number(0, 6)).map { attribute("e\(position)a\($0)") }
            entities[position].renamingIdentifier = optionalText()
            entities[position].versionHashModifier = optionalText()
            entities[position].userInfo = userInfo()
            let stored = entities[position].attributes.flatMap(\.leaves).filter { !$0.isTransient }.map(\.name)
            if !stored.isEmpty {
                entities[position].uniquenessConstraints = chance() ? [stored] : []
                entities[position].indexes = [
                    FetchIndexDescription(name: "by \"it\"", elements: stored.map { .init(attributeName: $0, isAscending: chance()) })
                ]
            }
        }
        for pair in 0..<number(0, 8) { relate(pair, &entities) }
        entities.shuffle(using: &generator)
        return try ManagedObjectModel(
            entities: entities, configurations: chance() ? [text(): ["Entity0"]] : [:], versionIdentifiers: chance() ? [text(), "2"] : [])
    }

    private mutating func relate(_ pair: Int, _ entities: inout [EntityDescription]) {
        let from = number(0, entities.count - 1)
        let to = number(0, entities.count - 1)
        var there = relationship("r\(pair)", to: entities[to].name)
        if chance() {
            var back = relationship("i\(pair)", to: entities[from].name)
            there.inverseRelationshipName = back.name
            back.inverseRelationshipName = there.name
            back.isTransient = there.isTransient
            entities[to].relationships.append(back)
        }
        entities[from].relationships.append(there)
    }

    private mutating func relationship(_ name: String, to destination: String) -> RelationshipDescription {
        let isToMany = chance()
        let minimum = number(0, isToMany ? 3 : 1)
        return RelationshipDescription(
            name: name, destinationEntityName: destination, isToMany: isToMany, isOrdered: isToMany && chance(),
            deleteRule: DeleteRule.allCases.randomElement(using: &generator) ?? .nullify, isOptional: chance(), minimumCount: minimum,
            maximumCount: chance() ? 0 : (isToMany ? minimum + 1 : 1), isTransient: chance(), renamingIdentifier: optionalText(),
            versionHashModifier: optionalText(), userInfo: userInfo())
    }

    private mutating func attribute(_ name: String, depth: Int = 0) -> AttributeDescription {
        let type = AttributeType.allCases.randomElement(using: &generator) ?? .string
        if type == .composite {
            guard depth < 3 else { return AttributeDescription(name: name, attributeType: .string) }
            return AttributeDescription(
                name: name, attributeType: .composite, isOptional: chance(), isTransient: chance(), renamingIdentifier: optionalText(),
                versionHashModifier: optionalText(), elements: (0...number(0, 2)).map { attribute("e\($0)", depth: depth + 1) },
                userInfo: userInfo())
        }
        let limits = type.isOrdered && chance() ? [value(type), value(type)].sorted(by: isBelow) : []
        let hasLimits = limits.count == 2 && !limits.contains { $0 == .double(.nan) }
        return AttributeDescription(
            name: name, attributeType: type, isOptional: chance(), isTransient: type == .undefined || chance(),
            defaultValue: chance() ? value(type) : .null,
            allowsExternalBinaryDataStorage: (type == .binaryData || type == .transformable) && chance(),
            minimumValue: hasLimits ? limits[0] : nil, maximumValue: hasLimits ? limits[1] : nil,
            minimumLength: type.isText && chance() ? number(0, 3) : nil, maximumLength: type.isText && chance() ? number(3, 9) : nil,
            regularExpression: type.isText && chance() ? "[a-z\"\\\\]*" : nil, renamingIdentifier: optionalText(),
            versionHashModifier: optionalText(), userInfo: userInfo())
    }

    private mutating func value(_ type: AttributeType) -> Value {
        switch type {
        case .integer16: return .integer(Int64(Int16.random(in: .min ... .max, using: &generator)))
        case .integer32: return .integer(Int64(Int32.random(in: .min ... .max, using: &generator)))
        case .integer64: return .integer(.random(in: .min ... .max, using: &generator))
        case .decimal:
            let significand = Int64.random(in: .min ... .max, using: &generator)
            return .decimal(DecimalNumber(significand: significand, exponent: number(-50, 50)) ?? .zero)
        case .double: return .double(double())
        case .float: return .double(Double(Float(bitPattern: UInt32.random(in: 0...UInt32.max, using: &generator)).sanitized))
        case .string, .uri: return .string(text())
        case .boolean: return .boolean(chance())
        case .date: return .date(Date(timeIntervalSinceReferenceDate: Double.random(in: -1e10...1e10, using: &generator)))
        case .binaryData, .transformable: return .binary((0..<number(0, 9)).map { _ in UInt8(number(0, 255)) })
        case .uuid:
            return .uuid(UUID(uuidString: "0F8FAD5B-D9CB-469F-A165-7086772895\(number(10, 99))") ?? UUID())
        case .undefined, .composite:
            let others: [AttributeType] = [.integer64, .decimal, .double, .string, .boolean, .date, .binaryData, .uuid]
            return value(others.randomElement(using: &generator) ?? .string)
        }
    }

    private mutating func double() -> Double {
        chance()
            ? Double(bitPattern: generator.next())
            : [0, -0.0, .infinity, -.infinity, .nan, .leastNonzeroMagnitude, 1e16].randomElement(using: &generator) ?? 0
    }

    private mutating func chance() -> Bool { Bool.random(using: &generator) }
    private mutating func number(_ least: Int, _ most: Int) -> Int { Int.random(in: least...most, using: &generator) }
    private mutating func text() -> String { Self.texts.randomElement(using: &generator) ?? "" }
    private mutating func optionalText() -> String? { chance() ? text() : nil }
    private mutating func userInfo() -> [String: String] { chance() ? [text(): text(), "k": text()] : [:] }
}

extension Float {
    /// Without payload bits, which are lost in text.
    fileprivate var sanitized: Float { isNaN ? .nan : self }
}
