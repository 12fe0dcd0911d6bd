import XCTest

/// Sequences that the random stacks failed with once, shrunk to the steps that matter.
final class StackSequenceTests: StackTestBase {
    // MARK: ONE-01

    func test_ONE_01_aChildFindsByItsIDWhatTheRootHasSaved() throws {
        try replay(
            """
            A = root 1 error
            D = child A
            D insert 23
            D save
            A save
            """)
    }

    func test_ONE_01_aFaultOfAChildFindsWhatItInserted() throws {
        try replay(
            """
            A = root 1 error
            D = child A
            D insert 3
            D insert 12
            D link 12 assignee 3
            D save
            A save
            D refreshAll
            D read 12
            D set 3 age 2
            D read 12
            """)
    }

    func test_ONE_01_aGrandchildFindsByEitherIDWhatTheRootHasSaved() throws {
        try replay(
            """
            A = root 1 error
            D = child A
            E = child D
            A insert 10
            A save
            E lookUp 10
            """)
    }

    // MARK: ONE-02 and ONE-03

    func test_ONE_03_aChangedToManyTakesInWhatIsMerged() throws {
        try replay(
            """
            A = root 1 error
            B = root 1 error
            A insert 6
            A insert 7
            A insert 8
            A save
            B assign 8 employees 7
            A set 7 name z
            A add 8 employees 6
            B save
            A merge B
            A readAll
            A save
            """)
    }

    func test_ONE_03_aChangedToManyTakesInARemovalThatIsMergedByItself() throws {
        try replay(
            """
            A = root 1 error auto
            B = root 1 error auto
            A insert 6
            A insert 7
            A insert 9
            A link 6 department 9
            A save
            B link 7 department 9
            B readAll
            B save
            A unlink 7 department
            B unlink 6 department
            A save
            B readAll
            """)
    }

    func test_ONE_03_aChangedOrderedManyToManyTakesInWhatIsMergedByItself() throws {
        try replay(
            """
            A = root 1 error
            B = root 1 error auto
            A insert 4
            A insert 6
            A insert 11
            A save
            A add 4 clubs 11
            B add 11 members 6 2
            A save
            B save
            """)
    }

    func test_ONE_02_whatOthersRelatedToANewPartnerLosesItWhereThisContextKeepsItsOwn() throws {
        try replay(
            """
            A = root 2 error
            B = root 1 error
            A insert 5
            A insert 7
            A insert 18
            A save
            A link 5 badge 18
            B link 18 holder 7
            B save
            A merge B
            A save
            """)
    }

    func test_ONE_02_aRefreshKeepsBothSidesOfAOneToOneRelationship() throws {
        try replay(
            """
            A = root 1 error
            B = root 2 error
            A insert 18
            A insert 19
            A save
            B unlink 18 holder
            A insert 7
            A link 7 badge 18
            A save
            B set 18 name z
            B link 7 badge 19
            B refreshAll
            """)
    }

    func test_ONE_02_spousesOfOneAnotherAreMerged() throws {
        try replay(
            """
            A = root 1 error
            B = root 1 error
            A insert 0
            A insert 5
            A insert 6
            A insert 7
            A link 5 spouse 7
            A save
            B link 0 spouse 7
            A link 5 spouse 6
            A save
            B merge A
            B save
            """)
    }

    func test_ONE_02_aToManyWithoutInverseTakesItsMemberFromTheOther() throws {
        try replay(
            """
            A = root 1 error
            A insert 17
            A insert 24
            A insert 25
            A add 24 things 17
            A add 25 things 17
            A save
            """)
    }

    func test_ONE_02_aLoadedSetIncludesAMemberThatIsReadLater() throws {
        try replay(
            """
            A = root 1 rollback auto
            B = root 1 error auto
            A insert 5
            A insert 7
            A insert 12
            A insert 14
            A save
            B assign 7 tasks 12,14
            B save
            B refreshAll
            B add 7 tasks 12
            P link 14 assignee 5
            B readAll
            """)
    }

    func test_ONE_02_aMemberThatIsReadAfterAnotherContextHasMovedIt() throws {
        try replay(
            """
            A = root 1 store
            C = root 2 object
            A insert 0
            A insert 3
            A insert 20
            A insert 23
            A add 3 tags 23
            A save
            C readAll
            C refresh 0 merging
            A assign 0 tags 23
            A save
            C direct add 0 tags 20
            C set 23 code m
            """)
    }

    func test_UND_undoOfAnAssignmentOfADeletedMember() throws {
        try replay(
            """
            A = root 1 error retains
            A insert 17
            A insert 24
            A save
            A add 24 things 17
            A delete 17
            A direct assign 24 things 17,17
            A undo
            """)
    }

