import CPinview
import Pinview

// Migrations: parts of the sections "Model" and "Stores" of the header.

@c @implementation
public func pinview_model_difference(
    _ model: OpaquePointer?, _ older: OpaquePointer?, _ confirmed_removals: pinview_string,
    _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        out.pointee = .absent
        let box = try Handles.box(model, .model, ModelBox.self)
        let names = try confirmed_removals.text("confirmed_removals") ?? ""
        let difference = ModelDifference(
            from: try Handles.model(older), to: box.model,
            confirmedRemovals: Set(names.split { $0 == "," || $0 == " " }.map(String.init)))
        out.pointee = box.keep(difference.jsonRepresentation())
    }
}

@c @implementation
public func pinview_model_migration_plan(
    _ model: OpaquePointer?, _ path: pinview_string, _ configuration: pinview_string,
    _ options: UnsafePointer<pinview_named_value>?, _ option_count: Int, _ rehearse: Int32,
    _ out: UnsafeMutablePointer<pinview_string>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try require(out, "out")
        let box = try Handles.box(model, .model, ModelBox.self)
        let path = try path.required("path"), configuration = try configuration.text("configuration")
        let options = try namedValues(options, option_count, "options")
        out.pointee = .absent
        let plan = try PersistentStoreCoordinator.migrationPlan(
            forStoreAt: path, to: box.model, configuration: configuration, options: options, rehearsing: rehearse != 0)
        if let plan { out.pointee = box.keep(plan.jsonRepresentation()) }
    }
}

@c @implementation
public func pinview_model_version_checksum(_ model: OpaquePointer?) -> pinview_string {
    guard let box = Handles.boxOrNil(model, .model, ModelBox.self) else { return .absent }
    return box.keep(box.model.versionChecksum)
}

// MARK: Stages

/// The callbacks of one migration, and the first failure among them, which becomes that of the
/// call. They run one after another.
private final class MigrationCallbacks: @unchecked Sendable {
    let migration: pinview_migration
    private var failure: (any Error)?

    init(_ migration: UnsafePointer<pinview_migration>?) throws(PinviewError) {
        self.migration = try read(migration, "migration", pinview_migration(), minimumSize: 56)
        try checkReserved(self.migration.reserved, "migration.reserved")
    }

    /// What is thrown instead of an error of the migration: the first failure of a callback, whose
    /// error it is.
    func reported(_ error: any Error) -> any Error { failure ?? error }

    func run(_ body: () -> pinview_status) throws {
        do {
            try runCallback(body)
        } catch let error as PinviewError where error.hasCode(.stopped) {
            throw PinviewError(
                .migrationCancelled, "The program cancelled the migration; the store is as it was before the stage that was running.")
        } catch {
            if failure == nil { failure = error }
            throw error
        }
    }

    func stages() throws(PinviewError) -> StagedMigration {
        var versions: [ManagedObjectModel] = []
        for handle in try elements(migration.versions, migration.version_count, "migration.versions") {
            versions.append(try Handles.model(handle))
        }
        var stages: [MigrationStage] = []
        let given = try GrowingElements(
            migration.stages, migration.stage_count, size: migration.stage_size, minimumSize: 80, "migration.stages")
        for index in 0..<given.count {
            var stage = pinview_migration_stage()
            given.copy(index, to: &stage)
            let names = try stage.confirmed_removals.text("stages.confirmed_removals") ?? ""
            stages.append(
                MigrationStage(
                    from: try stage.source.required("stages.source"), to: try stage.destination.required("stages.destination"),
                    mappings: try mappings(stage), confirmedRemovals: Set(names.split { $0 == "," || $0 == " " }.map(String.init)),
                    step: stage.step.map { step($0, UserPointer(pointer: stage.userdata)) }))
        }
        return StagedMigration(versions: versions, stages: stages)
    }

    private func mappings(_ stage: pinview_migration_stage) throws(PinviewError) -> [EntityMapping] {
        var mappings: [EntityMapping] = []
        let given = try GrowingElements(
            stage.mappings, stage.mapping_count, size: migration.mapping_size, minimumSize: 80, "stages.mappings")
        for index in 0..<given.count {
            var item = pinview_migration_mapping()
            given.copy(index, to: &item)
            let source = try item.source_entity.required("mappings.source_entity")
            let destination = try item.destination_entity.required("mappings.destination_entity")
            var properties: [String: PropertyMapping] = [:]
            if let property = try item.property.text("mappings.property") {
                if let text = try item.expression.text("mappings.expression") {
                    properties[property] = .expression(text)
                } else {
                    properties[property] = item.function.map { function($0, UserPointer(pointer: item.userdata)) } ?? .step
                }
            }
            // The properties of a pair of entities together.
            if let place = mappings.firstIndex(where: { $0.sourceEntityName == source && $0.destinationEntityName == destination }) {
                properties.merge(mappings[place].properties) { new, _ in new }
                mappings[place] = EntityMapping(from: source, to: destination, properties: properties)
            } else {
                mappings.append(EntityMapping(from: source, to: destination, properties: properties))
            }
        }
        return mappings
    }

