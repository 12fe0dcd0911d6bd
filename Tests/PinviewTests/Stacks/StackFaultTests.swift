#if DEBUG
    import XCTest

    @testable import Pinview

    /// Checks that the tests of random stacks find faults of the kinds that the library once had.
    /// `PINVIEW_INJECTED_FAULT` searches for more of them (`StackTests`).
    final class StackFaultTests: StackTestBase {
        /// A sequence that shows a fault, and shows nothing without it.
        private func assert(_ fault: ContextFault, isFoundBy sequence: String, file: StaticString = #filePath, line: UInt = #line) throws {
            try replay(sequence, file: file, line: line)
            ContextFault.current = fault
            defer { ContextFault.current = nil }
            XCTAssertNotNil(try outcome(of: StackStep.steps(sequence), Set(StackFeature.allCases)).0, file: file, line: line)
        }

        func test_ONE_01_permanentKeysThatAreNotTaken() throws {
            try assert(
                .permanentKeysNotTaken,
                isFoundBy: """
                    A = root 1 error
                    D = child A
                    D insert 6
                    D insert 18
                    D link 18 holder 6
                    D save
                    A save
                    D refreshAll
                    D readAll
                    """)
        }

        func test_ONE_03_mergesThatPendingChangesHide() throws {
            try assert(
                .pendingChangesHideMerges,
                isFoundBy: """
                    A = root 1 error auto
                    B = root 1 error auto
                    A insert 6
                    A insert 7
                    A insert 8
                    A save
                    A link 6 department 8
                    B link 7 department 8
                    B save
                    A readAll
                    """)
        }

        func test_UNQ_01_conflictsOfUniquenessThatNoPolicyResolves() throws {
            try assert(
                .uniquenessConflictsLeft,
                isFoundBy: """
                    A = root 1 custom auto
                    A insert 22
                    A insert 23
                    A set 22 code k
                    A set 23 code k
                    A save
                    """)
        }

        func test_ONE_06_undoGroupsThatEndWithTheEvent() throws {
            try assert(
                .undoGroupsEndWithTheEvent,
                isFoundBy: """
                    A = root 1 error
                    A begin
                    A insert 1
                    A process
                    A insert 2
                    A end
                    A undo
                    """)
        }

        func test_ONE_10_reinsertedObjectsWithOneSide() throws {
            try assert(
                .reinsertedObjectsOneSided,
                isFoundBy: """
                    A = root 1 error
                    B = root 1 store auto
                    C = root 1 overwrite auto
                    A insert 6
                    A insert 7
                    A insert 18
                    A link 18 holder 7
                    A save
                    C delete 18
                    B link 18 holder 6
                    B save
                    C save
                    C undo
                    """)
        }
    }
#endif