    func test_ONE_02_oneToOneInAChildOfWhatItsParentChanges() throws {
        try replay(
            """
            A = root 2 object auto
            D = child A
            A insert 5
            A insert 6
            A insert 7
            A link 6 spouse 5
            D direct set 6 age 2
            A direct link 5 spouse 7
            D read 5
            """)
    }

    func test_ONE_02_oneToOneWithAPendingChangeReadAfterAnotherProcess() throws {
        try replay(
            """
            A = root 1 store auto
            B = root 2 error
            A insert 7
            A insert 18
            A insert 19
            A direct link 7 badge 18
            A save
            B link 18 holder 7
            P link 7 badge 19
            B lookUp 7
            """)
    }

    func test_ONE_02_oneToOneThatAPolicyGivesBack() throws {
        try replay(
            """
            A = root 1 custom retains
            B = root 2 store retains
            A insert 5
            A insert 7
            A insert 18
            A insert 19
            A link 7 badge 19
            A save
            B readAll
            A direct link 5 badge 19
            A save
            B link 19 holder 5
            B link 5 badge 18
            B save
            """)
    }

    // MARK: ONE-10

    func test_ONE_10_whatAPolicyWritesAgainIsRelatedOnBothSides() throws {
        for policy in ["object", "overwrite", "custom"] {
            try replay(
                """
                A = root 1 \(policy)
                B = root 1 error
                A insert 0
                A insert 12
                A link 12 assignee 0
                A save
                A set 12 name x
                B delete 12
                B save
                A save
                A readAll
                A set 0 age 2
                A save
                """)
        }
    }

    func test_ONE_01_aChildSavesAChangeOfWhatItsParentHasTakenBack() throws {
        try replay(
            """
            A = root 1 error
            D = child A
            A insert 21
            D set 21 code l
            A undo
            D save
            """)
    }

    // MARK: ONE-06

    func test_ONE_06_anExplicitGroupIsNotCutByTheEndOfAnEvent() throws {
        try replay(
            """
            A = root 1 error
            A insert 6
            A insert 9
            A insert 17
            A save
            A begin
            A add 6 notes 17
            A set 9 age 2
            A end
            A undo
            """)
    }

    func test_ONE_06_anExplicitGroupIsNotCutBySave() throws {
        try replay(
            """
            A = root 1 error
            A insert 6
            A save
            A begin
            A set 6 age 2
            A save
            A set 6 name x
            A end
            A undo
            """)
    }

    // MARK: UNQ

    func test_UNQ_05_twoNewObjectsWithOneValueBecomeOneRow() throws {
        for policy in ["store", "object", "overwrite", "rollback"] {
            try replay(
                """
                A = root 1 \(policy)
                A insert 0
                A insert 20
                A insert 21
                A set 20 code k
                A set 21 code k
                A link 20 owner 0
                A save
                A readAll
                """)
        }
    }

    func test_UNQ_02_aNewObjectBecomesTheRowThatHasItsValue() throws {
        for policy in ["store", "object", "overwrite", "rollback"] {
            try replay(
                """
                A = root 1 \(policy)
                B = root 1 error
                A insert 0
                A insert 20
                A set 20 code k
                A save
                A insert 21
                A set 21 code k
                A link 21 owner 0
                A save
                A readAll
                B readAll
                """)
        }
    }

    func test_UNQ_06_aValueMovesOnFromOneObjectToTheNext() throws {
        try replay(
            """
            A = root 1 error
            A insert 21
            A insert 23
            A set 23 code m
            A save
            A set 21 code m
            A set 23 code k
            A save
            """)
    }

    // MARK: What others have deleted

    func test_UND_undoLeadsBackToWhatAnotherProcessHasDeleted() throws {
        try replay(
            """
            A = root 2 rollback retains
            B = root 1 error
            E = child B
            A insert 0
            A insert 1
            A insert 16
            A add 0 notes 16
            A save
            P delete 0
            E add 1 notes 16
            E undo
            E readAll
            """)
    }

    func test_UND_aRedoneDeletionAppliesTheDeleteRulesAgain() throws {
        try replay(
            """
            A = root 1 object auto
            A insert 7
            A insert 19
            A save
            A direct delete 19
            A undo
            A refreshAll
            P link 19 holder 7
            A redo
            A readAll
            A save
            """)
    }

    func test_SAV_18_aOneToOnePartnerOfARowThatAPolicyFindsGone() throws {
        try replay(
            """
            A = root 1 store auto
            D = child A auto
            A insert 5
            A insert 18
            A link 5 badge 18
            A save
            D set 18 name y
            P delete 18
            D save
            A save
            """)
    }

    func test_SAV_18_aMemberOfARowThatAPolicyFindsGone() throws {
        try replay(
            """
            A = root 1 rollback
            A insert 3
            A insert 4
            A insert 6
            A link 6 boss 3
            A link 4 boss 6
            A unlink 6 boss
            A save
            P delete 6
            A undo
            A save
            """)
    }