    private struct UserPointer: @unchecked Sendable {
        let pointer: UnsafeMutableRawPointer?
    }

    private func step(
        _ step: @escaping pinview_migration_step_callback, _ userdata: UserPointer
    ) -> @Sendable (MigrationManager) throws -> Void {
        { [self] manager in
            let source = try Handles.make(manager.sourceContext)
            defer { _ = HandleTable.release(source, .context) }
            let destination = try Handles.make(manager.destinationContext)
            defer { _ = HandleTable.release(destination, .context) }
            try run { step(source, destination, userdata.pointer) }
        }
    }

    private func function(_ function: @escaping pinview_migration_value_callback, _ userdata: UserPointer) -> PropertyMapping {
        .function { [self] object in
            let handle = try Handles.make(object)
            defer { _ = HandleTable.release(handle, .object) }
            var value = pinview_value()
            try run { function(handle, &value, userdata.pointer) }
            return try value.value("out")
        }
    }

    func progress() -> (@Sendable (MigrationProgress) -> Bool)? {
        guard let progress = migration.progress else { return nil }
        let userdata = UserPointer(pointer: migration.progress_userdata)
        return { [self] state in
            var text = state.step
            do {
                try text.withUTF8 { bytes in
                    try bytes.withMemoryRebound(to: CChar.self) { characters in
                        let step = pinview_string(data: characters.baseAddress, size: characters.count)
                        try run { progress(state.fractionCompleted, step, userdata.pointer) }
                    }
                }
                return true
            } catch {
                return false
            }
        }
    }
}

@c @implementation
public func pinview_coordinator_add_migrated_store(
    _ coordinator: OpaquePointer?, _ type: pinview_string, _ configuration: pinview_string, _ path: pinview_string,
    _ options: UnsafePointer<pinview_named_value>?, _ option_count: Int, _ migration: UnsafePointer<pinview_migration>?,
    _ out: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        out?.pointee = nil
        let coordinator = try Handles.coordinator(coordinator)
        let callbacks = try MigrationCallbacks(migration)
        let stages = try callbacks.stages()
        let type = try storeType(type), configuration = try configuration.text("configuration"), path = try path.text("path")
        let options = try namedValues(options, option_count, "options")
        do {
            let store = try coordinator.addPersistentStore(
                type: type, configuration: configuration, at: path, options: options, migration: stages,
                progress: callbacks.progress())
            if let out { out.pointee = try Handles.make(store) }
        } catch {
            throw callbacks.reported(error)
        }
    }
}

@c @implementation
public func pinview_container_load_migrated_stores(
    _ container: OpaquePointer?, _ migration: UnsafePointer<pinview_migration>?, _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let container = try Handles.box(container, .container, ContainerBox.self).container
        let callbacks = try MigrationCallbacks(migration)
        let stages = try callbacks.stages()
        do {
            try container.loadPersistentStores(migration: stages, progress: callbacks.progress())
        } catch {
            throw callbacks.reported(error)
        }
    }
}

private func manager(_ context: OpaquePointer?, _ parameter: String) throws(PinviewError) -> MigrationManager {
    let context = try Handles.context(context)
    guard let manager = MigrationManagers.shared.manager(of: context) else {
        throw PinviewError(.invalidArgument, "'\(parameter)' is not a context of a migration's step that is running.")
    }
    return manager
}

@c @implementation
public func pinview_migration_destination_object(
    _ destination: OpaquePointer?, _ source: OpaquePointer?, _ entity: pinview_string, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        _ = try Handles.context(destination)
        let object = try Handles.object(source), entity = try entity.text("entity")
        if let found = try manager(destination, "destination").destinationInstance(for: object, entityName: entity) {
            out.pointee = try Handles.make(found)
        }
    }
}

@c @implementation
public func pinview_migration_source_object(
    _ source: OpaquePointer?, _ destination: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?,
    _ error: UnsafeMutablePointer<OpaquePointer?>?
) -> pinview_status {
    call(error) {
        let out = try requireHandle(out)
        _ = try Handles.context(source)
        let object = try Handles.object(destination)
        if let found = try manager(source, "source").sourceInstance(for: object) { out.pointee = try Handles.make(found) }
    }
}
