import XCTest

@testable import PinviewGenerations

final class LightReferencesTests: XCTestCase {
    private final class Member {}

    func test_livingMembersAreFoundInOrder() {
        var references = LightReferences<Member>()
        defer { references.release() }
        let members = (0..<20).map { _ in Member() }

        for member in members { _ = references.add(member) }

        XCTAssertEqual(references.objects.map(ObjectIdentifier.init), members.map(ObjectIdentifier.init))
    }

    func test_memoryOfEndedMembersIsReleasedWhenTheirEndIsReported() {
        var references = LightReferences<Member>()
        defer { references.release() }
        let kept = Member()
        var members = (0..<1_000).map { _ in Member() }
        for member in [kept] + members { _ = references.add(member) }

        while !members.isEmpty {
            members.removeLast()
            _ = references.noteEnd()
        }

        XCTAssertLessThan(references.count, 20)
        XCTAssertEqual(references.objects.map(ObjectIdentifier.init), [ObjectIdentifier(kept)])
    }
}