    func test_REL_whatIsRelatedIsReadBeforeItIsFoundGone() throws {
        try replay(
            """
            A = root 2 custom
            E = child A auto
            A insert 1
            A insert 6
            A insert 17
            A save
            E add 6 notes 17
            P delete 17
            E add 1 notes 17
            E save
            A refreshAll
            E direct add 1 notes 17
            """)
    }

    // MARK: Children of what is taken back

    func test_ONE_01_aGrandchildRelatesWhatItsParentHasTakenBack() throws {
        try replay(
            """
            A = root 1 overwrite
            D = child A auto
            E = child D
            A insert 12
            E insert 2
            E save
            D undo
            E link 12 assignee 2
            E save
            E readAll
            D redo
            D readAll
            E readAll
            D save
            A save
            """)
    }

    func test_ONE_02_aRefreshUnloadsASetWhoseMemberHasAnOlderRow() throws {
        try replay(
            """
            A = root 1 store auto
            B = root 1 object retains
            A insert 1
            A insert 3
            A insert 6
            A insert 16
            A insert 17
            A save
            P link 17 subject 6
            A add 3 notes 17
            B link 16 subject 1
            B save
            A direct assign 6 notes 17,17
            A refresh 6 merging
            A readAll
            A save
            """)
    }

    func test_NST_aChildSavesAMemberThatTheStoreNoLongerHas() throws {
        try replay(
            """
            A = root 1 overwrite auto
            B = root 1 error auto retains
            C = root 1 store
            D = child C
            A insert 4
            A insert 7
            A save
            D add 4 staff 7
            B delete 7
            B save
            D save
            """)
        try replay(
            """
            A = root 1 object
            D = child A
            A insert 2
            A insert 5
            A add 5 staff 2
            D unlink 2 boss
            D save
            A save
            A delete 2
            A save
            D undo
            D save
            """)
    }

    func test_SAV_whatAPolicyGivesBackTakesAPartnerFromWhatWasSaved() throws {
        try replay(
            """
            A = root 1 rollback
            F = child A auto
            A insert 1
            A insert 2
            A insert 5
            A insert 7
            A save
            A direct assign 5 friends 2,26
            P link 2 spouse 7
            F link 1 spouse 7
            F save
            A save
            """)
    }

    func test_ONE_02_aRollbackAfterAMemberWasGivenBackToItsOwner() throws {
        try replay(
            """
            A = root 1 rollback
            C = root 2 rollback retains
            D = child C
            E = child D
            A insert 0
            A insert 6
            A insert 13
            A link 13 assignee 0
            A save
            E link 13 assignee 6
            C remove 0 tasks 13
            E add 0 tasks 13
            E rollback
            """)
    }

    func test_ONE_02_theUndoOfADeletionWhoseObjectWasMergedMeanwhile() throws {
        try replay(
            """
            A = root 1 overwrite
            B = root 1 object auto
            C = root 1 rollback auto
            A insert 13
            A insert 15
            A link 13 whole 15
            A save
            B direct assign 15 parts 12
            C direct delete 15
            B save
            C undo
            """)
    }

    func test_ONE_04_aRollbackDoesNotBringBackWhatOthersHaveDeleted() throws {
        try replay(
            """
            A = root 2 store
            B = root 2 error auto
            C = root 2 custom auto
            A insert 1
            A insert 5
            A insert 22
            A save
            C readAll
            B delete 22
            B save
            C rollback
            C link 1 spouse 5
            C save
            """)
    }

    func test_REL_aMemberThatComesBackIsNotRereadDuringTheChange() throws {
        try replay(
            """
            A = root 2 custom retains
            C = root 1 custom auto
            A insert 1
            A insert 7
            A insert 13
            A save
            C link 13 assignee 7
            C save
            A link 13 assignee 7
            C link 13 assignee 1
            A refreshAll
            A unlink 13 assignee
            C save
            A link 13 assignee 7
            A save
            """)
    }

    func test_ONE_01_aChildRelatesWhatItsParentHasTakenBackWithItsPermanentID() throws {
        try replay(
            """
            A = root 1 rollback auto
            B = root 1 overwrite
            D = child B
            A insert 23
            A save
            D insert 6
            D save
            D direct link 23 owner 6
            B obtain
            B undo
            D save
            B redo
            D readAll
            B save
            """)
    }

    func test_REL_aMemberOfAnOrderedRelationshipOfItsParentComesBack() throws {
        try replay(
            """
            A = root 2 store
            D = child A
            A insert 2
            A insert 3
            A insert 4
            A insert 14
            D add 4 tasks 14
            D save
            D link 14 assignee 2
            A add 3 tasks 14 0
            D link 14 assignee 4
            D save
            A save
            """)
    }

