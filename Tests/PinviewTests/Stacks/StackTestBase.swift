import Foundation
import Pinview
import XCTest

/// Runs sequences of steps, each in a folder of its own.
class StackTestBase: XCTestCase {
    static let stepCount = 60
    var folder = ""

    override func setUpWithError() throws {
        let base = FileManager.default.fileExists(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()
        folder = base + "pinview-stacks-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        InvariantChecks.observe(nil)
    }

    override func tearDownWithError() throws {
        try FileManager.default.removeItem(atPath: folder)
    }

    static func features(_ environment: [String: String]) -> Set<StackFeature> {
        var features = Set(StackFeature.allCases)
        guard let text = environment["PINVIEW_FEATURES"] else { return features }
        let names = text.split(separator: ",").map(String.init)
        if names.contains(where: { !$0.hasPrefix("-") && $0 != "all" }) { features = [] }
        for name in names {
            if name.hasPrefix("-"), let feature = StackFeature(rawValue: String(name.dropFirst())) {
                features.remove(feature)
            } else if let feature = StackFeature(rawValue: name) {
                features.insert(feature)
            }
        }
        return features
    }

    /// Sequences that failed once.
    func replay(_ text: String, file: StaticString = #filePath, line: UInt = #line) throws {
        if let failure = try outcome(of: StackStep.steps(text), Set(StackFeature.allCases)).0 { XCTFail(failure, file: file, line: line) }
    }

    /// How a sequence fails, nil if it does not, and how many steps it performed.
    func outcome(of steps: [StackStep], _ features: Set<StackFeature>) throws -> (String?, Int) {
        let own = folder + "/run"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: own) }
        let run = try StackRun(folder: own, features: features)
        do {
            try run.run(steps)
            return (nil, run.stepCount)
        } catch {
            return ("\(error)", run.stepCount)
        }
    }
}
