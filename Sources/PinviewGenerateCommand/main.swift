import Glibc
import Pinview
import PinviewGenerator

private let usage = """
    usage: pinview-generate [--language swift|c] [--public] [--foundation] [--output FILE] MODEL

    Writes typed accessors for the entities of a model: Swift types, or a C header. (For Python:
    python -m pinview stubs MODEL.) MODEL is a .xcdatamodel, .xcdatamodeld, .mom or .momd of Xcode's, a
    model as JSON, or a store, which contains the model that wrote it.

      --language swift|c  what to write; swift by default
      --public            the Swift types are public
      --foundation        Data, Decimal and URL instead of [UInt8], DecimalNumber and String
      --output FILE       write to a file instead of standard output

    An attribute whose user info in the model has a `swiftType`, such as an enumeration with raw values,
    is of that type; if it is not optional, `swiftPlaceholder` says what is read before it is set.

    """

/// Writes a line to standard error.
private func complain(_ message: String) {
    let bytes = Array("pinview-generate: \(message)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

private func fail(_ message: String, _ status: Int32 = 1) -> Never {
    complain(message)
    exit(status)
}

private var generator = SwiftGenerator()
private var language = "swift", output: String?, path: String?
private var arguments = CommandLine.arguments.dropFirst()
while let argument = arguments.popFirst() {
    switch argument {
    case "--help", "-h":
        print(usage, terminator: "")
        exit(0)
    case "--public": generator.isPublic = true
    case "--foundation": generator.usesFoundation = true
    case "--output", "-o":
        guard let value = arguments.popFirst() else { fail("\(argument) needs a file.\n\(usage)", 2) }
        output = value
    case "--language":
        guard let value = arguments.popFirst(), ["swift", "c"].contains(value) else { fail("--language is swift or c.\n\(usage)", 2) }
        language = value
    default:
        guard !argument.hasPrefix("-"), path == nil else { fail("unexpected argument '\(argument)'.\n\(usage)", 2) }
        path = argument
    }
}
guard let path else { fail("which model?\n\(usage)", 2) }

private func isStore(_ path: String) -> Bool {
    guard let file = fopen(path, "r") else { return false }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 15)
    return fread(&bytes, 1, bytes.count, file) == bytes.count && String(decoding: bytes, as: UTF8.self) == "SQLite format 3"
}

do throws(PinviewError) {
    let model =
        isStore(path) ? try PersistentStoreCoordinator.managedObjectModel(ofStoreAt: path) : try ManagedObjectModel(contentsOf: path)
    for warning in model.warnings { complain("warning: \(warning)") }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    generator.source = name
    let text = language == "c" ? CGenerator(source: name).text(of: model) : try generator.text(of: model)
    if let output {
        guard let file = fopen(output, "w") else { fail("\(output): \(String(cString: strerror(errno)))") }
        let written = fputs(text, file)
        guard fclose(file) == 0, written >= 0 else { fail("\(output): \(String(cString: strerror(errno)))") }
    } else {
        print(text, terminator: "")
    }
} catch {
    fail(error.message)
}
