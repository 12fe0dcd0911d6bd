"""The C interface as ctypes sees it. Generated from include/pinview.json by generate_prototypes.py; do not edit."""

# fmt: off
# ruff: noqa
from ctypes import CFUNCTYPE, POINTER, Structure, Union, c_bool, c_char_p, c_double, c_float, c_int, c_int8, c_int16, c_int32
from ctypes import c_int64, c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p
from _thread import RLock  # that of threading, which takes longer to import than all the rest

# Constants
PINVIEW_VALUE_NULL = 0
PINVIEW_VALUE_BOOLEAN = 1
PINVIEW_VALUE_INTEGER = 2
PINVIEW_VALUE_DOUBLE = 3
PINVIEW_VALUE_STRING = 4
PINVIEW_VALUE_BINARY = 5
PINVIEW_VALUE_DATE = 6
PINVIEW_VALUE_UUID = 7
PINVIEW_VALUE_DECIMAL = 8
PINVIEW_VALUE_OBJECT = 9
PINVIEW_VALUE_OBJECT_ID = 10
PINVIEW_VALUE_LIST = 11
PINVIEW_OK = 0
PINVIEW_STOP = 1
PINVIEW_USE_DEFAULT = 2
PINVIEW_ERROR_NESTED_PIN = -1
PINVIEW_ERROR_FOREIGN_TOKEN = -2
PINVIEW_ERROR_GENERATION_EXPIRED = -3
PINVIEW_ERROR_WRONG_QUEUE = -4
PINVIEW_ERROR_WRONG_CONTEXT = -5
PINVIEW_ERROR_WRONG_STORE = -6
PINVIEW_ERROR_NO_COORDINATOR = -7
PINVIEW_ERROR_COORDINATOR_NIL = -8
PINVIEW_ERROR_CONFINEMENT_PARENT = -9
PINVIEW_ERROR_CONFINEMENT_PERFORM = -10
PINVIEW_ERROR_PARENT_CYCLE = -11
PINVIEW_ERROR_CONTEXT_GONE = -12
PINVIEW_ERROR_OBJECT_INVALIDATED = -13
PINVIEW_ERROR_NO_CURRENT_CONTEXT = -14
PINVIEW_ERROR_PINNED_AUTO_MERGE = -15
PINVIEW_ERROR_UNKNOWN_ENTITY = -16
PINVIEW_ERROR_UNKNOWN_KEY = -17
PINVIEW_ERROR_WRONG_TYPE = -18
PINVIEW_ERROR_BAD_PREDICATE = -19
PINVIEW_ERROR_BAD_MODEL = -20
PINVIEW_ERROR_NOT_LOCKED = -21
PINVIEW_ERROR_INVALID_HANDLE = -101
PINVIEW_ERROR_INVALID_ARGUMENT = -102
PINVIEW_ERROR_INVALID_UTF8 = -103
PINVIEW_ERROR_GENERATION_LOST = -104
PINVIEW_ERROR_FORKED = -105
PINVIEW_ERROR_OUT_OF_MEMORY = -106
PINVIEW_ERROR_UNKNOWN_STORE = -107
PINVIEW_ERROR_STOPPED = -108
PINVIEW_ERROR_TIMED_OUT = -109
PINVIEW_ERROR_DEADLOCK = -110
PINVIEW_ERROR_STORE_MIGRATED = -111
PINVIEW_ERROR_LOCKS_LOST = -112
PINVIEW_ERROR_VALIDATION = -1550
PINVIEW_ERROR_VALIDATION_MULTIPLE_ERRORS = -1560
PINVIEW_ERROR_VALIDATION_MISSING_MANDATORY_PROPERTY = -1570
PINVIEW_ERROR_VALIDATION_RELATIONSHIP_LACKS_MINIMUM_COUNT = -1580
PINVIEW_ERROR_VALIDATION_RELATIONSHIP_EXCEEDS_MAXIMUM_COUNT = -1590
PINVIEW_ERROR_VALIDATION_RELATIONSHIP_DENIED_DELETE = -1600
PINVIEW_ERROR_VALIDATION_NUMBER_TOO_LARGE = -1610
PINVIEW_ERROR_VALIDATION_NUMBER_TOO_SMALL = -1620
PINVIEW_ERROR_VALIDATION_DATE_TOO_LATE = -1630
PINVIEW_ERROR_VALIDATION_DATE_TOO_SOON = -1640
PINVIEW_ERROR_VALIDATION_INVALID_DATE = -1650
PINVIEW_ERROR_VALIDATION_STRING_TOO_LONG = -1660
PINVIEW_ERROR_VALIDATION_STRING_TOO_SHORT = -1670
PINVIEW_ERROR_VALIDATION_STRING_PATTERN_MATCHING = -1680
PINVIEW_ERROR_VALIDATION_INVALID_URI = -1690
PINVIEW_ERROR_CANCELLED = -3072
PINVIEW_ERROR_REFERENTIAL_INTEGRITY = -133000
PINVIEW_ERROR_EXTERNAL_RELATIONSHIP = -133010
PINVIEW_ERROR_MERGE = -133020
PINVIEW_ERROR_CONSTRAINT_MERGE = -133021
PINVIEW_ERROR_STORE_SAVE = -134030
PINVIEW_ERROR_STORE_OPERATION = -134070
PINVIEW_ERROR_STORE_OPEN = -134080
PINVIEW_ERROR_UNSUPPORTED_REQUEST = -134091
PINVIEW_ERROR_INCOMPATIBLE_MODEL = -134100
PINVIEW_ERROR_MIGRATION = -134110
PINVIEW_ERROR_MIGRATION_CONSTRAINT = -134111
PINVIEW_ERROR_MIGRATION_CANCELLED = -134120
PINVIEW_ERROR_MISSING_SOURCE_MODEL = -134130
PINVIEW_ERROR_INFERRED_MAPPING = -134190
PINVIEW_ERROR_SQLITE = -134180
PINVIEW_ERROR_HISTORY_TOKEN_EXPIRED = -134301
PINVIEW_ATTRIBUTE_UNDEFINED = 0
PINVIEW_ATTRIBUTE_INTEGER_16 = 100
PINVIEW_ATTRIBUTE_INTEGER_32 = 200
PINVIEW_ATTRIBUTE_INTEGER_64 = 300
PINVIEW_ATTRIBUTE_DECIMAL = 400
PINVIEW_ATTRIBUTE_DOUBLE = 500
PINVIEW_ATTRIBUTE_FLOAT = 600
PINVIEW_ATTRIBUTE_STRING = 700
PINVIEW_ATTRIBUTE_BOOLEAN = 800
PINVIEW_ATTRIBUTE_DATE = 900
PINVIEW_ATTRIBUTE_BINARY = 1000
PINVIEW_ATTRIBUTE_UUID = 1100
PINVIEW_ATTRIBUTE_URI = 1200
PINVIEW_ATTRIBUTE_TRANSFORMABLE = 1800
PINVIEW_ATTRIBUTE_COMPOSITE = 2100
PINVIEW_DELETE_NO_ACTION = 0
PINVIEW_DELETE_NULLIFY = 1
PINVIEW_DELETE_CASCADE = 2
PINVIEW_DELETE_DENY = 3
PINVIEW_PROPERTY_OPTIONAL = 1
PINVIEW_PROPERTY_TRANSIENT = 2
PINVIEW_PROPERTY_RELATIONSHIP = 4
PINVIEW_PROPERTY_TO_MANY = 8
PINVIEW_PROPERTY_ORDERED = 16
PINVIEW_PROPERTY_EXTERNAL_STORAGE = 32
PINVIEW_PROPERTY_KEPT_IN_HISTORY = 64
PINVIEW_MODEL_STRICT = 1
PINVIEW_CONCURRENCY_CONFINEMENT = 0
PINVIEW_CONCURRENCY_PRIVATE_QUEUE = 1
PINVIEW_CONCURRENCY_MAIN_QUEUE = 2
PINVIEW_MERGE_POLICY_ERROR = 0
PINVIEW_MERGE_POLICY_BY_PROPERTY_STORE_TRUMP = 1
PINVIEW_MERGE_POLICY_BY_PROPERTY_OBJECT_TRUMP = 2
PINVIEW_MERGE_POLICY_OVERWRITE = 3
PINVIEW_MERGE_POLICY_ROLLBACK = 4
PINVIEW_MERGE_POLICY_CALLBACK = 5
PINVIEW_CONTEXT_RETAINS_REGISTERED_OBJECTS = 1
PINVIEW_CONTEXT_SHOULD_DELETE_INACCESSIBLE_FAULTS = 2
PINVIEW_CONTEXT_PROPAGATES_DELETES_AT_END_OF_EVENT = 3
PINVIEW_CONTEXT_AUTOMATICALLY_MERGES_CHANGES = 4
PINVIEW_QUERY_GENERATION_UNPINNED = 0
PINVIEW_QUERY_GENERATION_PINNED_AT_NEXT_READ = 1
PINVIEW_QUERY_GENERATION_PINNED = 2
PINVIEW_UPSERT_LEAVES_EXISTING = 1
PINVIEW_OBJECT_FAULT = 1
PINVIEW_OBJECT_INSERTED = 2
PINVIEW_OBJECT_UPDATED = 4
PINVIEW_OBJECT_DELETED = 8
PINVIEW_OBJECT_HAS_PERSISTENT_CHANGES = 16
PINVIEW_RESULT_OBJECTS = 0
PINVIEW_RESULT_OBJECT_IDS = 1
PINVIEW_RESULT_DICTIONARIES = 2
PINVIEW_RESULT_COUNT = 4
PINVIEW_RESULT_NONE = 5
PINVIEW_FETCH_INCLUDES_SUBENTITIES = 1
PINVIEW_FETCH_INCLUDES_PENDING_CHANGES = 2
PINVIEW_FETCH_RETURNS_FAULTS = 4
PINVIEW_FETCH_REFRESHES_OBJECTS = 8
PINVIEW_FETCH_OMITS_VALUES = 16
PINVIEW_FETCH_RETURNS_DISTINCT = 32
PINVIEW_COMPARATOR_BINARY = 0
PINVIEW_COMPARATOR_CASE_INSENSITIVE = 1
PINVIEW_COMPARATOR_NUMERIC = 2
PINVIEW_COMPARATOR_LOCALIZED = 3
PINVIEW_COMPARATOR_LOCALIZED_CASE_INSENSITIVE = 4
PINVIEW_COMPARATOR_LOCALIZED_STANDARD = 5
PINVIEW_ASYNCHRONOUS_FETCH_COUNTS_FIRST = 1
PINVIEW_UPSERT_CREATED = 0
PINVIEW_UPSERT_UPDATED = 1
PINVIEW_UPSERT_UNCHANGED = 2
PINVIEW_OPERATOR_LESS_THAN = 0
PINVIEW_OPERATOR_LESS_THAN_OR_EQUAL_TO = 1
PINVIEW_OPERATOR_GREATER_THAN = 2
PINVIEW_OPERATOR_GREATER_THAN_OR_EQUAL_TO = 3
PINVIEW_OPERATOR_EQUAL_TO = 4
PINVIEW_OPERATOR_NOT_EQUAL_TO = 5
PINVIEW_OPERATOR_MATCHES = 6
PINVIEW_OPERATOR_LIKE = 7
PINVIEW_OPERATOR_BEGINS_WITH = 8
PINVIEW_OPERATOR_ENDS_WITH = 9
PINVIEW_OPERATOR_IN = 10
PINVIEW_OPERATOR_CONTAINS = 99
PINVIEW_OPERATOR_BETWEEN = 100
PINVIEW_MODIFIER_DIRECT = 0
PINVIEW_MODIFIER_ALL = 1
PINVIEW_MODIFIER_ANY = 2
PINVIEW_MODIFIER_NONE = 3
PINVIEW_COMPARE_CASE_INSENSITIVE = 1
PINVIEW_COMPARE_DIACRITIC_INSENSITIVE = 2
PINVIEW_COMPARE_NORMALIZED = 4
PINVIEW_COMPARE_LOCALIZED = 8
PINVIEW_COMPOUND_NOT = 0
PINVIEW_COMPOUND_AND = 1
PINVIEW_COMPOUND_OR = 2
PINVIEW_FETCH_COLUMNS_OBJECT_URIS = 1
PINVIEW_HISTORY_BY_DATE = 1
PINVIEW_HISTORY_OMITS_CHANGES = 2
PINVIEW_HISTORY_PASSES_CONSUMERS = 4
PINVIEW_HISTORY_REFUSES_TO_PASS_CONSUMERS = 8
PINVIEW_HISTORY_BEFORE_DATE = 16
PINVIEW_HISTORY_INSERT = 0
PINVIEW_HISTORY_UPDATE = 1
PINVIEW_HISTORY_DELETE = 2
PINVIEW_RESULTS_CHANGE_INSERT = 1
PINVIEW_RESULTS_CHANGE_DELETE = 2
PINVIEW_RESULTS_CHANGE_MOVE = 3
PINVIEW_RESULTS_CHANGE_UPDATE = 4
PINVIEW_EXPORT_REPLACE = 1
PINVIEW_JOURNAL_BUDGET_EXCEEDED = 1
PINVIEW_JOURNAL_DETACHED = 2
PINVIEW_JOURNAL_DETACH_FAILED = 3
PINVIEW_COLUMN_UNKNOWN = 0
PINVIEW_COLUMN_NULL = 1
PINVIEW_COLUMN_VALUE = 2
PINVIEW_COLUMN_FAULT = 4
PINVIEW_COLUMN_HAS_NULLS = 1
PINVIEW_COLUMN_HAS_FAULTS = 2
PINVIEW_COLUMN_HAS_UNKNOWN = 4
PINVIEW_COLUMN_HAS_NUL = 8
PINVIEW_COLUMN_IS_ASCII = 16
PINVIEW_COLUMN_IS_MIXED = 32
PINVIEW_VERSION_MAJOR = 0
PINVIEW_VERSION_MINOR = 1
PINVIEW_VERSION_PATCH = 0
PINVIEW_VERSION_STRING = '0.1.0'
PINVIEW_VERSION_NUMBER = 1000
PINVIEW_CORE_DATA_VERSION_NUMBER = 700.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_10 = 526.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_2 = 526.1
PINVIEW_CORE_DATA_VERSION_NUMBER_10_10_3 = 526.2
PINVIEW_CORE_DATA_VERSION_NUMBER_10_11 = 640.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_11_3 = 641.3
PINVIEW_CORE_DATA_VERSION_NUMBER_10_4 = 46.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_4_3 = 77.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_5 = 185.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_5_3 = 186.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_6 = 246.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_2 = 250.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_6_3 = 251.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_7 = 358.4
PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_2 = 358.12
PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_3 = 358.13
PINVIEW_CORE_DATA_VERSION_NUMBER_10_7_4 = 358.14
PINVIEW_CORE_DATA_VERSION_NUMBER_10_8 = 407.5
PINVIEW_CORE_DATA_VERSION_NUMBER_10_8_2 = 407.7
PINVIEW_CORE_DATA_VERSION_NUMBER_10_9 = 481.0
PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_2 = 481.1
PINVIEW_CORE_DATA_VERSION_NUMBER_10_9_3 = 481.3
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_0 = 241.0
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_1 = 248.0
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_3_2 = 310.2
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_0 = 320.5
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_1 = 320.11
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_2 = 320.15
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_4_3 = 320.17
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_0 = 386.1
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_5_1 = 386.5
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_0 = 419.0
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_6_1 = 419.1
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_0 = 479.1
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_7_1 = 479.3
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_0 = 519.0
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_8_3 = 519.15
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_0 = 640.0
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_2 = 641.4
PINVIEW_CORE_DATA_VERSION_NUMBER_IPHONEOS_9_3 = 641.6
PINVIEW_NOT_FOUND = 9223372036854775807
PINVIEW_COCOA_ERROR_DOMAIN = 'NSCocoaErrorDomain'
PINVIEW_ERROR_DOMAIN = 'PinviewErrorDomain'
PINVIEW_SQLITE_ERROR_DOMAIN = 'NSSQLiteErrorDomain'
PINVIEW_CALLBACK_ERROR_DOMAIN = 'PinviewCallbackErrorDomain'
PINVIEW_AFFECTED_OBJECTS_ERROR_KEY = 'NSAffectedObjectsErrorKey'
PINVIEW_AFFECTED_STORES_ERROR_KEY = 'NSAffectedStoresErrorKey'
PINVIEW_DETAILED_ERRORS_KEY = 'NSDetailedErrorsKey'
PINVIEW_VALIDATION_OBJECT_ERROR_KEY = 'NSValidationObjectErrorKey'
PINVIEW_VALIDATION_KEY_ERROR_KEY = 'NSValidationKeyErrorKey'
PINVIEW_VALIDATION_VALUE_ERROR_KEY = 'NSValidationValueErrorKey'
PINVIEW_UNDERLYING_ERROR_KEY = 'NSUnderlyingError'
PINVIEW_CONFLICTS_ERROR_KEY = 'conflictList'
PINVIEW_STORE_TYPE_SQLITE = 'SQLite'
PINVIEW_STORE_TYPE_IN_MEMORY = 'InMemory'
PINVIEW_STORE_OPTION_HISTORY_TRACKING = 'historyTracking'
PINVIEW_STORE_OPTION_REMOTE_CHANGES = 'remoteChanges'
PINVIEW_STORE_OPTION_READ_ONLY = 'readOnly'
PINVIEW_STORE_OPTION_IMMUTABLE = 'immutable'
PINVIEW_STORE_OPTION_ALLOW_MISSING = 'allowMissing'
PINVIEW_STORE_OPTION_JOURNAL_MODE = 'journalMode'
PINVIEW_STORE_OPTION_SYNCHRONOUS = 'synchronous'
PINVIEW_STORE_OPTION_CACHE_SIZE = 'cacheSize'
PINVIEW_STORE_OPTION_BUSY_TIMEOUT = 'busyTimeout'
PINVIEW_STORE_OPTION_MIGRATE = 'migrateStoreAutomatically'
PINVIEW_STORE_OPTION_INFER_MAPPING = 'inferMappingModelAutomatically'
PINVIEW_STORE_OPTION_CONSTRAINT_POLICY = 'constraintPolicy'
PINVIEW_STORE_OPTION_CONFIRMED_REMOVALS = 'confirmedRemovals'
PINVIEW_STORE_OPTION_ALLOW_OLDER_MODEL = 'allowOlderModel'
PINVIEW_STORE_OPTION_ERASE = 'eraseOnModelChange'
PINVIEW_STORE_OPTION_MODEL_VERSIONS = 'modelVersions'
PINVIEW_STORE_OPTION_TRUSTED_SCHEMA = 'trustedSchema'
PINVIEW_STORE_OPTION_JOURNAL_BUDGET_POLICY = 'journalBudgetPolicy'
PINVIEW_STORE_OPTION_JOURNAL_BUDGET_BYTES = 'journalBudgetBytes'
PINVIEW_STORE_OPTION_JOURNAL_BUDGET_SHARE = 'journalBudgetShare'
PINVIEW_STORE_OPTION_GENERATION_AGE_BUDGET = 'generationAgeBudget'
PINVIEW_WILL_SAVE_NOTIFICATION = 'NSManagedObjectContextWillSaveNotification'
PINVIEW_DID_SAVE_NOTIFICATION = 'NSManagedObjectContextDidSaveNotification'
PINVIEW_OBJECTS_DID_CHANGE_NOTIFICATION = 'NSManagedObjectContextObjectsDidChangeNotification'
PINVIEW_INSERTED_OBJECTS_KEY = 'inserted'
PINVIEW_UPDATED_OBJECTS_KEY = 'updated'
PINVIEW_DELETED_OBJECTS_KEY = 'deleted'
PINVIEW_REFRESHED_OBJECTS_KEY = 'refreshed'
PINVIEW_INVALIDATED_OBJECTS_KEY = 'invalidated'
PINVIEW_INVALIDATED_ALL_OBJECTS_KEY = 'invalidatedAll'
PINVIEW_QUERY_GENERATION_KEY = 'NSManagedObjectContextQueryGenerationKey'
PINVIEW_FETCH_COLUMNS_IF_SHOWN = 2147483648
PINVIEW_OBJECT_BLOCK_LIMIT = 1024

