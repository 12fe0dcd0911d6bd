import PinviewModel
import PinviewPredicates
import StressSupport

/// Checks what must be true of every text, whether it is a predicate or not.
package final class FuzzProbe {
    /// A mistake in the handling of a text.
    package struct Problem: Error, CustomStringConvertible {
        package let text: String
        package let description: String
    }

    /// The longest time that handling one text may take, in seconds.
    private static let limit = 5.0

    private let model: ManagedObjectModel
    private let person: Entity
    private let object: FuzzObject
    private let arguments: [any PredicateArgument] = ["name", 3, ["a", "b"], 2.5]

    package init() throws {
        model = try FuzzObject.model()
        person = try model.requireEntity(named: "Person")
        object = FuzzObject(person, try model.requireEntity(named: "Car"))
    }

    /// - Throws: the `Problem` found.
    package func examine(_ text: String) throws {
        let start = threadSeconds()
        for count in 0...(text.contains("%") ? arguments.count : 0) {
            let given = Array(arguments.prefix(count))
            if let predicate = try read(text, { () throws(PinviewError) in try PinviewPredicate(format: text, arguments: given) }) {
                try examine(predicate, from: text)
                break
            }
        }
        for count in 0...(text.contains("%") ? arguments.count : 0) {
            let given = Array(arguments.prefix(count))
            if let expression = try read(text, { () throws(PinviewError) in try PinviewExpression(format: text, arguments: given) }) {
                try examine(expression, from: text)
                break
            }
        }
        let duration = threadSeconds() - start
        guard duration < Self.limit else { throw Problem(text: text, description: "handling the text took \(duration) seconds") }
    }

    /// - Returns: nil for a text that is rejected with a correct error.
    private func read<T>(_ text: String, _ body: () throws(PinviewError) -> T) throws -> T? {
        do throws(PinviewError) {
            return try body()
        } catch {
            guard error.hasCode(.badPredicate) else { throw Problem(text: text, description: "an unexpected error: \(error)") }
            if error.message.contains("given, but the ") || error.message == Self.tooDeep { return nil }
            guard let position = Self.position(in: error.message), position >= 1, position <= text.unicodeScalars.count + 1 else {
                throw Problem(text: text, description: "an error without a position in the text: \(error.message)")
            }
            return nil
        }
    }

    private static let tooDeep: String = {
        var predicate = PinviewPredicate.constant(true)
        for _ in 0..<2000 { predicate = .not(predicate) }
        do throws(PinviewError) {
            _ = try predicate.withinLimits()
            return ""
        } catch {
            return error.message
        }
    }()

    /// The number in "(character 12 of the predicate)" at the end of a message.
    private static func position(in message: String) -> Int? {
        let ending = " of the predicate)."
        guard message.hasSuffix(ending) else { return nil }
        return message.dropLast(ending.count).split(separator: " ").last.flatMap { Int($0) }
    }

    private func examine(_ predicate: PinviewPredicate, from text: String) throws {
        let printed = predicate.description
        let again = try reread(text, printed) { () throws(PinviewError) in try PinviewPredicate(format: printed) }
        guard again == predicate else { throw Problem(text: text, description: "printed as \(printed), parsed as \(again)") }
        guard again.hashValue == predicate.hashValue, again.description == printed else {
            throw Problem(text: text, description: "equal predicates, printed or hashed differently: \(printed), \(again)")
        }
        guard let resolved = try resolving(text, { () throws(PinviewError) in try predicate.resolved(for: person, in: model) }) else {
            return
        }
        let first = try resolving(text) { () throws(PinviewError) in try resolved.evaluate(with: object) }
        let negated = try resolving(text) { () throws(PinviewError) in
            try PinviewPredicate.not(predicate).resolved(for: person, in: model).evaluate(with: object)
        }
        // The value of now() differs between the two.
        guard text.lowercased().contains("now") || first != negated else {
            throw Problem(text: text, description: "the predicate and its negation are both \(String(describing: first))")
        }
    }

    private func examine(_ expression: PinviewExpression, from text: String) throws {
        let printed = expression.description
        let again = try reread(text, printed) { () throws(PinviewError) in try PinviewExpression(format: printed) }
        guard again == expression, again.description == printed else {
            throw Problem(text: text, description: "printed as \(printed), parsed as \(again)")
        }
        guard let resolved = try resolving(text, { () throws(PinviewError) in try expression.resolved(for: person, in: model) }) else {
            return
        }
        _ = try resolving(text) { () throws(PinviewError) in try resolved.value(for: object) }
    }

    private func reread<T>(_ text: String, _ printed: String, _ body: () throws(PinviewError) -> T) throws -> T {
        do throws(PinviewError) {
            return try body()
        } catch {
            throw Problem(text: text, description: "printed as \(printed), which cannot be parsed: \(error)")
        }
    }

    /// - Returns: nil if the text makes no sense for the entity.
    private func resolving<T>(_ text: String, _ body: () throws(PinviewError) -> T) throws -> T? {
        do throws(PinviewError) {
            return try body()
        } catch {
            let known: [PinviewError.Code] = [.badPredicate, .unknownKey, .unknownEntity]
            guard known.contains(where: { error.hasCode($0) }) else {
                throw Problem(text: text, description: "an unexpected error: \(error)")
            }
            return nil
        }
    }
}
