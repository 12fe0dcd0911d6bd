/// The type of object behind a handle. Part of each look-up, so that a handle of another kind is
/// recognised.
enum HandleKind: UInt64 {
    case error = 1, buffer, modelBuilder, model, entity, coordinator, store, container, token, context, weakContext, object, weakObject,
        objectID, result, predicate, observer, notification, journalReport, undoManager, merge, historyToken, history, difference,
        asynchronousFetch, expression, fetchTemplate, resultsController, objectBlock, sqlCursor

    /// The name of the C type, for error messages.
    var name: String {
        switch self {
        case .error: "pinview_error"
        case .buffer: "pinview_buffer"
        case .modelBuilder: "pinview_model_builder"
        case .model: "pinview_model"
        case .entity: "pinview_entity"
        case .coordinator: "pinview_coordinator"
        case .store: "pinview_store"
        case .container: "pinview_container"
        case .token: "pinview_token"
        case .context: "pinview_context"
        case .weakContext: "pinview_weak_context"
        case .object: "pinview_object"
        case .weakObject: "pinview_weak_object"
        case .objectID: "pinview_object_id"
        case .result: "pinview_result"
        case .predicate: "pinview_predicate"
        case .expression: "pinview_expression"
        case .observer: "pinview_observer"
        case .notification: "pinview_notification"
        case .undoManager: "pinview_undo_manager"
        case .historyToken: "pinview_history_token"
        case .history: "pinview_history"
        case .journalReport: "pinview_journal_report"
        case .merge: "pinview_merge"
        case .fetchTemplate: "pinview_fetch_template"
        case .resultsController: "pinview_results_controller"
        case .difference: "pinview_difference"
        case .asynchronousFetch: "pinview_asynchronous_fetch"
        case .objectBlock: "pinview_object_block"
        case .sqlCursor: "pinview_sql_cursor"
        }
    }
}
