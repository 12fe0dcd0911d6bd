import XCTest

/// Sequences that the random stacks failed with once, shrunk: saves that meet what other
/// coordinators and processes have written.
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

    func test_ONE_02_aRereadMemberOfAnOwnerThatIsDeletedHereIsDropped() throws {
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

    func test_ONE_04_aMemberWithoutAnInverseThatOthersHaveTaken() throws {
        try replay(
            """
            A = root 1 overwrite
            B = root 1 rollback auto
            A insert 17
            A insert 24
            A insert 25
            A add 24 things 17
            A undo
            A save
            B add 25 things 17
            B save
            B delete 24
            A add 24 things 17
            A save
            B readAll
            B save
            """)
    }

    func test_ONE_02_redoOfAPairAfterOthersHaveMadeAnotherOne() throws {
        try replay(
            """
            A = root 1 store auto
            D = child A
            A insert 3
            A insert 4
            A insert 6
            A save
            P link 6 spouse 3
            D link 4 spouse 6
            D save
            A save
            A undo
            A redo
            """)
    }

    func test_NST_aChildRelatesToWhatAnotherProcessHasDeleted() throws {
        try replay(
            """
            A = root 2 custom auto
            D = child A
            A insert 4
            A insert 5
            A insert 20
            A add 5 tags 20
            A save
            D direct add 4 tags 20
            D save
            D undo
            P delete 5
            A refreshAll
            A save
            D save
            D process
            """)
    }

    func test_NST_aChildAddsWhatItsParentHasDeletedToAManyToMany() throws {
        try replay(
            """
            A = root 2 object auto retains
            C = root 1 error
            D = child A
            E = child A auto
            F = child D
            A insert 1
            F read 1
            E direct delete 1
            A insert 10
            A save
            D delete 1
            E save
            D refreshAll
            D save
            F add 1 clubs 10
            F save
            C save
            """)
    }

    func test_UND_aSavedDeletionComesBackToAPartnerThatOthersGaveIt() throws {
        try replay(
            """
            A = root 2 store auto
            B = root 2 overwrite
            A insert 6
            A insert 18
            A save
            A direct delete 18
            B link 6 badge 18
            B save
            A save
            A undo
            """)
    }

    func test_MRG_aMemberThatOthersHaveAddedTooIsRemovedOnBothSides() throws {
        try replay(
            """
            A = root 2 rollback
            B = root 1 error
            C = root 1 custom auto
            A insert 4
            A insert 10
            A save
            B direct add 4 clubs 10
            C assign 10 members 5,5,4,5
            B save
            C remove 10 members 4
            """)
    }

    func test_ONE_02_aPartnerThatIsReadLeavesTheOneOfItsNewRow() throws {
        try replay(
            """
            A = root 1 overwrite
            D = child A auto
            E = child D auto
            A insert 5
            A insert 6
            A insert 18
            A insert 19
            A link 18 holder 5
            A link 6 badge 19
            A save
            D link 5 badge 19
            A direct link 6 badge 18
            D refresh 19 merging
            D link 18 holder 5
            D direct link 19 holder 6
            A save
            D read 18
            E direct link 5 badge 19
            """)
    }

    func test_UND_aSavedDeletionComesBackWithoutThePartnerThatOthersGaveItsRow() throws {
        try replay(
            """
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

    func test_UND_aDeletionComesBackWithoutAPartnerThatIsDeleted() throws {
        try replay(
            """
            A = root 1 store auto
            B = root 1 object
            F = child A auto
            A insert 5
            A insert 6
            A insert 19
            A link 19 holder 6
            A save
            A direct delete 6
            F delete 5
            F save
            B link 19 holder 5
            B save
            A undo
            """)
    }

    func test_UNQ_10_aMemberThatBecomesAnotherObjectKeepsThatOnesOwner() throws {
        try replay(
            """
            A = root 1 store auto
            D = child A
            A insert 23
            A set 23 code k
            D insert 21
            D insert 2
            D set 21 code k
            D direct add 2 tags 21
            D save
            D direct set 23 code l
            A save
            """)
    }

    func test_UND_aSavedDeletionComesBackToMembersThatARefreshHasUnloaded() throws {
        try replay(
            """
            A = root 1 custom auto
            B = root 1 object
            D = child B
            A insert 6
            A insert 7
            A insert 10
            A save
            D delete 10
            B add 7 clubs 10
            D save
            B refresh 6 dropping
            B save
            B undo
            """)
    }

    func test_ONE_02_aPartnerThatOthersHaveTakenAndARefreshHasUnloaded() throws {
        try replay(
            """
            A = root 2 error
            B = root 1 custom auto retains
            A insert 5
            A insert 6
            A insert 7
            A insert 19
            A link 5 badge 19
            A save
            B direct set 5 name z
            B save
            A direct link 6 badge 19
            P link 7 badge 19
            A merge B
            A undo
            A refreshAll
            A save
            """)
    }

    func test_SAV_aContextThatIsPinnedBackSavesWhatItHasDeletedSince() throws {
        try replay(
            """
            A = root 2 error
            B = root 2 error
            A insert 0
            A insert 4
            A save
            A delete 0
            B pin
            B fetch Employee
            A save
            A token B
            A link 0 spouse 4
            A save
            """)
    }

    func test_ONE_02_aMemberWhoseDeletionIsNotPropagatedYetAgreesWithWhatItShows() throws {
        try replay(
            """
            A = root 2 overwrite retains
            B = root 1 custom retains
            A insert 0
            A insert 2
            A insert 5
            A insert 11
            A insert 22
            A link 22 owner 0
            A save
            B add 2 clubs 11
            A undo
            P link 22 owner 5
            A save
            B save
            A direct delete 2
            A add 11 members 5
            """)
    }

    func test_ONE_02_aRowThatTheSaveFindsGoneLeavesTheLoadedMembersOfAFault() throws {
        try replay(
            """
            A = root 1 error auto
            B = root 1 store
            C = root 1 overwrite auto
            A insert 3
            A insert 6
            A insert 7
            A save
            C add 7 friends 3
            C save
            B direct remove 7 friends 6
            C direct delete 3
            B direct set 3 name z
            C save
            B save
            """)
    }

    func test_ONE_04_aRowThatAnotherBecameShowsWhatTheSaveEmptiedAfterwards() throws {
        try replay(
            """
            A = root 1 store
            C = root 1 custom
            D = child C
            A insert 4
            A insert 6
            A insert 14
            A insert 20
            A insert 22
            A save
            C link 6 spouse 4
            D set 22 code l
            D direct assign 4 tasks 12,14
            C save
            P delete 6
            D save
            C set 20 code l
            C add 6 tags 22
            C set 20 age 1
            C save
            """)
    }
}