    func test_REL_whatIsFoundGoneInTheMiddleOfAChangeIsRefused() throws {
        try replay(
            """
            A = root 1 error auto
            B = root 2 overwrite
            C = root 1 rollback
            A insert 8
            P insert 5
            C readAll
            A save
            C link 5 department 8
            B delete 5
            C save
            B save
            C direct assign 8 employees 7,6,5
            """)
        try replay(
            """
            A = root 1 error
            D = child A
            E = child D
            F = child E auto
            A insert 6
            A insert 7
            A insert 18
            A link 7 badge 18
            E fetch Badge
            F link 18 holder 7
            D delete 18
            E link 6 badge 18
            """)
    }

    func test_REL_membersThatTwoContextsPutInOnePlace() throws {
        try replay(
            """
            A = root 2 rollback
            B = root 2 error auto
            A insert 1
            A insert 13
            A save
            B readAll
            A insert 12
            A save
            P link 13 assignee 1
            B add 1 tasks 12 2
            B save
            """)
    }

    func test_MRG_aReferenceInTheFileToARowWhoseDeletionIsMerged() throws {
        try replay(
            """
            A = root 1 store auto retains
            B = root 1 custom
            D = child A auto
            A insert 1
            A insert 22
            A save
            B add 1 tags 22
            D delete 1
            D save
            B save
            A save
            B remote A
            B direct set 22 age 2
            B save
            """)
    }

    func test_ONE_03_aMemberThatIsTakenOutWhereOthersHaveMovedIt() throws {
        try replay(
            """
            A = root 1 object
            C = root 1 object
            A insert 2
            A insert 6
            A insert 12
            A assign 6 tasks 12,12
            A save
            A add 2 tasks 12 2
            C unlink 12 assignee
            A save
            C refreshAll
            C readAll
            """)
    }

    func test_ONE_02_aRefreshThatBringsAReferenceToWhatIsDeletedHere() throws {
        try replay(
            """
            A = root 1 store auto retains
            D = child A
            A insert 4
            A save
            P insert 7
            D readAll
            P link 7 spouse 4
            A delete 7
            A refresh 4 merging
            """)
    }

    func test_FET_20_aFetchInAChildAppliesTheDeleteRulesOfItsParent() throws {
        try replay(
            """
            A = root 1 rollback retains
            D = child A
            A insert 6
            A insert 14
            A link 14 assignee 6
            A save
            A direct delete 6
            D readAll
            """)
    }

    func test_ONE_06_theRulesOfADeletionBelongToItsGroup() throws {
        try replay(
            """
            A = root 1 object retains
            A insert 5
            A insert 16
            A link 16 subject 5
            A save
            A begin
            P insert 0
            A direct delete 16
            A direct set 0 age 1
            A end
            A undo
            """)
    }

    func test_REL_aNewObjectOfAChildThatARuleLeavesRelated() throws {
        try replay(
            """
            A = root 1 error
            D = child A
            E = child D
            A insert 17
            D insert 3
            D link 17 subject 3
            E delete 3
            E save
            """)
    }

    func test_REL_aNewObjectOfTheParentThatAChildDeletesAndARuleLeavesRelated() throws {
        try replay(
            """
            A = root 1 store
            E = child A auto
            A insert 16
            A insert 4
            E add 4 notes 16
            E delete 4
            E save
            """)
    }

    func test_UND_undoLeadsBackToWhatARuleLeavesRelated() throws {
        try replay(
            """
            A = root 1 object
            A insert 6
            A insert 7
            A insert 17
            A link 17 subject 7
            A add 6 notes 17
            A save
            A undo
            A delete 7
            A direct add 6 notes 17
            A undo
            """)
    }

    func test_ONE_02_aRefreshMeetsAPartnerThatIsDeletedHere() throws {
        try replay(
            """
            A = root 1 object auto
            D = child A
            A insert 0
            A insert 6
            A insert 18
            A save
            P link 6 badge 18
            D direct delete 18
            D link 0 boss 6
            D save
            A refreshAll
            """)
    }

    func test_ONE_03_theOtherSideOfAPendingReferenceIsLoadedForAChild() throws {
        try replay(
            """
            A = root 1 custom
            B = root 1 overwrite
            C = root 1 overwrite auto
            D = child C auto
            A insert 0
            A insert 5
            A insert 21
            A save
            B link 21 owner 0
            C direct add 5 tags 21
            B save
            D add 0 tags 21
            """)
    }

    func test_REL_10_aNewObjectThatIsDeletedLeavesNothingThatLeadsToIt() throws {
        try replay(
            """
            A = root 1 error
            A insert 17
            A insert 4
            A direct add 4 notes 17
            A delete 4
            A save
            """)
    }

