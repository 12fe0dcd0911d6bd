import Foundation
import StressSupport
import XCTest

/// Issue 19, point 1: the package of macros, built with the copy of swift-syntax that the toolchain has.
final class MacroTests: TypedTestCase {
    func test_theMacrosMakeTypedObjects() throws {
        let products = URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0]).deletingLastPathComponent()
        try XCTSkipIf(Sanitizers.areActive, "the program of the script is linked without a sanitizer")
        let build = products.deletingLastPathComponent().path

        let result = try run(["env", "BUILD=\(build)", Self.sources.path + "/Macros/check"])

        XCTAssertTrue(result.succeeded, result.output)
        XCTAssertTrue(result.output.hasSuffix("the macros work\n"), result.output)
    }

    func test_thePageShowsAPartOfTheExample() throws {
        let page = try String(contentsOf: Self.sources.appendingPathComponent("docs/typed-objects.md"), encoding: .utf8)
        let example = try String(contentsOf: Self.sources.appendingPathComponent("Macros/Example/main.swift"), encoding: .utf8)

        let shown = try XCTUnwrap(page.components(separatedBy: "<!-- theirs: Sources/macro/main.swift -->\n```swift\n").last)
        let block = try XCTUnwrap(shown.components(separatedBy: "```").first)

        XCTAssertTrue(block.contains("@Managed(superentity:"))
        XCTAssertTrue(example.contains(block), block)
    }
}