HANDLES = (
    "pinview_error",
    "pinview_buffer",
    "pinview_model_builder",
    "pinview_model",
    "pinview_entity",
    "pinview_coordinator",
    "pinview_store",
    "pinview_container",
    "pinview_token",
    "pinview_context",
    "pinview_undo_manager",
    "pinview_weak_context",
    "pinview_object",
    "pinview_weak_object",
    "pinview_object_id",
    "pinview_fetch_template",
    "pinview_results_controller",
    "pinview_result",
    "pinview_predicate",
    "pinview_expression",
    "pinview_observer",
    "pinview_notification",
    "pinview_merge",
    "pinview_history_token",
    "pinview_history",
    "pinview_asynchronous_fetch",
    "pinview_difference",
    "pinview_sql_cursor",
    "pinview_journal_report",
    "pinview_object_block",
)

# The types and prototypes are strings, because a program needs only a few of them; see _Types.
# name: kind, types of the fields.
STRUCTS = {
    "pinview_string": (Structure, {"data": "c_char_p", "size": "c_size_t"}),
    "pinview_binary": (Structure, {"data": "c_char_p", "size": "c_size_t"}),
    "pinview_value_list": (Structure, {"items": "POINTER(pinview_value)", "count": "c_size_t"}),
    "pinview_value_contents": (Union, {"boolean": "c_int32", "integer": "c_int64", "real": "c_double", "string": "pinview_string", "binary": "pinview_binary", "uuid": "c_uint8 * 16", "object": "c_void_p", "object_id": "c_void_p", "list": "pinview_value_list"}),
    "pinview_value": (Structure, {"type": "c_int32", "reserved": "c_int32", "as_": "pinview_value_contents"}),
    "pinview_named_value": (Structure, {"name": "pinview_string", "value": "pinview_value"}),
    "pinview_conflict": (Structure, {"struct_size": "c_uint32", "row_exists": "c_int32", "object_id": "c_void_p", "old_version": "c_int64", "new_version": "c_int64", "property_count": "c_uint64", "is_deletion": "c_int32", "constraint_number": "c_int32"}),
    "pinview_conflict_property": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "name": "pinview_string", "base": "pinview_value", "mine": "pinview_value", "theirs": "pinview_value"}),
    "pinview_constraint_conflict": (Structure, {"struct_size": "c_uint32", "constraint_property_count": "c_uint32", "entity_name": "pinview_string", "database_object_id": "c_void_p", "object_count": "c_uint64", "snapshot_property_count": "c_uint64"}),
    "pinview_constraint_property": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "name": "pinview_string", "value": "pinview_value"}),
    "pinview_attribute_description": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "name": "pinview_string", "type": "c_int32", "limits": "c_int32", "default_value": "pinview_value", "minimum": "pinview_value", "maximum": "pinview_value", "minimum_length": "c_int64", "maximum_length": "c_int64", "pattern": "pinview_string"}),
    "pinview_relationship_description": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "name": "pinview_string", "destination": "pinview_string", "inverse": "pinview_string", "delete_rule": "c_int32", "reserved": "c_int32", "minimum_count": "c_int64", "maximum_count": "c_int64"}),
    "pinview_property": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "name": "pinview_string", "index": "c_int32", "type": "c_int32", "destination": "pinview_string", "inverse": "pinview_string", "delete_rule": "c_int32", "reserved": "c_int32", "minimum_count": "c_int64", "maximum_count": "c_int64"}),
    "pinview_composite": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "name": "pinview_string", "first_index": "c_int32", "element_count": "c_int32"}),
    "pinview_entity_hooks": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "awake_from_insert": "pinview_object_callback", "awake_from_fetch": "pinview_object_callback", "prepare_for_deletion": "pinview_object_callback", "will_save": "pinview_object_callback", "did_save": "pinview_object_notice_callback", "will_turn_into_fault": "pinview_object_notice_callback", "did_turn_into_fault": "pinview_object_notice_callback", "validate_for_insert": "pinview_object_callback", "validate_for_update": "pinview_object_callback", "validate_for_delete": "pinview_object_callback", "validate_property": "pinview_property_check_callback", "checked_keys": "POINTER(pinview_string)", "checked_key_count": "c_size_t"}),
    "pinview_migration_mapping": (Structure, {"source_entity": "pinview_string", "destination_entity": "pinview_string", "property": "pinview_string", "expression": "pinview_string", "function": "pinview_migration_value_callback", "userdata": "c_void_p"}),
    "pinview_migration_stage": (Structure, {"source": "pinview_string", "destination": "pinview_string", "confirmed_removals": "pinview_string", "mappings": "POINTER(pinview_migration_mapping)", "mapping_count": "c_size_t", "step": "pinview_migration_step_callback", "userdata": "c_void_p"}),
    "pinview_migration": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "versions": "POINTER(c_void_p)", "version_count": "c_size_t", "stages": "POINTER(pinview_migration_stage)", "stage_count": "c_size_t", "progress": "pinview_migration_progress_callback", "progress_userdata": "c_void_p", "stage_size": "c_size_t", "mapping_size": "c_size_t"}),
    "pinview_journal_commit": (Structure, {"number": "c_uint64", "frame_count": "c_uint64", "size": "c_int64", "is_readable": "c_int32", "reserved": "c_int32"}),
    "pinview_upsert": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "entity": "pinview_string", "constraint": "POINTER(pinview_string)", "constraint_count": "c_size_t", "names": "POINTER(pinview_string)", "name_count": "c_size_t", "values": "POINTER(pinview_value)", "columns": "POINTER(POINTER(pinview_value))", "row_count": "c_size_t", "insert_names": "POINTER(pinview_string)", "insert_name_count": "c_size_t", "update_names": "POINTER(pinview_string)", "update_name_count": "c_size_t"}),
    "pinview_sort_descriptor": (Structure, {"key_path": "pinview_string", "is_descending": "c_int32", "comparator": "c_int32"}),
    "pinview_named_expression": (Structure, {"name": "pinview_string", "format": "pinview_string", "arguments": "POINTER(pinview_value)", "argument_count": "c_size_t", "expression": "c_void_p"}),
    "pinview_fetch_request": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "entity": "pinview_string", "predicate": "c_void_p", "sort_descriptors": "POINTER(pinview_sort_descriptor)", "sort_descriptor_count": "c_size_t", "limit": "c_uint64", "offset": "c_uint64", "batch_size": "c_uint64", "result_type": "c_int32", "reserved": "c_int32", "stores": "POINTER(c_void_p)", "store_count": "c_size_t", "prefetched_key_paths": "POINTER(pinview_string)", "prefetched_key_path_count": "c_size_t", "properties": "POINTER(pinview_named_expression)", "property_count": "c_size_t", "group_by": "POINTER(pinview_string)", "group_by_count": "c_size_t", "having": "c_void_p", "timeout_seconds": "c_double", "sort_descriptor_size": "c_size_t", "property_size": "c_size_t"}),
    "ArrowSchema": (Structure, {"format": "c_char_p", "name": "c_char_p", "metadata": "c_char_p", "flags": "c_int64", "n_children": "c_int64", "children": "POINTER(POINTER(ArrowSchema))", "dictionary": "POINTER(ArrowSchema)", "release": "CFUNCTYPE(None, POINTER(ArrowSchema))", "private_data": "c_void_p"}),
    "ArrowArray": (Structure, {"length": "c_int64", "null_count": "c_int64", "offset": "c_int64", "n_buffers": "c_int64", "n_children": "c_int64", "buffers": "POINTER(c_void_p)", "children": "POINTER(POINTER(ArrowArray))", "dictionary": "POINTER(ArrowArray)", "release": "CFUNCTYPE(None, POINTER(ArrowArray))", "private_data": "c_void_p"}),
    "ArrowArrayStream": (Structure, {"get_schema": "CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowSchema))", "get_next": "CFUNCTYPE(c_int, POINTER(ArrowArrayStream), POINTER(ArrowArray))", "get_last_error": "CFUNCTYPE(c_char_p, POINTER(ArrowArrayStream))", "release": "CFUNCTYPE(None, POINTER(ArrowArrayStream))", "private_data": "c_void_p"}),
    "pinview_batch_update": (Structure, {"struct_size": "c_uint32", "result_type": "c_int32", "entity": "pinview_string", "predicate": "c_void_p", "properties": "POINTER(pinview_named_value)", "property_count": "c_size_t", "excludes_subentities": "c_int32", "reserved": "c_int32", "expressions": "POINTER(pinview_named_expression)", "expression_count": "c_size_t", "stores": "POINTER(c_void_p)", "store_count": "c_size_t", "expression_size": "c_size_t"}),
    "pinview_batch_insert": (Structure, {"struct_size": "c_uint32", "result_type": "c_int32", "entity": "pinview_string", "names": "POINTER(pinview_string)", "name_count": "c_size_t", "values": "POINTER(pinview_value)", "row_count": "c_size_t", "next_row": "pinview_next_row_callback", "userdata": "c_void_p", "columns": "POINTER(POINTER(pinview_value))", "stores": "POINTER(c_void_p)", "store_count": "c_size_t", "columns_stream": "POINTER(ArrowArrayStream)", "merge_policy": "c_int32", "reserved": "c_int32"}),
    "pinview_history_request": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "token": "c_void_p", "date": "c_double", "authors": "POINTER(pinview_string)", "author_count": "c_size_t", "excluded_authors": "POINTER(pinview_string)", "excluded_author_count": "c_size_t", "entities": "POINTER(pinview_string)", "entity_count": "c_size_t", "stores": "POINTER(c_void_p)", "store_count": "c_size_t", "before": "c_void_p", "before_date": "c_double"}),
    "pinview_history_transaction": (Structure, {"number": "c_int64", "date": "c_double", "change_count": "c_uint64", "store_identifier": "pinview_string", "author": "pinview_string", "context_name": "pinview_string", "program": "pinview_string", "process": "pinview_string"}),
    "pinview_history_change": (Structure, {"change_id": "c_int64", "type": "c_int32", "property_count": "c_uint32"}),
    "pinview_remote_change": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "store_identifier": "pinview_string", "store_path": "pinview_string", "history_token": "c_void_p"}),
    "pinview_difference_change": (Structure, {"type": "c_int32", "property_count": "c_uint32", "properties": "POINTER(pinview_string)"}),
    "pinview_index_path": (Structure, {"section": "c_uint64", "item": "c_uint64"}),
    "pinview_results_section": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "name": "pinview_string", "index_title": "pinview_string", "count": "c_uint64"}),
    "pinview_results_callbacks": (Structure, {"struct_size": "c_uint32", "reserved": "c_uint32", "will_change_content": "pinview_results_callback", "did_change_section": "pinview_results_section_callback", "did_change_object": "pinview_results_object_callback", "did_change_content": "pinview_results_callback", "did_fail": "pinview_results_error_callback"}),
    "pinview_journal_store": (Structure, {"struct_size": "c_uint32", "is_open_here": "c_int32", "path": "pinview_string", "text": "pinview_string", "sqlite_version": "pinview_string", "has_wal_reset_bug": "c_int32", "page_size": "c_uint32", "store_bytes": "c_int64", "journal_bytes": "c_int64", "frames": "c_uint32", "copied_frames": "c_uint32", "reclaimable_frames": "c_uint32", "read_marks": "c_uint32", "generation_count": "c_uint64", "waiting_context_count": "c_uint64", "process_count": "c_uint64", "pins": "c_uint64", "shared_pins": "c_uint64", "adoptions": "c_uint64", "advances": "c_uint64", "reads": "c_uint64", "reader_waits": "c_uint64", "checkpoints": "c_uint64", "busy_checkpoints": "c_uint64", "detaches": "c_uint64", "lost": "c_uint64", "copy_count": "c_uint64", "copy_bytes": "c_int64", "history_bytes": "c_int64", "budget_bytes": "c_int64"}),
    "pinview_journal_generation": (Structure, {"struct_size": "c_uint32", "is_newest": "c_int32", "is_detached": "c_int32", "read_mark": "c_int32", "ordinal": "c_uint64", "age": "c_double", "frame": "c_uint32", "frames_held_back": "c_uint32", "bytes_held_back": "c_int64", "readers_open": "c_uint64", "context_count": "c_uint64"}),
    "pinview_journal_context": (Structure, {"struct_size": "c_uint32", "concurrency_type": "c_int32", "name": "pinview_string", "transaction_author": "pinview_string", "thread": "pinview_string", "is_pinned": "c_int32", "reserved": "c_int32"}),
    "pinview_journal_process": (Structure, {"struct_size": "c_uint32", "identifier": "c_int32", "command": "pinview_string", "read_marks": "c_uint32", "is_this_process": "c_int32", "is_writing": "c_int32", "is_checkpointing": "c_int32"}),
    "pinview_journal_event": (Structure, {"struct_size": "c_uint32", "kind": "c_int32", "path": "pinview_string", "journal_bytes": "c_int64", "budget_bytes": "c_int64", "copy_bytes": "c_int64", "generations": "c_uint64", "reason": "pinview_string"}),
    "pinview_object_block_info": (Structure, {"struct_size": "c_uint32", "entity": "c_int32", "number": "c_uint64", "changes": "POINTER(c_uint64)", "cache_changes": "POINTER(c_uint64)", "is_for_any_thread": "c_int32", "reserved": "c_int32"}),
    "pinview_column": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "type": "c_int32", "count": "c_int32", "changes": "c_uint64", "cache_changes": "c_uint64", "hierarchy": "c_int64", "states": "c_char_p", "cells": "c_void_p", "texts": "c_char_p", "text_size": "c_size_t", "values": "POINTER(pinview_value)"}),
    "pinview_object_row": (Structure, {"struct_size": "c_uint32", "flags": "c_uint32", "dropped": "POINTER(c_uint64)", "dropped_count": "c_size_t", "blocks": "POINTER(c_void_p)", "block_count": "c_size_t", "room": "c_void_p", "room_size": "c_size_t", "text_size": "c_size_t", "name": "c_uint64", "changes": "c_uint64", "block": "c_void_p", "info": "pinview_object_block_info"}),
}