    func test_ONE_02_undoOfADeletionWhereOthersHaveMovedTheObject() throws {
        try replay(
            """
            A = root 1 overwrite auto
            D = child A auto
            A insert 5
            A insert 14
            A save
            P insert 2
            A link 14 assignee 2
            D delete 14
            A add 5 tasks 14
            A save
            D undo
            """)
    }

    func test_ONE_02_aSaveOfNewObjectsMeetsWhatOthersHaveCommitted() throws {
        try replay(
            """
            A = root 1 object
            C = root 2 custom
            A insert 2
            A insert 3
            A insert 5
            A insert 6
            A save
            P link 6 boss 5
            C readAll
            C forget
            P link 2 boss 5
            C insert 46
            C save
            C add 2 staff 3
            C undo
            """)
    }

    func test_ONE_02_aDeletedOwnerKeepsItsMembersForTheUndo() throws {
        try replay(
            """
            A = root 1 rollback auto retains
            D = child A
            E = child D auto
            A insert 0
            A insert 5
            E direct link 0 boss 5
            E save
            D save
            A save
            A direct delete 5
            A refresh 0 merging
            A undo
            """)
    }

    func test_ONE_02_aPartnerOfOneWhoseNewPartnerIsDeletedHere() throws {
        try replay(
            """
            A = root 2 overwrite
            A insert 5
            A insert 6
            A insert 18
            A insert 19
            A link 19 holder 5
            A link 6 badge 18
            A save
            P link 18 holder 5
            A delete 6
            A refresh 5 dropping
            A read 5
            """)
    }

    func test_UND_redoOfADeletionTakesAMemberOutOnce() throws {
        try replay(
            """
            A = root 1 overwrite auto retains
            A insert 5
            A insert 21
            A save
            A refresh 5 merging
            A link 21 owner 5
            A delete 21
            A undo
            A redo
            """)
    }

    func test_ONE_02_undoOfADeletionAfterAMergeHasMovedAMember() throws {
        try replay(
            """
            A = root 2 overwrite auto
            B = root 2 custom auto
            A insert 0
            A insert 5
            A insert 23
            A link 23 owner 0
            A save
            A delete 0
            B add 5 tags 23
            B save
            A undo
            """)
    }

    func test_ONE_02_undoOfADeletionAfterAMergeHasMovedAMemberOfAnUnreadOwner() throws {
        try replay(
            """
            A = root 1 rollback auto retains
            B = root 1 store auto
            A insert 6
            A insert 7
            A insert 23
            A add 7 tags 23
            A save
            B delete 23
            A direct assign 6 tags 23
            A save
            B readAll
            B undo
            """)
    }

    func test_ONE_02_aFriendThatAPolicyKeepsLosesBothSides() throws {
        try replay(
            """
            A = root 1 overwrite auto
            C = root 1 rollback retains
            D = child A
            A insert 0
            A insert 3
            A add 3 friends 0
            A save
            D set 3 age 2
            C direct delete 3
            D save
            A save
            C save
            """)
    }

    func test_ONE_06_aRefreshInAGroup() throws {
        try replay(
            """
            A = root 2 object
            A insert 23
            A begin
            A direct set 23 code m
            A refreshAll
            A direct set 23 code nil
            A end
            A undo
            """)
    }

    func test_ONE_02_aMemberWithoutInverseThatOthersHaveTaken() throws {
        try replay(
            """
            A = root 2 rollback auto
            B = root 2 overwrite
            D = child A
            A insert 17
            A insert 24
            A insert 25
            A save
            B assign 24 things 16,17
            A add 25 things 17
            B save
            D read 24
            """)
    }

    func test_ONE_02_aPolicyGivesAMemberBackToWhatIsDeleted() throws {
        try replay(
            """
            A = root 2 store
            E = child A
            A insert 3
            A insert 5
            A insert 22
            A add 3 tags 22
            A save
            E direct delete 5
            E set 22 code m
            P link 22 owner 5
            E save
            A save
            """)
    }

    func test_UND_undoDoesNotLeadBackToWhatIsGone() throws {
        try replay(
            """
            A = root 1 rollback auto
            D = child A auto
            A insert 1
            A insert 3
            A insert 6
            A insert 11
            A save
            A link 6 spouse 1
            A direct assign 11 members 3,1,6
            P delete 6
            A refreshAll
            D direct link 3 spouse 1
            D save
            A undo
            """)
    }

    func test_UND_aChildSavesAReferenceToWhatItsParentHasDeleted() throws {
        try replay(
            """
            A = root 2 error
            D = child A
            A insert 7
            A insert 18
            D readAll
            A save
            A delete 18
            A save
            D link 7 badge 18
            D save
            A undo
            """)
    }

