import Foundation
import Pinview
import PinviewModel
import StressSupport

/// An input of libFuzzer (`make fuzz`): a model file; after a zero byte, a model cache; after a one,
/// the data of an attribute, which are shown readable.
///
/// What loads must be a sound model: its JSON is one, too, and the same.
private func examineInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    do {
        switch bytes.first {
        case 0: check(try ManagedObjectModel(ModelLoader.load(modelCache: Array(bytes.dropFirst())), checking: .lenient))
        case 1: _ = Value.binary(Array(bytes.dropFirst())).readable.description
        default: check(try ManagedObjectModel(bytes: bytes))
        }
    } catch  where error.message.isEmpty {
        fail("An error says nothing.")
    } catch {
        // A model that is refused.
    }
    return 0
}

private func check(_ model: ManagedObjectModel) {
    do {
        let again = try ManagedObjectModel(jsonText: model.jsonRepresentation())
        if again != model { fail("A model differs from its JSON: \(model.jsonRepresentation())") }
    } catch {
        fail("The JSON of a model is none: \(error)")
    }
}

private func fail(_ problem: String) {
    FileHandle.standardError.write(Data("PROBLEM: \(problem)\n".utf8))
    abort()
}

#if PINVIEW_LIBFUZZER
    /// usage: ModelFuzzer, with the options of libFuzzer
    @main
    enum ModelFuzzer {
        static func main() { runLibFuzzer { examineInput($0, $1) } }
    }
#else
    /// Without libFuzzer: usage: ModelFuzzer FILE…   (inputs that libFuzzer has left)
    @main
    enum ModelFuzzer {
        static func main() throws {
            for path in CommandLine.arguments.dropFirst() {
                let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
                _ = bytes.withUnsafeBufferPointer { examineInput($0.baseAddress, $0.count) }
            }
        }
    }
#endif