CALLBACKS = {
    "pinview_free_callback": "CFUNCTYPE(None, c_void_p)",
    "pinview_block_callback": "CFUNCTYPE(c_int32, c_void_p, c_void_p)",
    "pinview_object_callback": "CFUNCTYPE(c_int32, c_void_p, c_void_p)",
    "pinview_object_notice_callback": "CFUNCTYPE(None, c_void_p, c_void_p)",
    "pinview_property_check_callback": "CFUNCTYPE(c_int32, c_void_p, pinview_string, POINTER(pinview_value), c_void_p)",
    "pinview_migration_progress_callback": "CFUNCTYPE(c_int32, c_double, pinview_string, c_void_p)",
    "pinview_migration_step_callback": "CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)",
    "pinview_migration_value_callback": "CFUNCTYPE(c_int32, c_void_p, POINTER(pinview_value), c_void_p)",
    "pinview_generation_callback": "CFUNCTYPE(None, c_void_p)",
    "pinview_merge_callback": "CFUNCTYPE(c_int32, c_void_p, c_void_p)",
    "pinview_asynchronous_fetch_callback": "CFUNCTYPE(None, c_void_p, c_void_p)",
    "pinview_interrupt_callback": "CFUNCTYPE(c_int32, c_void_p)",
    "pinview_next_row_callback": "CFUNCTYPE(c_int32, POINTER(pinview_value), c_size_t, POINTER(c_int32), c_void_p)",
    "pinview_history_consumer_callback": "CFUNCTYPE(None, pinview_string, c_void_p, c_void_p)",
    "pinview_remote_change_callback": "CFUNCTYPE(None, POINTER(pinview_remote_change), c_void_p)",
    "pinview_notification_callback": "CFUNCTYPE(None, c_void_p, c_void_p)",
    "pinview_results_callback": "CFUNCTYPE(None, c_void_p, c_void_p)",
    "pinview_results_section_callback": "CFUNCTYPE(None, c_void_p, pinview_string, c_uint64, c_int32, c_void_p)",
    "pinview_results_object_callback": "CFUNCTYPE(None, c_void_p, c_void_p, POINTER(pinview_index_path), POINTER(pinview_index_path), c_int32, c_void_p)",
    "pinview_results_error_callback": "CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)",
    "pinview_export_callback": "CFUNCTYPE(c_int32, c_uint64, c_uint64, c_void_p)",
    "pinview_journal_callback": "CFUNCTYPE(None, POINTER(pinview_journal_event), c_void_p)",
    "pinview_log_callback": "CFUNCTYPE(None, pinview_string, c_void_p)",
}

