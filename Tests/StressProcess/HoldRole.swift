import PinviewGenerations
import StressSupport

/// Runs commands that come line by line, with one generation at a time, and answers each with a
/// line.
struct HoldRole {
    let path: String

    func run() throws {
        let store = try StoreFile.open(path: path, options: StoreFileOptions())
        var held: Generation?
        while let line = readLine() {
            let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
            do {
                say(try answer(parts[0], parts.count > 1 ? parts[1] : "", store, &held))
            } catch let error as SQLiteError {
                say("\(error.kind): \(error.message)")
            }
        }
    }

    private func answer(_ command: String, _ argument: String, _ store: StoreFile, _ held: inout Generation?) throws -> String {
        switch command {
        case "pin":
            let generation = try store.currentGeneration()
            held = generation
            generation.publish()
            return generation.name.text
        case "adopt":
            guard let name = GenerationName(text: argument) else { return "no name" }
            let generation = try store.adopt(name)
            held = generation
            return "adopted"
        case "read":
            guard let held else { return "nothing is held" }
            return try store.read(at: held) { try $0.value(argument) ?? "NULL" }
        case "write":
            let transaction = try store.beginWrite()
            try transaction.connection.execute(argument)
            _ = try transaction.commit()
            return "ok"
        case "checkpoint": return try store.checkpoint(truncate: false) ? "all" : "a part"
        case "release":
            held = nil
            return "ok"
        default: return "no such command: \(command)"
        }
    }
}
