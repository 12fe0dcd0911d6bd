import Pinview

/// The tests of conflicts and of policies again, with a uniqueness constraint, which makes the save
/// resolve them in another way.
final class ConstrainedConflictTests: ConflictTests {
    override func model() throws -> ManagedObjectModel { try people(constraints: [["name"]]) }

    // XCTest on Linux finds no inherited tests.
    override func test_SAV_09_aChangedRowIsAConflictForAnUpdatedObject() throws {
        try super.test_SAV_09_aChangedRowIsAConflictForAnUpdatedObject()
    }
    override func test_SAV_09_aChangedRowIsAConflictForADeletedObject() throws {
        try super.test_SAV_09_aChangedRowIsAConflictForADeletedObject()
    }
    override func test_SAV_10_theErrorPolicyListsTheConflicts() throws { try super.test_SAV_10_theErrorPolicyListsTheConflicts() }
    override func test_SAV_11_storeTrumpTakesTheStoresValueWhereBothChanged() throws {
        try super.test_SAV_11_storeTrumpTakesTheStoresValueWhereBothChanged()
    }
    override func test_SAV_12_objectTrumpTakesTheMemorysValueWhereBothChanged() throws {
        try super.test_SAV_12_objectTrumpTakesTheMemorysValueWhereBothChanged()
    }
    override func test_SAV_12_whatOnlyTheStoreChangedStays() throws { try super.test_SAV_12_whatOnlyTheStoreChangedStays() }
    override func test_SAV_13_overwriteReplacesTheWholeRow() throws { try super.test_SAV_13_overwriteReplacesTheWholeRow() }
    override func test_SAV_14_rollbackKeepsTheStoredRow() throws { try super.test_SAV_14_rollbackKeepsTheStoredRow() }
    override func test_SAV_15_afterAPolicyResolvedAConflictAFurtherEditMeetsNone() throws {
        try super.test_SAV_15_afterAPolicyResolvedAConflictAFurtherEditMeetsNone()
    }
    override func test_SAV_16_anUpdatedObjectWhoseRowIsGone() throws { try super.test_SAV_16_anUpdatedObjectWhoseRowIsGone() }
    override func test_SAV_15_bothSidesOfARelationshipShowWhatThePolicyMadeOfIt() throws {
        try super.test_SAV_15_bothSidesOfARelationshipShowWhatThePolicyMadeOfIt()
    }
    override func test_SAV_16_underTheErrorPolicyItIsAConflict() throws { try super.test_SAV_16_underTheErrorPolicyItIsAConflict() }
    override func test_SAV_17_aDeletedObjectWhoseRowIsGoneIsNoConflict() throws {
        try super.test_SAV_17_aDeletedObjectWhoseRowIsGoneIsNoConflict()
    }
    override func test_SAV_18_aDeletedObjectWhoseRowChanged() throws { try super.test_SAV_18_aDeletedObjectWhoseRowChanged() }
    override func test_SAV_19_aMarkedObjectIsCheckedEvenIfNothingElseIsPending() throws {
        try super.test_SAV_19_aMarkedObjectIsCheckedEvenIfNothingElseIsPending()
    }
    override func test_SAV_19_aMarkedObjectHindersTheSaveOfOthers() throws { try super.test_SAV_19_aMarkedObjectHindersTheSaveOfOthers() }
    override func test_SAV_19_anObjectWithoutAMarkDoesNotHinderTheSave() throws {
        try super.test_SAV_19_anObjectWithoutAMarkDoesNotHinderTheSave()
    }
    override func test_SAV_20_saveRollbackAndResetRemoveTheMark() throws { try super.test_SAV_20_saveRollbackAndResetRemoveTheMark() }
    override func test_SAV_21_conflictsAreFoundByRow() throws { try super.test_SAV_21_conflictsAreFoundByRow() }
    override func test_SAV_22_afterARefreshTheSaveSucceeds() throws { try super.test_SAV_22_afterARefreshTheSaveSucceeds() }
    override func test_SAV_23_aPinnedContextMeetsAConflictWithALaterChange() throws {
        try super.test_SAV_23_aPinnedContextMeetsAConflictWithALaterChange()
    }
}

final class ConstrainedMergePolicyTests: MergePolicyTests {
    override func model() throws -> ManagedObjectModel { try people(constraints: [["name"]]) }

    override func test_SAV_10_aConflictIsDescribedWithBaseMineAndTheirs() throws {
        try super.test_SAV_10_aConflictIsDescribedWithBaseMineAndTheirs()
    }
    override func test_SAV_15_theValuesThatAPolicyGivesAreWrittenAndInMemory() throws {
        try super.test_SAV_15_theValuesThatAPolicyGivesAreWrittenAndInMemory()
    }
    override func test_aPolicySettlesEachConflictByAConstantOfItsChoice() throws {
        try super.test_aPolicySettlesEachConflictByAConstantOfItsChoice()
    }
    override func test_SAV_16_aDeletedRowIsWrittenAgainByValues() throws { try super.test_SAV_16_aDeletedRowIsWrittenAgainByValues() }
    override func test_SAV_18_anObjectThatWasToBeDeletedStaysWithTheValuesGiven() throws {
        try super.test_SAV_18_anObjectThatWasToBeDeletedStaysWithTheValuesGiven()
    }
    override func test_SAV_19_aPolicyReceivesConflictsOfMarkedObjects() throws {
        try super.test_SAV_19_aPolicyReceivesConflictsOfMarkedObjects()
    }
    override func test_SAV_04_anErrorOfThePolicyFailsTheSaveAsItself() throws {
        try super.test_SAV_04_anErrorOfThePolicyFailsTheSaveAsItself()
    }
    override func test_whatAPolicyCannotMeanIsAnError() throws { try super.test_whatAPolicyCannotMeanIsAnError() }
    override func test_callsOfTheContextInsideThePolicyAreErrorsAndNoDeadlock() throws {
        try super.test_callsOfTheContextInsideThePolicyAreErrorsAndNoDeadlock()
    }
    override func test_relationshipsAreSettledByIDs() throws { try super.test_relationshipsAreSettledByIDs() }
    override func test_constantsHaveNumbersAndPoliciesCompare() { super.test_constantsHaveNumbersAndPoliciesCompare() }
}