# name: result, parameters.
FUNCTIONS = {
    "pinview_error_retain": "c_int32, (c_void_p,)",
    "pinview_error_release": "c_int32, (c_void_p,)",
    "pinview_buffer_retain": "c_int32, (c_void_p,)",
    "pinview_buffer_release": "c_int32, (c_void_p,)",
    "pinview_model_builder_retain": "c_int32, (c_void_p,)",
    "pinview_model_builder_release": "c_int32, (c_void_p,)",
    "pinview_model_retain": "c_int32, (c_void_p,)",
    "pinview_model_release": "c_int32, (c_void_p,)",
    "pinview_entity_retain": "c_int32, (c_void_p,)",
    "pinview_entity_release": "c_int32, (c_void_p,)",
    "pinview_coordinator_retain": "c_int32, (c_void_p,)",
    "pinview_coordinator_release": "c_int32, (c_void_p,)",
    "pinview_store_retain": "c_int32, (c_void_p,)",
    "pinview_store_release": "c_int32, (c_void_p,)",
    "pinview_container_retain": "c_int32, (c_void_p,)",
    "pinview_container_release": "c_int32, (c_void_p,)",
    "pinview_token_retain": "c_int32, (c_void_p,)",
    "pinview_token_release": "c_int32, (c_void_p,)",
    "pinview_context_retain": "c_int32, (c_void_p,)",
    "pinview_context_release": "c_int32, (c_void_p,)",
    "pinview_undo_manager_retain": "c_int32, (c_void_p,)",
    "pinview_undo_manager_release": "c_int32, (c_void_p,)",
    "pinview_weak_context_retain": "c_int32, (c_void_p,)",
    "pinview_weak_context_release": "c_int32, (c_void_p,)",
    "pinview_object_retain": "c_int32, (c_void_p,)",
    "pinview_object_release": "c_int32, (c_void_p,)",
    "pinview_weak_object_retain": "c_int32, (c_void_p,)",
    "pinview_weak_object_release": "c_int32, (c_void_p,)",
    "pinview_object_id_retain": "c_int32, (c_void_p,)",
    "pinview_object_id_release": "c_int32, (c_void_p,)",
    "pinview_fetch_template_retain": "c_int32, (c_void_p,)",
    "pinview_fetch_template_release": "c_int32, (c_void_p,)",
    "pinview_results_controller_retain": "c_int32, (c_void_p,)",
    "pinview_results_controller_release": "c_int32, (c_void_p,)",
    "pinview_result_retain": "c_int32, (c_void_p,)",
    "pinview_result_release": "c_int32, (c_void_p,)",
    "pinview_predicate_retain": "c_int32, (c_void_p,)",
    "pinview_predicate_release": "c_int32, (c_void_p,)",
    "pinview_expression_retain": "c_int32, (c_void_p,)",
    "pinview_expression_release": "c_int32, (c_void_p,)",
    "pinview_observer_retain": "c_int32, (c_void_p,)",
    "pinview_observer_release": "c_int32, (c_void_p,)",
    "pinview_notification_retain": "c_int32, (c_void_p,)",
    "pinview_notification_release": "c_int32, (c_void_p,)",
    "pinview_merge_retain": "c_int32, (c_void_p,)",
    "pinview_merge_release": "c_int32, (c_void_p,)",
    "pinview_history_token_retain": "c_int32, (c_void_p,)",
    "pinview_history_token_release": "c_int32, (c_void_p,)",
    "pinview_history_retain": "c_int32, (c_void_p,)",
    "pinview_history_release": "c_int32, (c_void_p,)",
    "pinview_asynchronous_fetch_retain": "c_int32, (c_void_p,)",
    "pinview_asynchronous_fetch_release": "c_int32, (c_void_p,)",
    "pinview_difference_retain": "c_int32, (c_void_p,)",
    "pinview_difference_release": "c_int32, (c_void_p,)",
    "pinview_sql_cursor_retain": "c_int32, (c_void_p,)",
    "pinview_sql_cursor_release": "c_int32, (c_void_p,)",
    "pinview_journal_report_retain": "c_int32, (c_void_p,)",
    "pinview_journal_report_release": "c_int32, (c_void_p,)",
    "pinview_objects_release": "None, (POINTER(c_void_p), c_size_t)",
    "pinview_handle_count": "c_int64, ()",
    "pinview_text": "pinview_string, (c_char_p,)",
    "pinview_absent": "pinview_string, ()",
    "pinview_value_null": "pinview_value, ()",
    "pinview_value_boolean": "pinview_value, (c_int32,)",
    "pinview_value_integer": "pinview_value, (c_int64,)",
    "pinview_value_double": "pinview_value, (c_double,)",
    "pinview_value_text": "pinview_value, (c_char_p,)",
    "pinview_value_date": "pinview_value, (c_double,)",
    "pinview_value_object": "pinview_value, (c_void_p,)",
    "pinview_named": "pinview_named_value, (c_char_p, pinview_value)",
    "pinview_buffer_create": "c_int32, (POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_version_number": "c_uint32, ()",
    "pinview_version_string": "pinview_string, ()",
    "pinview_sqlite_version": "pinview_string, ()",
    "pinview_has_feature": "c_int32, (pinview_string,)",
    "pinview_error_create": "c_int32, (pinview_string, c_int64, pinview_string, c_void_p, pinview_free_callback, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_error_last": "c_void_p, ()",
    "pinview_error_status": "c_int32, (c_void_p,)",
    "pinview_error_code": "c_int64, (c_void_p,)",
    "pinview_error_domain": "pinview_string, (c_void_p,)",
    "pinview_error_message": "pinview_string, (c_void_p,)",
    "pinview_error_description": "pinview_string, (c_void_p,)",
    "pinview_error_sqlite_code": "c_int32, (c_void_p,)",
    "pinview_error_userdata": "c_void_p, (c_void_p,)",
    "pinview_error_validation_key": "pinview_string, (c_void_p,)",
    "pinview_error_validation_value": "c_int32, (c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_error_detailed_error_count": "c_uint64, (c_void_p,)",
    "pinview_error_detailed_error": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_error_underlying_error": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_error_affected_object_ids": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_error_affected_store_count": "c_uint64, (c_void_p,)",
    "pinview_error_affected_store": "c_int32, (c_void_p, c_uint64, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_error_conflict_count": "c_uint64, (c_void_p,)",
    "pinview_error_conflict": "c_int32, (c_void_p, c_uint64, POINTER(pinview_conflict), POINTER(c_void_p))",
    "pinview_error_conflict_property": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(pinview_conflict_property), POINTER(c_void_p))",
    "pinview_error_constraint_conflict_count": "c_uint64, (c_void_p,)",
    "pinview_error_constraint_conflict": "c_int32, (c_void_p, c_uint64, POINTER(pinview_constraint_conflict), POINTER(c_void_p))",
    "pinview_error_constraint_conflict_property": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(pinview_constraint_property), POINTER(c_void_p))",
    "pinview_error_constraint_conflict_object": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_error_constraint_conflict_value": "c_int32, (c_void_p, c_uint64, c_uint64, c_uint64, POINTER(pinview_constraint_property), POINTER(c_void_p))",
    "pinview_model_builder_create": "c_int32, (POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_builder_add_entity": "c_int32, (c_void_p, pinview_string, pinview_string, c_int32, POINTER(c_void_p))",
    "pinview_model_builder_add_attribute": "c_int32, (c_void_p, pinview_string, POINTER(pinview_attribute_description), POINTER(c_void_p))",
    "pinview_model_builder_add_relationship": "c_int32, (c_void_p, pinview_string, POINTER(pinview_relationship_description), POINTER(c_void_p))",
    "pinview_model_builder_add_uniqueness_constraint": "c_int32, (c_void_p, pinview_string, POINTER(pinview_string), c_size_t, POINTER(c_void_p))",
    "pinview_model_builder_add_index": "c_int32, (c_void_p, pinview_string, pinview_string, POINTER(pinview_string), c_size_t, POINTER(c_void_p))",
    "pinview_model_builder_add_configuration": "c_int32, (c_void_p, pinview_string, POINTER(pinview_string), c_size_t, POINTER(c_void_p))",
    "pinview_model_builder_build": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_create_from_json": "c_int32, (pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_create_from_file": "c_int32, (pinview_string, pinview_string, c_uint32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_create_from_data": "c_int32, (pinview_binary, c_uint32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_versions": "c_int32, (pinview_string, c_void_p, POINTER(pinview_string), c_size_t, POINTER(c_size_t), POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_model_warning_count": "c_uint64, (c_void_p,)",
    "pinview_model_warning": "c_int32, (c_void_p, c_uint64, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_model_create_from_store": "c_int32, (pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_create_from_tables": "c_int32, (pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_model_identity": "c_uint64, (c_void_p,)",
    "pinview_model_set_entity_hooks": "c_int32, (c_void_p, pinview_string, POINTER(pinview_entity_hooks), c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_model_difference": "c_int32, (c_void_p, c_void_p, pinview_string, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_model_migration_plan": "c_int32, (c_void_p, pinview_string, pinview_string, POINTER(pinview_named_value), c_size_t, c_int32, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_model_version_checksum": "pinview_string, (c_void_p,)",
    "pinview_model_json": "c_int32, (c_void_p, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_model_entity_count": "c_uint64, (c_void_p,)",
    "pinview_model_entity": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_entity_named": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_entity_name": "pinview_string, (c_void_p,)",
    "pinview_entity_parent_name": "pinview_string, (c_void_p,)",
    "pinview_entity_is_abstract": "c_int32, (c_void_p,)",
    "pinview_entity_property_count": "c_uint64, (c_void_p,)",
    "pinview_entity_property": "c_int32, (c_void_p, c_uint64, POINTER(pinview_property), POINTER(c_void_p))",
    "pinview_entity_property_index": "c_int32, (c_void_p, pinview_string, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_entity_composite_count": "c_uint64, (c_void_p,)",
    "pinview_entity_composite": "c_int32, (c_void_p, c_uint64, POINTER(pinview_composite), POINTER(c_void_p))",
    "pinview_coordinator_create": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_coordinator_model": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_set_name": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p))",
    "pinview_coordinator_name": "pinview_string, (c_void_p,)",
    "pinview_coordinator_add_store": "c_int32, (c_void_p, pinview_string, pinview_string, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_add_migrated_store": "c_int32, (c_void_p, pinview_string, pinview_string, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(pinview_migration), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_migration_destination_object": "c_int32, (c_void_p, c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_migration_source_object": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_remove_store": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_coordinator_set_holds_writers_while_pinning": "c_int32, (c_void_p, c_int32, POINTER(c_void_p))",
    "pinview_coordinator_holds_writers_while_pinning": "c_int32, (c_void_p,)",
    "pinview_coordinator_add_generation_observer": "c_int32, (c_void_p, pinview_generation_callback, c_void_p, pinview_free_callback, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_remove_generation_observer": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_coordinator_store_count": "c_uint64, (c_void_p,)",
    "pinview_coordinator_store": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_object_id": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_store_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_store_identifier": "pinview_string, (c_void_p,)",
    "pinview_store_type": "pinview_string, (c_void_p,)",
    "pinview_store_path": "pinview_string, (c_void_p,)",
    "pinview_store_configuration": "pinview_string, (c_void_p,)",
    "pinview_store_journal_mode": "pinview_string, (c_void_p,)",
    "pinview_store_is_read_only": "c_int32, (c_void_p,)",
    "pinview_store_missing_count": "c_uint64, (c_void_p,)",
    "pinview_store_missing": "c_int32, (c_void_p, c_uint64, c_void_p, POINTER(pinview_string), POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_store_lacks": "c_int32, (c_void_p, pinview_string, pinview_string, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_store_supports_query_generations": "c_int32, (c_void_p,)",
    "pinview_store_journal_size": "c_int64, (c_void_p,)",
    "pinview_store_checkpoint": "c_int32, (c_void_p, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_store_is_immutable": "c_int32, (c_void_p,)",
    "pinview_store_journal_commit_count": "c_uint64, (c_void_p,)",
    "pinview_store_journal_commits": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(pinview_journal_commit), c_size_t, POINTER(c_void_p))",
    "pinview_coordinator_journal_commit_token": "c_int32, (c_void_p, c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_store_metadata": "c_int32, (c_void_p, c_void_p, POINTER(pinview_binary), POINTER(c_void_p))",
    "pinview_store_metadata_value": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_store_set_metadata_value": "c_int32, (c_void_p, pinview_string, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_store_set_metadata": "c_int32, (c_void_p, pinview_binary, POINTER(c_void_p))",
    "pinview_file_metadata": "c_int32, (pinview_string, c_void_p, POINTER(pinview_binary), POINTER(c_void_p))",
    "pinview_file_summary": "c_int32, (pinview_string, c_void_p, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_file_set_metadata": "c_int32, (pinview_string, pinview_binary, POINTER(c_void_p))",
    "pinview_container_create": "c_int32, (pinview_string, c_void_p, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_container_load_stores": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_container_load_migrated_stores": "c_int32, (c_void_p, POINTER(pinview_migration), POINTER(c_void_p))",
    "pinview_container_coordinator": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_container_view_context": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_container_new_background_context": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_container_perform_background_task": "c_int32, (c_void_p, pinview_block_callback, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_token_current": "c_void_p, ()",
    "pinview_token_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_token_hash": "c_uint64, (c_void_p,)",
    "pinview_token_is_current": "c_int32, (c_void_p,)",
    "pinview_token_description": "pinview_string, (c_void_p,)",
    "pinview_token_data": "c_int32, (c_void_p, POINTER(pinview_binary), POINTER(c_void_p))",
    "pinview_token_create_from_data": "c_int32, (pinview_binary, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_create": "c_int32, (c_int32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_context_hash": "c_uint64, (c_void_p,)",
    "pinview_context_set_coordinator": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_coordinator": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_set_parent": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_parent": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_concurrency_type": "c_int32, (c_void_p,)",
    "pinview_context_set_name": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p))",
    "pinview_context_name": "pinview_string, (c_void_p,)",
    "pinview_context_set_transaction_author": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p))",
    "pinview_context_transaction_author": "pinview_string, (c_void_p,)",
    "pinview_context_set_merge_policy": "c_int32, (c_void_p, c_int32, POINTER(c_void_p))",
    "pinview_context_merge_policy": "c_int32, (c_void_p,)",
    "pinview_context_set_merge_callback": "c_int32, (c_void_p, pinview_merge_callback, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_merge_conflicts": "c_void_p, (c_void_p,)",
    "pinview_merge_set_policy": "c_int32, (c_void_p, c_uint64, c_int32, POINTER(c_void_p))",
    "pinview_merge_set_value": "c_int32, (c_void_p, c_uint64, pinview_string, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_context_set_option": "c_int32, (c_void_p, c_int32, c_int32, POINTER(c_void_p))",
    "pinview_context_get_option": "c_int32, (c_void_p, c_int32)",
    "pinview_context_set_staleness_interval": "c_int32, (c_void_p, c_double, POINTER(c_void_p))",
    "pinview_context_staleness_interval": "c_double, (c_void_p,)",
    "pinview_context_set_timeout": "c_int32, (c_void_p, c_double, POINTER(c_void_p))",
    "pinview_context_timeout": "c_double, (c_void_p,)",
    "pinview_context_set_query_generation": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_query_generation": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_query_generation_state": "c_int32, (c_void_p,)",
    "pinview_context_has_newer_generation": "c_int32, (c_void_p,)",
    "pinview_context_wait_for_newer_generation": "c_int32, (c_void_p, c_double, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_context_perform": "c_int32, (c_void_p, pinview_block_callback, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_context_perform_and_wait": "c_int32, (c_void_p, pinview_block_callback, c_void_p, POINTER(c_void_p))",
    "pinview_main_queue_drain": "c_int32, (POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_main_queue_file_descriptor": "c_int32, ()",
    "pinview_set_concurrency_debug": "None, (c_int32,)",
    "pinview_context_insert_new_object": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_insert_objects": "c_int32, (c_void_p, pinview_string, POINTER(pinview_string), c_size_t, POINTER(POINTER(pinview_value)), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_upsert": "c_int32, (c_void_p, POINTER(pinview_upsert), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_insert": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_delete": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_delete_objects": "c_int32, (c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p))",
    "pinview_context_assign": "c_int32, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_registered_object": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_object": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_existing_object": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_objects": "c_int32, (c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_existing_objects": "c_int32, (c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_values": "c_int32, (c_void_p, c_void_p, POINTER(c_int32), c_size_t, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_context_registered_objects": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_inserted_objects": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_updated_objects": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_deleted_objects": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_has_changes": "c_int32, (c_void_p, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_context_refresh": "c_int32, (c_void_p, c_void_p, c_int32, POINTER(c_void_p))",
    "pinview_context_refresh_all_objects": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_obtain_permanent_ids": "c_int32, (c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p))",
    "pinview_context_detect_conflicts": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_process_pending_changes": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_save": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_rollback": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_reset": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_undo": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_redo": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_set_undo_enabled": "c_int32, (c_void_p, c_int32, POINTER(c_void_p))",
    "pinview_context_remove_all_undo_actions": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_begin_undo_grouping": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_end_undo_grouping": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_set_undo_levels": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p))",
    "pinview_context_lock": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_unlock": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_try_lock": "c_int32, (c_void_p, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_context_set_userdata": "c_int32, (c_void_p, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_context_userdata": "c_void_p, (c_void_p,)",
    "pinview_context_get_weak": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_weak_context_get": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_undo_manager_create": "c_int32, (POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_undo_manager_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_context_undo_manager": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_set_undo_manager": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_undo_manager_undo": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_undo_manager_redo": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_undo_manager_can_undo": "c_int32, (c_void_p,)",
    "pinview_undo_manager_can_redo": "c_int32, (c_void_p,)",
    "pinview_undo_manager_undo_action_name": "pinview_string, (c_void_p,)",
    "pinview_undo_manager_redo_action_name": "pinview_string, (c_void_p,)",
    "pinview_undo_manager_set_action_name": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p))",
    "pinview_undo_manager_begin_grouping": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_undo_manager_end_grouping": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_undo_manager_grouping_level": "c_uint64, (c_void_p,)",
    "pinview_undo_manager_set_levels": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p))",
    "pinview_undo_manager_levels": "c_uint64, (c_void_p,)",
    "pinview_undo_manager_set_registration_enabled": "c_int32, (c_void_p, c_int32, POINTER(c_void_p))",
    "pinview_undo_manager_is_registration_enabled": "c_int32, (c_void_p,)",
    "pinview_undo_manager_remove_all_actions": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_object_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_object_identity": "c_uint64, (c_void_p,)",
    "pinview_object_get_id": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_entity": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_context": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_state": "c_int32, (c_void_p, POINTER(c_uint32), POINTER(c_void_p))",
    "pinview_object_value": "c_int32, (c_void_p, pinview_string, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_value_at": "c_int32, (c_void_p, c_int32, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_values": "c_int32, (c_void_p, POINTER(c_int32), c_size_t, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_examine": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(pinview_value), POINTER(pinview_string), POINTER(c_int32), POINTER(c_void_p))",
    "pinview_value_readable": "c_int32, (POINTER(pinview_value), c_void_p, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_objects_values": "c_int32, (POINTER(c_void_p), c_size_t, POINTER(c_int32), c_size_t, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_set_value": "c_int32, (c_void_p, pinview_string, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_set_value_at": "c_int32, (c_void_p, c_int32, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_set_composite": "c_int32, (c_void_p, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p))",
    "pinview_object_related_object": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_related_object_at": "c_int32, (c_void_p, c_int32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_objects_related_object_at": "c_int32, (POINTER(c_void_p), c_size_t, c_int32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_related_objects": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_related_object_count": "c_int32, (c_void_p, pinview_string, POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_object_contains_related_object": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_object_add_related_object": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(c_void_p))",
    "pinview_object_insert_related_object": "c_int32, (c_void_p, pinview_string, c_void_p, c_uint64, POINTER(c_void_p))",
    "pinview_object_remove_related_object": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(c_void_p))",
    "pinview_object_set_related_objects": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), c_size_t, POINTER(c_void_p))",
    "pinview_object_has_fault": "c_int32, (c_void_p, pinview_string, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_object_changed_properties": "c_int32, (c_void_p, POINTER(c_int32), c_size_t, POINTER(c_size_t), POINTER(c_void_p))",
    "pinview_object_committed_value": "c_int32, (c_void_p, pinview_string, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_validate": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_object_validate_for_delete": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_object_set_userdata": "c_int32, (c_void_p, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_object_userdata": "c_void_p, (c_void_p,)",
    "pinview_object_get_weak": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_weak_object_get": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_id_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_object_id_hash": "c_uint64, (c_void_p,)",
    "pinview_object_id_uri": "pinview_string, (c_void_p,)",
    "pinview_object_id_is_temporary": "c_int32, (c_void_p,)",
    "pinview_object_id_entity_name": "pinview_string, (c_void_p,)",
    "pinview_object_id_store_identifier": "pinview_string, (c_void_p,)",
    "pinview_fetch_request_init": "c_int32, (POINTER(pinview_fetch_request), c_size_t, pinview_string, POINTER(c_void_p))",
    "pinview_context_fetch": "c_int32, (c_void_p, POINTER(pinview_fetch_request), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_fetch_asynchronously": "c_int32, (c_void_p, POINTER(pinview_fetch_request), c_uint32, pinview_asynchronous_fetch_callback, pinview_asynchronous_fetch_callback, c_void_p, pinview_free_callback, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_asynchronous_fetch_cancel": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_asynchronous_fetch_progress": "c_int32, (c_void_p, POINTER(c_uint64), POINTER(c_int64), POINTER(c_void_p))",
    "pinview_asynchronous_fetch_wait": "c_int32, (c_void_p, c_double, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_asynchronous_fetch_result": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_interrupt_fetch": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_context_interrupt": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_set_interrupt_callback": "c_int32, (pinview_interrupt_callback, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_context_count": "c_int32, (c_void_p, POINTER(pinview_fetch_request), POINTER(c_int64), POINTER(c_void_p))",
    "pinview_fetch_request_execute": "c_int32, (POINTER(pinview_fetch_request), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_set_fetch_request_template": "c_int32, (c_void_p, pinview_string, POINTER(pinview_fetch_request), POINTER(c_void_p))",
    "pinview_model_fetch_request_template_count": "c_uint64, (c_void_p,)",
    "pinview_model_fetch_request_template_name": "c_int32, (c_void_p, c_uint64, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_model_fetch_request_template": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_model_fetch_request_from_template": "c_int32, (c_void_p, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_fetch_template_request": "POINTER(pinview_fetch_request), (c_void_p,)",
    "pinview_model_builder_add_fetched_property": "c_int32, (c_void_p, pinview_string, pinview_string, POINTER(pinview_fetch_request), POINTER(c_void_p))",
    "pinview_entity_fetched_property_count": "c_uint64, (c_void_p,)",
    "pinview_entity_fetched_property": "c_int32, (c_void_p, c_uint64, POINTER(pinview_string), POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_object_fetched_objects": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_result_get_type": "c_int32, (c_void_p,)",
    "pinview_result_row_counts": "c_int32, (c_void_p, POINTER(c_uint64), POINTER(c_uint64), POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_result_upsert_outcomes": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_result_count": "c_uint64, (c_void_p,)",
    "pinview_result_object": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_result_objects": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_result_values": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(c_int32), c_size_t, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_result_load": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(c_void_p))",
    "pinview_result_object_id": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_result_object_ids": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_result_column_count": "c_uint64, (c_void_p,)",
    "pinview_result_column_name": "pinview_string, (c_void_p, c_uint64)",
    "pinview_context_explain": "c_int32, (c_void_p, POINTER(pinview_fetch_request), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_predicate_create": "c_int32, (pinview_string, POINTER(pinview_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_predicate_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_predicate_substitute": "c_int32, (c_void_p, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_predicate_description": "pinview_string, (c_void_p,)",
    "pinview_predicate_evaluate": "c_int32, (c_void_p, c_void_p, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_predicate_create_comparison": "c_int32, (c_void_p, c_int32, c_void_p, c_int32, c_uint32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_predicate_create_compound": "c_int32, (c_int32, POINTER(c_void_p), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_predicate_create_constant": "c_int32, (c_int32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create": "c_int32, (pinview_string, POINTER(pinview_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_constant": "c_int32, (POINTER(pinview_value), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_key_path": "c_int32, (pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_variable": "c_int32, (pinview_string, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_aggregate": "c_int32, (POINTER(c_void_p), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_function": "c_int32, (pinview_string, POINTER(c_void_p), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_subquery": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_conditional": "c_int32, (c_void_p, c_void_p, c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_create_cast": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_expression_evaluate": "c_int32, (c_void_p, c_void_p, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_expression_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_expression_description": "pinview_string, (c_void_p,)",
    "pinview_context_fetch_columns": "c_int32, (c_void_p, POINTER(pinview_fetch_request), c_uint32, POINTER(ArrowArrayStream), POINTER(c_void_p))",
    "pinview_context_batch_update": "c_int32, (c_void_p, POINTER(pinview_batch_update), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_batch_insert": "c_int32, (c_void_p, POINTER(pinview_batch_insert), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_batch_delete": "c_int32, (c_void_p, POINTER(pinview_fetch_request), POINTER(c_void_p), c_size_t, c_int32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_history_token_is_equal": "c_int32, (c_void_p, c_void_p)",
    "pinview_history_token_data": "c_int32, (c_void_p, POINTER(pinview_binary), POINTER(c_void_p))",
    "pinview_history_token_create_from_data": "c_int32, (pinview_binary, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_history_token": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_fetch_history": "c_int32, (c_void_p, POINTER(pinview_history_request), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_delete_history": "c_int32, (c_void_p, POINTER(pinview_history_request), POINTER(c_int64), POINTER(c_void_p))",
    "pinview_history_count": "c_uint64, (c_void_p,)",
    "pinview_history_transaction_at": "c_int32, (c_void_p, c_uint64, POINTER(pinview_history_transaction), POINTER(c_void_p))",
    "pinview_history_token_after": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_history_change_at": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(pinview_history_change), POINTER(c_void_p))",
    "pinview_history_change_object_id": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_history_change_property": "c_int32, (c_void_p, c_uint64, c_uint64, c_uint32, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_history_change_tombstone": "c_int32, (c_void_p, c_uint64, c_uint64, pinview_string, c_void_p, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_context_merge_history": "c_int32, (c_void_p, c_void_p, c_uint64, c_size_t, POINTER(c_void_p))",
    "pinview_coordinator_set_history_consumer": "c_int32, (c_void_p, pinview_string, c_void_p, POINTER(c_void_p))",
    "pinview_coordinator_remove_history_consumer": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p))",
    "pinview_coordinator_history_consumer": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_each_history_consumer": "c_int32, (c_void_p, pinview_history_consumer_callback, c_void_p, POINTER(c_void_p))",
    "pinview_coordinator_add_remote_change_observer": "c_int32, (c_void_p, pinview_remote_change_callback, c_void_p, pinview_free_callback, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_difference": "c_int32, (c_void_p, c_void_p, c_void_p, POINTER(pinview_string), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_difference_count": "c_uint64, (c_void_p,)",
    "pinview_difference_changes": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(pinview_difference_change), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_difference_old_generation": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_difference_new_generation": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_observe": "c_int32, (pinview_string, c_void_p, pinview_notification_callback, c_void_p, pinview_free_callback, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_observer_remove": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_notification_name": "pinview_string, (c_void_p,)",
    "pinview_notification_context": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_notification_objects": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_notification_object_ids": "c_int32, (c_void_p, pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_notification_token": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_merge_changes": "c_int32, (c_void_p, c_void_p, POINTER(c_void_p))",
    "pinview_context_merge_object_ids": "c_int32, (c_void_p, POINTER(c_void_p), c_size_t, POINTER(c_void_p), c_size_t, POINTER(c_void_p), c_size_t, POINTER(c_void_p))",
    "pinview_context_merge_uris": "c_int32, (c_void_p, POINTER(pinview_string), c_size_t, POINTER(pinview_string), c_size_t, POINTER(pinview_string), c_size_t, POINTER(c_void_p))",
    "pinview_results_controller_create": "c_int32, (c_void_p, POINTER(pinview_fetch_request), pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_results_controller_perform_fetch": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_results_controller_set_callbacks": "c_int32, (c_void_p, POINTER(pinview_results_callbacks), c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_results_controller_objects": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_results_controller_count": "c_int32, (c_void_p, POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_results_controller_section_count": "c_int32, (c_void_p, POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_results_controller_section": "c_int32, (c_void_p, c_uint64, POINTER(pinview_results_section), POINTER(c_void_p))",
    "pinview_results_controller_section_objects": "c_int32, (c_void_p, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_results_controller_section_for_index_title": "c_int32, (c_void_p, pinview_string, POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_results_controller_object": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_results_controller_index_path": "c_int32, (c_void_p, c_void_p, POINTER(pinview_index_path), POINTER(c_void_p))",
    "pinview_coordinator_export": "c_int32, (c_void_p, c_void_p, c_void_p, pinview_string, c_uint32, pinview_export_callback, c_void_p, POINTER(c_void_p))",
    "pinview_export_database": "c_int32, (pinview_string, pinview_string, c_uint32, pinview_export_callback, c_void_p, POINTER(c_void_p))",
    "pinview_coordinator_query_sql": "c_int32, (c_void_p, c_void_p, c_void_p, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_context_query_sql": "c_int32, (c_void_p, c_void_p, pinview_string, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_sql_cursor_column_count": "c_size_t, (c_void_p,)",
    "pinview_sql_cursor_column_name": "pinview_string, (c_void_p, c_size_t)",
    "pinview_sql_cursor_read": "c_int32, (c_void_p, c_size_t, POINTER(POINTER(pinview_value)), POINTER(c_size_t), POINTER(c_void_p))",
    "pinview_sql_cursor_interrupt": "c_int32, (c_void_p, POINTER(c_void_p))",
    "pinview_coordinator_set_journal_callback": "c_int32, (c_void_p, pinview_journal_callback, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_coordinator_journal_report": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_coordinator_journal_report_text": "c_int32, (c_void_p, c_void_p, POINTER(pinview_string), POINTER(c_void_p))",
    "pinview_journal_report_create_for_file": "c_int32, (pinview_string, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_journal_report_store_count": "c_uint64, (c_void_p,)",
    "pinview_journal_report_store": "c_int32, (c_void_p, c_uint64, POINTER(pinview_journal_store), POINTER(c_void_p))",
    "pinview_journal_report_generation": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(pinview_journal_generation), POINTER(c_void_p))",
    "pinview_journal_report_context": "c_int32, (c_void_p, c_uint64, c_uint64, c_uint64, POINTER(pinview_journal_context), POINTER(c_void_p))",
    "pinview_journal_report_process": "c_int32, (c_void_p, c_uint64, c_uint64, POINTER(pinview_journal_process), POINTER(c_void_p))",
    "pinview_journal_report_read_mark_frame": "c_uint32, (c_void_p, c_uint64, c_int32)",
    "pinview_sql_log_set_enabled": "None, (c_int32,)",
    "pinview_sql_log_is_enabled": "c_int32, ()",
    "pinview_sql_log_set_callback": "c_int32, (pinview_log_callback, c_void_p, pinview_free_callback, POINTER(c_void_p))",
    "pinview_print_last_error": "None, (c_char_p, c_int32)",
    "pinview_open": "c_int32, (c_char_p, c_char_p, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_open_another": "c_int32, (c_void_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_insert": "c_int32, (c_void_p, c_char_p, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_set": "c_int32, (c_void_p, POINTER(pinview_named_value), c_size_t, POINTER(c_void_p))",
    "pinview_fetch": "c_int32, (c_void_p, c_char_p, c_char_p, POINTER(pinview_value), c_size_t, c_char_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_fetch_first": "c_int32, (c_void_p, c_char_p, c_char_p, POINTER(pinview_value), c_size_t, c_char_p, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_next": "c_int32, (c_void_p, POINTER(c_uint64), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_get_text": "c_char_p, (c_void_p, c_char_p, c_char_p, POINTER(c_void_p))",
    "pinview_get_integer": "c_int64, (c_void_p, c_char_p, c_int64, POINTER(c_void_p))",
    "pinview_get_double": "c_double, (c_void_p, c_char_p, c_double, POINTER(c_void_p))",
    "pinview_get_boolean": "c_int32, (c_void_p, c_char_p, c_int32, POINTER(c_void_p))",
    "pinview_object_block_retain": "c_int32, (c_void_p,)",
    "pinview_object_block_release": "c_int32, (c_void_p,)",
    "pinview_result_object_block": "c_int32, (c_void_p, c_uint64, c_size_t, POINTER(c_uint64), POINTER(c_void_p), POINTER(pinview_object_block_info), POINTER(c_void_p))",
    "pinview_objects_object_block": "c_int32, (POINTER(c_void_p), c_size_t, POINTER(c_uint64), POINTER(c_void_p), POINTER(pinview_object_block_info), POINTER(c_void_p))",
    "pinview_object_block_object": "c_int32, (c_void_p, c_uint32, POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_block_drop": "None, (c_void_p, POINTER(c_uint32), c_size_t)",
    "pinview_object_block_column": "c_int32, (c_void_p, c_int32, c_uint32, c_int32, c_void_p, POINTER(pinview_column), POINTER(c_void_p))",
    "pinview_object_block_fire": "c_int32, (c_void_p, POINTER(c_uint32), c_size_t)",
    "pinview_object_block_related_object": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(c_uint64), POINTER(c_void_p), POINTER(pinview_object_block_info), POINTER(c_void_p))",
    "pinview_object_block_related_objects": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(c_int32), POINTER(c_size_t), POINTER(c_void_p), POINTER(c_void_p))",
    "pinview_object_block_confirm_related_objects": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_object_block_contains_related_object": "c_int32, (c_void_p, c_int32, c_uint32, c_uint64, POINTER(c_int32), POINTER(c_void_p))",
    "pinview_object_block_add_related_objects": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(c_uint64), c_size_t, POINTER(c_void_p))",
    "pinview_object_block_remove_related_objects": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(c_uint64), c_size_t, POINTER(c_void_p))",
    "pinview_object_block_set_value": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(pinview_value), POINTER(c_void_p))",
    "pinview_object_block_values": "c_int32, (c_void_p, c_uint32, POINTER(c_int32), c_size_t, c_void_p, POINTER(pinview_value), POINTER(c_uint64), POINTER(c_void_p))",
    "pinview_context_object_row": "c_int32, (c_void_p, c_void_p, c_int32, POINTER(pinview_object_row), POINTER(c_void_p))",
    "pinview_result_object_row": "c_int32, (c_void_p, c_uint64, POINTER(pinview_object_row), POINTER(c_void_p))",
    "pinview_object_block_row": "c_int32, (c_void_p, c_uint32, POINTER(pinview_object_row), POINTER(c_void_p))",
    "pinview_object_block_related_row": "c_int32, (c_void_p, c_int32, c_uint32, POINTER(pinview_object_row), POINTER(c_void_p))",
    "pinview_context_insert_row": "c_int32, (c_void_p, pinview_string, POINTER(c_int32), POINTER(pinview_value), c_size_t, POINTER(pinview_object_row), POINTER(c_void_p))",
    "pinview_context_delete_named": "c_int32, (c_void_p, POINTER(c_uint64), c_size_t, POINTER(c_void_p))",
    "pinview_object_block_delete": "c_int32, (c_void_p, c_uint32, c_void_p, POINTER(c_void_p))",
}


class _Types(dict):
    """Structs, callbacks and other types by name or expression. Each is made at its first use."""

    def __missing__(self, name):
        if name in STRUCTS:
            base, fields = STRUCTS[name]
            # The class comes before its fields, which may point to it.
            made = self[name] = type(name, (base,), {"__module__": __name__})
            made._fields_ = [(field, self[kind]) for field, kind in fields.items()]
            return made
        if name.isidentifier() and name not in CALLBACKS:
            return globals()[name]
        self[name] = eval(CALLBACKS.get(name, name), globals(), self)
        return self[name]


_types = _Types()
# Nobody may get a struct without its fields.
_lock = RLock()
# Made before the structs that it contains, some of which point to it.
_types["pinview_value"]


def __getattr__(name):
    if name not in STRUCTS and name not in CALLBACKS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    with _lock:
        made = globals()[name] = _types[name]
    return made


def prototype(name):
    """The types of the result and of the parameters of a function."""
    with _lock:
        return eval(FUNCTIONS[name], globals(), _types)


class Functions:
    """Every function of the headers."""