    func test_UND_aSaveThatUnitesTwoRowsInAGroup() throws {
        try replay(
            """
            A = root 2 object retains
            A insert 21
            A insert 23
            A begin
            A set 21 code l
            A direct set 23 code l
            A save
            A end
            A undo
            """)
    }

    func test_ONE_03_aMergeMovesAMemberOfAnOwnerThatIsNotRegistered() throws {
        try replay(
            """
            A = root 2 custom
            B = root 2 error auto
            D = child B
            A insert 3
            A insert 5
            A insert 6
            A save
            A assign 5 staff 6
            D link 6 boss 3
            D save
            A save
            B link 6 boss 5
            """)
    }

    func test_UNQ_whatAPolicyTakesOfTheStoreLeadsToWhatIsDeleted() throws {
        try replay(
            """
            A = root 1 rollback
            D = child A
            A insert 6
            A insert 20
            A insert 23
            A add 6 tags 20
            A save
            D set 23 code k
            D save
            A delete 6
            A set 20 code k
            A save
            """)
    }

    func test_MRG_aMergedRowLeadsToWhatIsDeletedHere() throws {
        try replay(
            """
            A = root 2 rollback
            C = root 2 store auto
            A insert 7
            A insert 19
            A save
            A link 7 badge 19
            C delete 19
            A save
            C set 7 age 2
            """)
    }

    func test_UND_aSaveThatUnitesTheRowsOfAChild() throws {
        try replay(
            """
            A = root 1 object auto
            D = child A auto
            A insert 2
            A insert 23
            D direct set 23 code k
            D direct insert 20
            D set 2 age 1
            D set 20 code k
            D save
            D undo
            A save
            D undo
            """)
    }

    func test_UND_undoDoesNotLeadBackToWhatARuleLeftAndASaveHasDeleted() throws {
        try replay(
            """
            A = root 1 object
            B = root 1 error
            A insert 1
            A insert 5
            A insert 17
            A add 1 notes 17
            A save
            B delete 1
            B save
            B link 17 subject 5
            B save
            B undo
            A fetch Tag
            """)
    }

    func test_UND_undoDoesNotTakeBackADeletionThatOthersHaveSavedToo() throws {
        try replay(
            """
            A = root 1 store auto
            C = root 1 object
            A insert 0
            A insert 4
            A save
            C delete 0
            A delete 0
            C delete 4
            C save
            A undo
            A save
            """)
    }

    func test_ONE_02_aReferenceInTheFileToWhatAMergeDeletes() throws {
        try replay(
            """
            A = root 1 overwrite auto retains
            B = root 1 store
            A insert 5
            A insert 20
            A insert 22
            A save
            A set 20 code m
            B read 22
            B set 20 code m
            B direct delete 5
            A direct link 22 owner 5
            A save
            B save
            """)
    }

    func test_ONE_02_undoOfADeletionTakesInAMemberThatAnotherProcessHasAdded() throws {
        try replay(
            """
            A = root 1 custom auto
            B = root 1 rollback auto
            D = child B
            A insert 7
            A insert 8
            A save
            D direct add 8 employees 7
            D delete 8
            P insert 6
            P link 6 department 8
            D lookUp 6
            D undo
            """)
    }

    func test_ONE_01_whatWasGoneInAChildComesBackAsOneObject() throws {
        try replay(
            """
            A = root 1 custom
            D = child A
            A insert 5
            A insert 8
            A insert 9
            A add 8 employees 5
            A save
            D direct add 9 employees 5
            A delete 8
            D undo
            D save
            A rollback
            D remove 8 employees 5
            """)
    }

    func test_ONE_02_aMergedDeletionOfWhatAnotherProcessHasLeft() throws {
        try replay(
            """
            A = root 2 error auto
            B = root 2 store
            A insert 4
            A insert 6
            A insert 7
            A assign 7 staff 4
            A save
            P link 4 boss 6
            B direct delete 7
            B save
            """)
    }

    func test_ONE_02_aRollbackWhereTheParentHasChangedAManyToMany() throws {
        try replay(
            """
            A = root 1 error
            D = child A
            A insert 6
            A insert 10
            A add 10 members 6
            D remove 6 clubs 10
            D direct delete 6
            A assign 10 members 1
            D assign 10 members 2,31,6,3
            D rollback
            """)
    }

    func test_ONE_03_undoOfWhatOthersHaveTakenBackToo() throws {
        try replay(
            """
            A = root 1 custom auto retains
            B = root 1 custom
            C = root 1 store auto
            A insert 0
            A insert 2
            A insert 22
            A link 22 owner 2
            A save
            C assign 0 tags 20,22
            C save
            B process
            A undo
            A readAll
            """)
    }

    func test_UND_redoOfAManyToManyThatTheParentHasChangedToo() throws {
        try replay(
            """
            A = root 1 overwrite auto
            E = child A
            A insert 7
            A insert 10
            A add 7 clubs 10
            E remove 10 members 7
            E save
            A add 7 clubs 10
            E undo
            E read 7
            E redo
            """)
    }

