import XCTest

/// The checker of answers covers every way of reading: ONE-05.
final class PublicMemberTests: XCTestCase {
    func test_ONE_05_eachPublicMemberIsPartOfAWayOfReadingOrReadsNothing() throws {
        let members = try PublicMembers.all()
        let covered = Set(WayOfReading.all.flatMap(\.covers)), others = Set(ReadsNothing.members.flatMap(\.members))
        XCTAssertEqual(
            members.subtracting(covered).subtracting(others).sorted(), [],
            "Add each to `covers` of a way in WaysOfReading.swift that calls it; or, if it reads no rows, to ReadsNothing.swift.")
        XCTAssertEqual(covered.union(others).subtracting(members).sorted(), [], "These are not public any more; take them out.")
        XCTAssertEqual(covered.intersection(others).sorted(), [], "These are said to read and to read nothing.")
    }

    func test_membersAreNamedByTypeAndLabels() throws {
        let text = """
            extension ManagedObjectContext {
                @discardableResult
                public func fetch<T: Equatable>(_ request: FetchRequest, with other: [String: (Int) -> Int] = [:],
                    by key: String) throws(PinviewError) -> [T] { [] }
                public internal(set) var name: String { "" }
                public var stored = 1
                public static subscript(_ index: Int) -> Int { 0 }
                func internalOne() {}
            }
            public struct FetchRequest { 
                public var fetchLimit = 0
            }
            """
        XCTAssertEqual(
            try PublicMembers.members(of: text),
            [
                "ManagedObjectContext.fetch(_:with:by:)", "ManagedObjectContext.name", "ManagedObjectContext.subscript(_:)",
                "FetchRequest.fetchLimit",
            ])
    }
}
