import Pinview

/// What a hook or a block throws.
struct Refused: Error {}

/// A scenario that names what it has not made.
struct Missing: Error { let name: String }

/// Runs one scenario in a folder of its own, through the public interface only. Its steps run one
/// at a time, on whatever thread.
final class ConformanceRunner: @unchecked Sendable {
    typealias Step = ConformanceScenario.Step

    let scenario: ConformanceScenario
    let folder: String
    let transcript = ConformanceTranscript()
    let model: ManagedObjectModel
    private let errorNames: [String: String]
    var coordinators: [String: PersistentStoreCoordinator] = [:]
    var stores: [String: PersistentStore] = [:]
    var paths: [String: String] = [:]
    var contexts: [(name: String, context: ManagedObjectContext)] = []
    private(set) var objects: [(name: String, object: ManagedObject)] = []
    private var dropped: [(name: String, id: ManagedObjectID)] = []
    var tokens: [String: QueryGenerationToken?] = [:]
    var observers: [(name: String, observer: PinviewNotificationCenter.Observer)] = []
    var notifications: [PinviewNotification] = []
    var hooks: [String: EntityHooks] = [:]
    var notes: [String] = []
    var log: [String] = []
    let statements = LogLines()
    var seenStatements = 0
    var failure: (any Error)?
    var locker: OpaquePointer?

    init(_ scenario: ConformanceScenario, folder: String) throws {
        self.scenario = scenario
        self.folder = folder
        model = try ManagedObjectModel(jsonText: try ConformanceScenario.modelText())
        errorNames = try ConformanceScenario.errorNames()
    }

    func run() {
        transcript.add("## \(scenario.file): \(scenario.title)")
        steps(scenario.steps)
        SQLDebug.isEnabled = false
        SQLDebug.setHandler(nil)
        for (_, observer) in observers { PinviewNotificationCenter.default.removeObserver(observer) }
        objects = []
        notifications = []
        observers = []
    }

    /// Runs steps that report for themselves.
    func steps(_ steps: [Step]) {
        for step in steps { _ = seen(step) }
    }

    /// Runs steps inside a hook, and rethrows the error of `refuse`.
    func throwingSteps(_ steps: [Step]) throws {
        for step in steps { if let error = seen(step) { throw error } }
    }

    /// Runs a step, and returns the error if the step is expected to throw.
    private func seen(_ step: Step) -> (any Error)? {
        var result: String
        var passing: (any Error)?
        do {
            result = try verb(step)
        } catch {
            result = "error " + name(of: error)
            failure = error
            if step.words[0].hasPrefix("refuse") { passing = error }
        }
        transcript.add("\(step.line) \(step.words.joined(separator: " ")) = \(result)")
        if passing == nil, result != step.expected {
            transcript.addMismatch(
                "\(scenario.file).steps:\(step.line): \(step.words.joined(separator: " ")) = \(result), expected \(step.expected)")
        }
        return passing
    }

    private func verb(_ step: Step) throws -> String {
        let words = Array(step.words.dropFirst())
        if let seen = try blockVerb(step, words) { return seen }
        let verb = step.words[0]
        if let seen = try stackVerb(verb, words) ?? objectVerb(verb, words) ?? fetchVerb(verb, words) { return seen }
        return try contextVerb(verb, words) ?? eventVerb(verb, words) ?? factVerb(verb, words) ?? "unknown verb"
    }

    // MARK: Words

    func object(_ name: String) throws -> ManagedObject {
        guard let object = objects.first(where: { $0.name == name })?.object else { throw Missing(name: name) }
        return object
    }

    func context(_ name: String) throws -> ManagedObjectContext {
        guard let context = contexts.first(where: { $0.name == name })?.context else { throw Missing(name: name) }
        return context
    }

    func home(_ name: String) throws -> ManagedObjectContext { try context(String(name.prefix { $0 != "." })) }

    func bind(_ name: String, _ object: ManagedObject) {
        dropped.removeAll { $0.name == name }
        if let index = objects.firstIndex(where: { $0.name == name }) {
            objects[index].object = object
        } else {
            objects.append((name, object))
        }
    }

    func drop(_ name: String) throws {
        dropped.append((name, try object(name).objectID))
        objects.removeAll { $0.name == name }
    }

    /// Has `it` stand for an object while `body` runs.
    func withIt(_ object: ManagedObject, _ body: () throws -> Void) rethrows {
        let before = objects.first { $0.name == "it" }?.object
        bind("it", object)
        defer {
            objects.removeAll { $0.name == "it" }
            if let before { bind("it", before) }
        }
        try body()
    }

    func id(_ name: String) throws -> ManagedObjectID {
        if let held = objects.first(where: { $0.name == name }) { return held.object.objectID }
        guard let known = dropped.first(where: { $0.name == name })?.id else { throw Missing(name: name) }
        return known
    }

    func isObject(_ word: String) -> Bool { objects.contains { $0.name == word } }

    func value(_ word: String) -> Value {
        if word == "nil" { return .null }
        return Int64(word).map(Value.integer) ?? .string(word)
    }

    func arguments(_ words: some Sequence<String>) throws -> [any PredicateArgument] {
        try words.map { word in isObject(word) ? Value.objectID(try object(word).objectID) : value(word) }
    }

    // MARK: What is seen

    func shown(_ value: Value) -> String {
        switch value {
        case .null: "nil"
        case .integer(let number): "\(number)"
        case .string(let text): text
        default: "\(value)"
        }
    }

    func label(_ id: ManagedObjectID) -> String {
        let known = objects.first { $0.name != "it" && $0.object.objectID == id }?.name ?? dropped.first { $0.id == id }?.name
        return known.map { String($0.drop { $0 != "." }.dropFirst()) } ?? "?" + id.entity.name
    }

    func listed(_ objects: some Sequence<ManagedObject>) -> String { listed(ids: objects.map(\.objectID)) }

    func listed(ids: [ManagedObjectID]) -> String { "[" + ids.map(label).sorted().joined(separator: " ") + "]" }

    func inOrder(_ objects: some Sequence<ManagedObject>) -> String {
        "(" + objects.map { label($0.objectID) }.joined(separator: " ") + ")"
    }

    func yes(_ truth: Bool) -> String { truth ? "yes" : "no" }

    func name(of error: any Error) -> String {
        if error is Refused { return "refused" }
        guard let error = error as? PinviewError else { return "\(error)" }
        if error.programError is Refused { return "refused" }
        return errorNames["\(error.domain) \(error.code)"] ?? "\(error)"
    }
}