    func test_ONE_03_anOrderedMemberThatOthersHaveAddedTooIsNoChange() throws {
        try replay(
            """
            A = root 1 overwrite auto
            B = root 1 store
            E = child A auto
            A insert 3
            A insert 10
            A insert 11
            A save
            A add 3 clubs 11
            B assign 3 clubs 11,10
            B save
            E add 3 clubs 10
            B undo
            """)
    }

    func test_ONE_02_aPartnerThatIsReadBetweenADeletionAndItsRules() throws {
        try replay(
            """
            A = root 2 custom auto
            B = root 2 store auto
            C = root 1 custom
            D = child B
            A insert 0
            A insert 2
            A save
            D link 0 spouse 2
            C direct delete 2
            D save
            B save
            C set 0 name x
            """)
    }

    func test_ONE_02_undoOfADeletionWhoseMembersOthersHaveDeleted() throws {
        try replay(
            """
            A = root 2 error auto
            B = root 1 rollback retains
            C = root 1 error auto
            A insert 1
            A insert 13
            A insert 23
            A save
            C set 23 code k
            A delete 23
            C assign 1 tasks 12,12,13
            A save
            B delete 13
            C direct delete 1
            B save
            C undo
            C save
            """)
    }

    func test_UND_redoOfADeletionTakesTheObjectOutOfWhatWasLoadedSince() throws {
        try replay(
            """
            A = root 1 error retains
            B = root 1 error retains
            D = child B
            A insert 16
            A insert 24
            A add 24 things 16
            A save
            B delete 16
            B undo
            D add 24 things 16
            B redo
            """)
    }

    func test_ONE_02_aRefreshFindsThatAnOwnerIsGoneBeforeItReadsTheMember() throws {
        // The order of the two depends on the registry's internal order.
        for _ in 1...10 {
            try replay(
                """
                A = root 2 rollback
                D = child A
                E = child D
                A insert 2
                A insert 3
                A insert 17
                D link 17 subject 3
                A obtain
                A link 17 subject 2
                A delete 3
                D remove 2 notes 17
                E link 17 subject 2
                D refreshAll
                E save
                """)
        }
    }

    func test_ONE_03_aChildsPartnersAreReadBeforeItsChangesAreTaken() throws {
        try replay(
            """
            A = root 1 object
            D = child A auto
            E = child D auto
            A insert 6
            A insert 7
            A insert 19
            A link 7 badge 19
            E link 6 badge 19
            A link 19 holder 6
            D direct link 19 holder 6
            A link 7 badge 19
            E save
            """)
    }

    func test_ONE_03_aMemberReadBeforeItJoinedLeavesByAChange() throws {
        try replay(
            """
            A = root 1 custom
            B = root 1 overwrite
            A insert 4
            A insert 12
            A insert 14
            A insert 15
            A save
            P set 12 age 3
            B link 15 assignee 4
            A direct link 14 assignee 4
            A save
            B save
            A link 15 assignee 4
            A assign 4 tasks 12
            A remote B
            A readAll
            """)
    }

    func test_ONE_02_aPartnerGivenByTheParentToADeletedObjectIsDropped() throws {
        try replay(
            """
            A = root 2 error auto
            B = root 2 overwrite auto
            D = child B
            A insert 4
            A insert 5
            A insert 18
            A save
            D delete 18
            B link 5 badge 18
            D refreshAll
            D link 5 boss 4
            """)
    }

    func test_ONE_02_anUndoGivesThePartnerThatWasReadLast() throws {
        try replay(
            """
            A = root 2 overwrite
            B = root 1 rollback
            D = child B
            A insert 5
            A insert 6
            A insert 18
            A insert 19
            A link 6 badge 19
            A save
            B link 19 holder 6
            D direct link 6 badge 18
            P link 19 holder 5
            B set 5 age 3
            D save
            B undo
            """)
    }

    func test_ONE_01_aReferenceToWhatTheParentTakesBackLeadsToTheLivingObject() throws {
        try replay(
            """
            A = root 2 rollback
            B = root 2 error auto retains
            D = child B auto
            A insert 6
            A insert 16
            A add 6 notes 16
            A save
            D readAll
            D delete 6
            D save
            B rollback
            D readAll
            """)
    }

    func test_ONE_03_aMemberOfAStaleOwnerLeavesAndJoinsByAChange() throws {
        try replay(
            """
            A = root 1 error auto
            D = child A
            E = child D
            A insert 5
            A insert 8
            A insert 9
            A link 5 department 9
            D add 8 employees 5
            D refreshAll
            A link 5 department 8
            E assign 8 employees 7,5
            E direct link 5 department 9
            E save
            E link 5 department 9
            """)
    }

