import AnswerSupport
import Glibc
import Pinview

// A process with a stack of its own, which tests start, send commands to and kill. usage:
// StackProcess STORE... It answers each line with one: `error CODE MESSAGE`, or what the command
// says.

/// Writes a line at once, as a whole.
func say(_ text: String) {
    var line = text + "\n"
    _ = line.withUTF8 { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
}

let model = try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: CommandLine.arguments[1])
let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
for path in CommandLine.arguments.dropFirst() { try coordinator.addPersistentStore(type: .sqlite, at: path) }
let context = ManagedObjectContext(concurrencyType: .privateQueue)
try context.setPersistentStoreCoordinator(coordinator)

nonisolated(unsafe) var ledger: LedgerWriter?

/// The names of all people, at the context's generation.
func names() throws -> String {
    try context.refreshAllObjects()
    return try context.fetch(FetchRequest(entityName: "Person")).compactMap { try $0.attributeValue(forKey: "name").stringValue }
        .sorted().joined(separator: ",")
}

func hexadecimal(_ token: QueryGenerationToken?) -> String {
    token.map { $0.data().map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() } ?? "none"
}

func token(_ text: String) throws -> QueryGenerationToken {
    var bytes: [UInt8] = [], rest = Substring(text)
    while let byte = UInt8(rest.prefix(2), radix: 16) {
        bytes.append(byte)
        rest = rest.dropFirst(2)
    }
    return try QueryGenerationToken(data: bytes)
}

/// Changes one object, named by its URI, and saves it: for the random stacks.
func commit(_ command: String, _ words: [String]) throws -> String {
    let writer = ManagedObjectContext(concurrencyType: .privateQueue)
    try writer.setPersistentStoreCoordinator(coordinator)
    writer.stalenessInterval = 0
    func object(_ uri: String) throws -> ManagedObject {
        guard let objectID = try coordinator.managedObjectID(forURIRepresentation: uri) else {
            throw PinviewError(.invalidArgument, "'\(uri)' is not the URI of an object of the store.")
        }
        return try writer.existingObject(with: objectID)
    }
    switch (command, words.count) {
    case ("new", 1):
        let object = try writer.insertNewObject(forEntityName: words[0])
        try writer.save()
        return object.objectID.uriRepresentation
    case ("set", 3):
        let value: Value = words[2] == "nil" ? .null : Int64(words[2]).map(Value.integer) ?? .string(words[2])
        try object(words[0]).setAttributeValue(value, forKey: words[1])
    case ("link", 3): try object(words[0]).setRelatedObject(try object(words[2]), forKey: words[1])
    case ("delete", 1): try writer.delete(try object(words[0]))
    default: return "no such command: \(command)"
    }
    try writer.save()
    return "ok"
}

func answer(_ command: String, _ argument: String) throws -> String {
    switch command {
    case "adopt":
        try context.setQueryGeneration(from: try token(argument))
        return "adopted"
    case "pin":
        try context.setQueryGeneration(from: .current)
        _ = try names()
        return hexadecimal(context.queryGenerationToken)
    case "token": return hexadecimal(context.queryGenerationToken)
    case "isEqual": return context.queryGenerationToken == (try token(argument)) ? "yes" : "no"
    case "unpin":
        try context.setQueryGeneration(from: nil)
        return "ok"
    case "names": return try names()
    case "insert":
        let writer = ManagedObjectContext(concurrencyType: .privateQueue)
        try writer.setPersistentStoreCoordinator(coordinator)
        try writer.insertNewObject(forEntityName: "Person").setValue(argument, forKey: "name")
        try writer.save()
        return "ok"
    case "upsert":
        // Until it is killed. Each commit is reported.
        for round in ((Int(argument) ?? 0) + 1)... {
            var request = BatchInsertRequest(
                entityName: "Person",
                objects: (0..<2000 + 10 * round).map { ["name": .string("p\($0)"), "age": .integer(Int64(round))] })
            request.mergePolicy = .mergeByPropertyObjectTrump
            _ = try context.execute(request)
            say(String(round))
        }
        return "ok"
    case "ledger":
        // So many commits of the checker of answers, from the seed of the first.
        if ledger == nil { ledger = try LedgerWriter(coordinator, seed: 77) }
        for _ in 0..<(Int(argument) ?? 1) { try ledger?.write() }
        return "ok"
    default: return try commit(command, argument.split(separator: " ").map(String.init))
    }
}

while let line = readLine() {
    let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
    do {
        say(try answer(parts.first ?? "", parts.count > 1 ? parts[1] : ""))
    } catch let error as PinviewError {
        say("error \(error.code) \(error.message)")
    }
}
