/// Public members that read no rows, with the reason. What is neither here nor in a way of reading
/// fails the test.
enum ReadsNothing {
    static let members: [(reason: String, members: [String])] = [
        (
            "Compares or hashes references.",
            [
                "PinviewIndexPath.(left:right:)", "JournalObserver.==(left:right:)", "JournalObserver.hash(into:)",
                "ManagedObject.==(left:right:)", "ManagedObject.hash(into:)", "ManagedObjectContext.==(left:right:)",
                "ManagedObjectContext.hash(into:)", "Observer.==(left:right:)", "Observer.hash(into:)",
                "PersistentStore.==(left:right:)", "PersistentStore.hash(into:)", "QueryGenerationToken.==(left:right:)",
                "QueryGenerationToken.hash(into:)",
            ]
        ),
        (
            "Describes a thing of the library, and no values.",
            [
                "FetchExplanation.description", "FetchRequest.description()", "PinviewIndexPath.description", "JournalReport.description",
                "ManagedObject.description", "ManagedObjectContext.description", "PersistentHistoryToken.description",
                "PersistentStore.description", "QueryGenerationToken.description",
            ]
        ),
        (
            "Has neither context nor store, or holds what was given to it.",
            [
                "ConcurrencyDebug.isEnabled", "FetchInterruption.setCheck(_:)", "FetchRequest.timeout",
                "KeyedArchiveTransformer.bytes(of:)", "KeyedArchiveTransformer.value(of:)", "MainQueue.drain()",
                "MainQueue.fileDescriptor", "MainQueue.run(until:)",
                "MainQueue.setWakeUpHandler(_:)", "MergePolicy.custom(_:)", "MergePolicy.rawValue", "PinviewNotification.userInfo",
                "PinviewNotificationCenter.addObserver(forName:object:using:)", "PinviewNotificationCenter.notifications(named:object:)",
                "PinviewNotificationCenter.removeObserver(_:)", "PersistentHistoryToken.data()", "PersistentHistoryTransaction.token",
                "PersistentStoreRemoteChange.userInfo", "PinviewVersion.sqliteVersion", "QueryGenerationToken.data()",
                "QueryGenerationToken.isCurrent", "SQLDebug.isEnabled", "SQLDebug.setHandler(_:)", "UpsertResult.createdCount",
                "ManagedObject.notePropertyFailure(_:)", "ManagedObjectContext.propertyFailure",
                "ManagedObjectContext.takePropertyFailure()", "PropertyFailures.setHandler(_:)",
                "UpsertResult.unchangedCount", "UpsertResult.updatedCount", "Value.anyValue",
                "ValueTransformers.setTransformer(_:forName:)", "ValueTransformers.transformer(forName:)",
            ]
        ),
        (
            "Says what is to be read, and reads nothing.",
            [
                "BatchInsertRequest.nextRow", "ManagedObjectModel.fetchRequestFromTemplate(withName:substitutionVariables:)",
                "ManagedObjectModel.fetchRequestTemplate(forName:)", "ManagedObjectModel.fetchRequestTemplatesByName()",
                "ManagedObjectModel.setFetchRequestTemplate(_:forName:)", "ManagedObjectModel.setHooks(_:forEntityNamed:)",
                "PersistentHistoryChangeRequest.before(_:)", "PersistentHistoryChangeRequest.deleteHistory(before:)",
                "PersistentHistoryChangeRequest.fetchHistory(after:)", "PersistentHistoryChangeRequest.fetchHistory(before:)",
                "PropertyToFetch.name",
            ]
        ),
        (
            "Tells how far a fetch is, or what it gives.",
            [
                "SQLCursor.columnNames", "SQLCursor.interrupt()",
                "AsynchronousFetchResult.cancel()", "AsynchronousFetchResult.completedUnitCount",
                "AsynchronousFetchResult.isCancelled", "AsynchronousFetchResult.totalUnitCount",
            ]
        ),
        (
            "Tells what performFetch has put in order, or is told of it.",
            [
                "FetchedResultsController.delegate", "FetchedResultsController.indexPath(forObject:)",
                "FetchedResultsController.section(forSectionIndexTitle:at:)",
                "FetchedResultsController.sectionIndexTitle(forSectionName:)", "FetchedResultsController.sectionIndexTitles",
                "FetchedResultsControllerDelegate.controller(_:didChange:at:for:newIndexPath:)",
                "FetchedResultsControllerDelegate.controller(_:didChange:atSectionIndex:for:)",
                "FetchedResultsControllerDelegate.controller(_:didFailWith:)",
                "FetchedResultsControllerDelegate.controller(_:sectionIndexTitleForSectionName:)",
                "FetchedResultsControllerDelegate.controllerDidChangeContent(_:)",
                "FetchedResultsControllerDelegate.controllerWillChangeContent(_:)",
            ]
        ),
        (
            "Is about stores, files and processes, and reads no rows.",
            [
                "PersistentContainer.loadPersistentStores()", "PersistentContainer.loadPersistentStores(migration:progress:)",
                "PersistentContainer.managedObjectModel",
                "PersistentContainer.newBackgroundContext()", "PersistentContainer.performBackgroundTask(_:)",
                "PersistentStore.isImmutable", "PersistentStore.journalCommits", "PersistentStore.lacks(entityNamed:)",
                "PersistentStore.lacks(propertyNamed:ofEntityNamed:)", "PersistentStore.metadata()", "PersistentStore.missing",
                "PersistentStore.setMetadata(_:)", "PersistentStoreCoordinator.managedObjectModel(ofTablesAt:)",
                "PersistentStoreCoordinator.metadata(forStoreAt:)",
                "PersistentStoreCoordinator.migrationPlan(forStoreAt:to:configuration:options:migration:rehearsing:)",
                "PersistentStoreCoordinator.queryGenerationToken(forJournalCommit:of:)",
                "PersistentStoreCoordinator.setMetadata(_:forStoreAt:)", "ManagedObjectModel.rehearseMigration(ofStoresAt:options:)",
                "StoreMigrationPlan.jsonRepresentation()",
                "PersistentStore.checkpoint()", "PersistentStore.configurationName", "PersistentStore.identifier",
                "PersistentStore.isReadOnly", "PersistentStore.journalMode", "PersistentStore.journalSize", "PersistentStore.path",
                "PersistentStore.supportsQueryGenerations", "PersistentStore.type",
                "PersistentStoreCoordinator.addGenerationObserver(_:)", "PersistentStoreCoordinator.addJournalObserver(_:)",
                "PersistentStoreCoordinator.addPersistentStore(type:configuration:at:options:)",
                "PersistentStoreCoordinator.addPersistentStore(type:configuration:at:options:migration:progress:)",
                "ManagedObjectModel.allVersions(ofModelAt:)", "ManagedObjectModel.versionChecksum",
                "MigrationManager.destinationInstance(for:entityName:)", "MigrationManager.sourceInstance(for:)",
                "PersistentStoreCoordinator.addRemoteChangeObserver(_:)", "PersistentStoreCoordinator.historyConsumers()",
                "PersistentStoreCoordinator.holdsWritersWhilePinning", "PersistentStoreCoordinator.journalReport()",
                "PersistentStoreCoordinator.managedObjectID(forURIRepresentation:)",
                "PersistentStoreCoordinator.managedObjectModel(ofStoreAt:)", "PersistentStoreCoordinator.name",
                "PersistentStoreCoordinator.newerGenerations", "PersistentStoreCoordinator.persistentStores",
                "PersistentStoreCoordinator.remoteChanges", "PersistentStoreCoordinator.remove(_:)",
                "PersistentStoreCoordinator.removeGenerationObserver(_:)", "PersistentStoreCoordinator.removeHistoryConsumer(_:)",
                "PersistentStoreCoordinator.removeJournalObserver(_:)", "PersistentStoreCoordinator.removeRemoteChangeObserver(_:)",
                "PersistentStoreCoordinator.setHistoryConsumer(_:token:)",
            ]
        ),
        (
            "Changes objects or writes them. What a save checks is of the transaction that writes.",
            [
                "ManagedObject.addRelatedObject(_:forKey:)", "ManagedObject.insertRelatedObject(_:at:forKey:)",
                "ManagedObject.removeRelatedObject(_:forKey:)", "ManagedObject.setAttributeValue(_:at:)",
                "ManagedObject.setCompositeValue(_:forKey:)",
                "ManagedObject.setAttributeValue(_:for:)",
                "ManagedObject.setAttributeValue(_:forKey:)", "ManagedObject.setRelatedObject(_:forKey:)",
                "ManagedObject.setRelatedObjects(_:forKey:)", "ManagedObject.setValue(_:forKey:)", "ManagedObject.validate()",
                "ManagedObject.validateForDelete()", "ManagedObjectContext.assign(_:to:)", "ManagedObjectContext.delete(_:)",
                "ManagedObjectContext.detectConflicts(for:)", "ManagedObjectContext.insert(_:)",
                "ManagedObjectContext.insertNewObject(forEntityName:)",
                "ManagedObjectContext.insertNewObjects(forEntityName:columns:)", "ManagedObjectContext.obtainPermanentIDs(for:)",
                "ManagedObjectContext.processPendingChanges()", "ManagedObjectContext.redo()", "ManagedObjectContext.rollback()",
                "ManagedObjectContext.save()", "ManagedObjectContext.undo()",
                "ManagedObjectContext.upsert(_:constraint:rows:onInsert:onUpdate:)", "UndoManager.beginUndoGrouping()",
                "UndoManager.canRedo", "UndoManager.canUndo", "UndoManager.disableUndoRegistration()",
                "UndoManager.enableUndoRegistration()", "UndoManager.endUndoGrouping()", "UndoManager.groupingLevel",
                "UndoManager.isUndoRegistrationEnabled", "UndoManager.levelsOfUndo", "UndoManager.redo()",
                "UndoManager.redoActionName", "UndoManager.removeAllActions()", "UndoManager.setActionName(_:)", "UndoManager.undo()",
                "UndoManager.undoActionName",
            ]
        ),
        (
            "Tells what is in memory of one object or of a context.",
            [
                "ManagedObject.entity", "ManagedObject.hasChanges", "ManagedObject.hasFault(forRelationshipNamed:)",
                "ManagedObject.hasPersistentChangedValues", "ManagedObject.isDeleted", "ManagedObject.isFault",
                "ManagedObject.isInserted", "ManagedObject.isUpdated", "ManagedObject.managedObjectContext", "ManagedObject.objectID",
                "ManagedObject.predicateArgument", "ManagedObject.userData", "ManagedObjectContext.deletedObjects",
                "ManagedObjectContext.hasChanges", "ManagedObjectContext.insertedObjects", "ManagedObjectContext.registeredObjects",
                "ManagedObjectContext.updatedObjects",
            ]
        ),
        (
            "Takes in what was saved, object by object: each is of the newest state known at its turn.",
            [
                "ManagedObjectContext.mergeChanges(fromContextDidSave:)", "ManagedObjectContext.mergeChanges(fromHistory:)",
                "ManagedObjectContext.mergeChanges(fromRemoteContextSave:into:)",
                "ManagedObjectContext.mergeChanges(fromRemoteContextSaveURIs:into:)",
            ]
        ),
        (
            "Gives statements and query plans.",
            [
                "ManagedObjectContext.explain(_:)"
            ]
        ),
        (
            "Is a setting of a context, its place in the stack, its queue or its generation.",
            [
                "ManagedObjectContext.automaticallyMergesChangesFromParent", "ManagedObjectContext.batchInsert(_:)",
                "ManagedObjectContext.concurrencyType", "ManagedObjectContext.hasNewerGeneration",
                "ManagedObjectContext.interrupt()", "ManagedObjectContext.interruptFetch()", "ManagedObjectContext.lock()",
                "ManagedObjectContext.mergePolicy",
                "ManagedObjectContext.name", "ManagedObjectContext.parent", "ManagedObjectContext.perform(_:)",
                "ManagedObjectContext.performAndWait(_:)", "ManagedObjectContext.persistentStoreCoordinator",
                "ManagedObjectContext.propagatesDeletesAtEndOfEvent", "ManagedObjectContext.queryGenerationState",
                "ManagedObjectContext.queryGenerationToken", "ManagedObjectContext.retainsRegisteredObjects",
                "ManagedObjectContext.setAutomaticallyMergesChangesFromParent(_:)", "ManagedObjectContext.setParent(_:)",
                "ManagedObjectContext.setTimeout(_:)", "ManagedObjectContext.timeout",
                "ManagedObjectContext.setPersistentStoreCoordinator(_:)", "ManagedObjectContext.setQueryGeneration(from:)",
                "ManagedObjectContext.shouldDeleteInaccessibleFaults", "ManagedObjectContext.stalenessInterval",
                "ManagedObjectContext.transactionAuthor", "ManagedObjectContext.tryLock()", "ManagedObjectContext.undoManager",
                "ManagedObjectContext.unlock()", "ManagedObjectContext.userInfo",
                "ManagedObjectContext.waitForNewerGeneration(timeout:)",
            ]
        ),
    ]
}