    func test_ONE_03_aMemberThatTheStoreHasByNowMayBeWrittenAgain() throws {
        try replay(
            """
            A = root 1 error
            A insert 1
            A insert 2
            A insert 3
            A save
            A link 2 boss 3
            P link 2 boss 1
            A delete 1
            A refreshAll
            A undo
            A link 2 boss 1
            """)
    }

    func test_ONE_03_aMemberThatIsGoneLeavesWithoutAChange() throws {
        try replay(
            """
            A = root 2 error auto
            B = root 2 object
            D = child B auto
            E = child D auto
            A insert 5
            A insert 7
            A insert 8
            A add 8 employees 5
            A save
            E add 8 employees 5
            B insert 34
            B direct remove 8 employees 7
            P delete 5
            E add 34 employees 5
            E save
            """)
    }

    func test_ONE_02_twoDeletionsThatComeBackAfterARefreshAndASaveAreRelatedAgain() throws {
        try replay(
            """
            A = root 1 object
            A insert 14
            A insert 15
            A assign 15 parts 15,14,14,14
            A save
            A delete 14
            A refreshAll
            A direct delete 15
            A save
            A undo
            A undo
            """)
    }

    func test_ONE_03_aMemberWithoutInverseIsTakenFromTheOwnerThatTheParentGaveItTo() throws {
        try replay(
            """
            A = root 1 rollback auto
            E = child A
            F = child E auto
            A insert 17
            A insert 24
            A insert 25
            F direct add 24 things 17
            F save
            A add 24 things 17
            E assign 25 things 17
            E refreshAll
            E readAll
            """)
    }

    func test_RFR_04_aPartnerThatTheParentHadToIsNoChangeOfTheChild() throws {
        try replay(
            """
            A = root 1 object retains
            B = root 2 object
            E = child B
            A insert 5
            A insert 18
            A insert 19
            A save
            E readAll
            B link 5 badge 18
            B save
            E set 19 age 2
            E link 18 holder 5
            P link 5 badge 19
            E refreshAll
            """)
    }

    /// A save that only drops an object found gone saves nothing, so the context stays pinned to
    /// its generation.
    func test_SAV_03_lettingGoOfWhatIsGoneLeavesThePinWhereItIs() throws {
        try replay(
            """
            A = root 1 custom auto
            B = root 1 rollback
            A insert 3
            A insert 4
            A insert 10
            A insert 17
            A insert 22
            A link 17 subject 4
            A save
            P delete 4
            B pin
            B read 22
            A delete 10
            A save
            B link 17 subject 3
            B undo
            B save
            B readAll
            """)
    }

    func test_ONE_02_takingBackAMemberThatOthersAddedTooChangesBothSides() throws {
        try replay(
            """
            A = root 1 error
            B = root 1 rollback auto
            D = child B
            A insert 1
            A insert 10
            A save
            A add 1 clubs 10
            D add 10 members 1
            D save
            A save
            B undo
            B save
            """)
    }

    func test_ONE_02_whatTurnsOutToBeGoneWhileItIsRelatedLeadsNowhere() throws {
        try replay(
            """
            A = root 2 error
            D = child A
            E = child A
            A insert 1
            A insert 4
            A insert 5
            D link 1 spouse 4
            D save
            A link 4 spouse 5
            A delete 1
            D link 1 spouse 5
            D refreshAll
            E readAll
            """)
    }

    func test_ONE_01_anUndoThatFindsAnotherContextsDeletionKeepsTheChangeSetsOfTheContext() throws {
        try replay(
            """
            A = root 1 object
            C = root 1 store
            E = child C
            A insert 13
            A insert 14
            A assign 14 parts 13,14,14
            A add 13 parts 14
            A save
            E direct unlink 14 whole
            E unlink 13 whole
            E direct link 14 whole 13
            C delete 13
            E save
            E undo
            """)
    }

    func test_ONE_02_theParentsPartnerOfAPendingOneToOneIsAChangeOnceItIsLoaded() throws {
        try replay(
            """
            A = root 1 object
            D = child A
            A insert 6
            A insert 18
            A insert 19
            A link 6 badge 19
            D direct delete 6
            D undo
            D insert 5
            A link 6 badge 18
            D link 5 badge 19
            D direct link 18 holder 6
            A direct link 6 badge 19
            D refreshAll
            D readAll
            """)
    }

    func test_ONE_03_anOrderThatADeletionMakesTheCommittedOneIsNoChange() throws {
        try replay(
            """
            A = root 2 overwrite
            B = root 2 custom
            A insert 4
            A insert 12
            A insert 14
            A assign 4 tasks 14
            A link 12 assignee 4
            A save
            A delete 14
            B move 4 tasks 14 2
            A save
            B merge A
            """)
    }
}
