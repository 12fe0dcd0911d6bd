import XCTest

/// Sequences that the random stacks failed with once, shrunk: saves that meet what other coordinators and processes have written.
final class StackSavingSequenceTests: StackTestBase {
    func test_ONE_02_aDeletionThatOverwritesEmptiesReferencesMadeMeanwhile() throws {
        try replay(
            """
            A = root 1 overwrite
            B = root 2 custom
            A insert 2
            A insert 3
            A insert 5
            A save
            B readAll
            P link 3 spouse 5
            A delete 5
            A save
            B link 5 spouse 2
            B save
            """)
    }

    func test_ONE_02_aPartnerWhoseRowOthersHaveChangedIsWrittenToo() throws {
        try replay(
            """
            A = root 1 custom auto
            B = root 1 custom auto
            A insert 0
            A insert 5
            A insert 7
            A insert 3
            A save
            P link 7 spouse 5
            B direct add 0 friends 5
            P link 3 spouse 7
            B link 5 spouse 7
            B save
            """)
    }

    func test_ONE_02_aReferenceToWhatIsDeletedHereIsDroppedWhenItIsRead() throws {
        try replay(
            """
            A = root 1 object
            B = root 1 overwrite auto
            A insert 14
            A save
            A direct insert 12
            A direct add 14 parts 12
            B delete 14
            A save
            B readAll
            """)
    }

    func test_ONE_02_aMemberReadAnewOfAnOwnerThatIsDeletedHereIsDropped() throws {
        try replay(
            """
            A = root 2 object auto
            B = root 1 overwrite
            A insert 2
            A insert 5
            A insert 6
            A save
            B delete 6
            A link 5 boss 6
            A save
            B refreshAll
            B unlink 5 department
            A set 2 name z
            """)
    }

    func test_ONE_04_aPartnerThatASaveTookElsewhereIsPartOfItsNotification() throws {
        try replay(
            """
            A = root 1 rollback auto
            C = root 1 custom
            A insert 6
            A insert 7
            A insert 19
            A save
            C link 6 badge 19
            A link 7 badge 19
            A save
            C save
            A set 7 age 2
            A save
            """)
    }

    func test_ONE_02_aMergeReadsARowThatAnotherProcessHasWrittenSince() throws {
        try replay(
            """
            A = root 2 overwrite auto
            C = root 2 rollback auto
            A insert 0
            A insert 1
            A insert 3
            A insert 5
            A insert 7
            A add 7 staff 0
            A link 7 spouse 1
            A save
            A link 0 boss 3
            C delete 0
            P link 7 spouse 5
            C save
            """)
    }

    func test_ONE_10_aFaultWhoseRowIsGoneIsNotWrittenAgain() throws {
        try replay(
            """
            A = root 2 rollback auto
            C = root 2 custom auto
            E = child C
            A insert 5
            A insert 6
            A insert 18
            A link 18 holder 5
            A save
            C link 18 holder 33
            E link 6 badge 18
            P delete 18
            E save
            C save
            """)
    }

    func test_SAV_14_aPinnedParentThatOnlyItsChildHasRead() throws {
        try replay(
            """
            A = root 1 error
            B = root 1 rollback
            D = child B
            A insert 1
            A insert 2
            A insert 16
            A save
            B pin
            D readAll
            P link 16 subject 1
            B direct add 2 notes 16
            B save
            """)
    }

    func test_ONE_02_aPartnerThatVanishesWhileThePolicyTakesTheOtherOne() throws {
        try replay(
            """
            A = root 2 rollback
            B = root 2 rollback auto
            A insert 7
            A insert 18
            A insert 19
            A save
            B direct delete 18
            B direct link 19 holder 7
            A set 19 name z
            B save
            A link 18 holder 7
            A save
            """)
    }
}
