"""For type checkers: the C interface as ctypes sees it. Generated with prototypes.py; do not edit."""

# fmt: off
# ruff: noqa
from ctypes import CFUNCTYPE, POINTER, Structure, Union, c_double, c_int32, c_size_t, c_uint64, c_void_p
from typing import Any, Callable

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

# Structs and callbacks. A handle is a c_void_p: an int, or None for NULL.
class pinview_string(Structure):
    data: bytes | None
    size: int

class pinview_binary(Structure):
    data: bytes | None
    size: int

class pinview_value_list(Structure):
    items: Any
    count: int

class pinview_value_contents(Union):
    boolean: int
    integer: int
    real: float
    string: pinview_string
    binary: pinview_binary
    uuid: Any
    object: int | None
    object_id: int | None
    list: pinview_value_list

class pinview_value(Structure):
    type: int
    reserved: int
    as_: pinview_value_contents

class pinview_named_value(Structure):
    name: pinview_string
    value: pinview_value

class pinview_conflict(Structure):
    struct_size: int
    row_exists: int
    object_id: int | None
    old_version: int
    new_version: int
    property_count: int
    is_deletion: int
    constraint_number: int

class pinview_conflict_property(Structure):
    struct_size: int
    reserved: int
    name: pinview_string
    base: pinview_value
    mine: pinview_value
    theirs: pinview_value

class pinview_constraint_conflict(Structure):
    struct_size: int
    constraint_property_count: int
    entity_name: pinview_string
    database_object_id: int | None
    object_count: int
    snapshot_property_count: int

class pinview_constraint_property(Structure):
    struct_size: int
    reserved: int
    name: pinview_string
    value: pinview_value

class pinview_attribute_description(Structure):
    struct_size: int
    flags: int
    name: pinview_string
    type: int
    limits: int
    default_value: pinview_value
    minimum: pinview_value
    maximum: pinview_value
    minimum_length: int
    maximum_length: int
    pattern: pinview_string

class pinview_relationship_description(Structure):
    struct_size: int
    flags: int
    name: pinview_string
    destination: pinview_string
    inverse: pinview_string
    delete_rule: int
    reserved: int
    minimum_count: int
    maximum_count: int

class pinview_property(Structure):
    struct_size: int
    flags: int
    name: pinview_string
    index: int
    type: int
    destination: pinview_string
    inverse: pinview_string
    delete_rule: int
    reserved: int
    minimum_count: int
    maximum_count: int

class pinview_composite(Structure):
    struct_size: int
    flags: int
    name: pinview_string
    first_index: int
    element_count: int

class pinview_entity_hooks(Structure):
    struct_size: int
    reserved: int
    awake_from_insert: Any
    awake_from_fetch: Any
    prepare_for_deletion: Any
    will_save: Any
    did_save: Any
    will_turn_into_fault: Any
    did_turn_into_fault: Any
    validate_for_insert: Any
    validate_for_update: Any
    validate_for_delete: Any
    validate_property: Any
    checked_keys: Any
    checked_key_count: int

class pinview_migration_mapping(Structure):
    source_entity: pinview_string
    destination_entity: pinview_string
    property: pinview_string
    expression: pinview_string
    function: Any
    userdata: int | None

class pinview_migration_stage(Structure):
    source: pinview_string
    destination: pinview_string
    confirmed_removals: pinview_string
    mappings: Any
    mapping_count: int
    step: Any
    userdata: int | None

class pinview_migration(Structure):
    struct_size: int
    reserved: int
    versions: Any
    version_count: int
    stages: Any
    stage_count: int
    progress: Any
    progress_userdata: int | None
    stage_size: int
    mapping_size: int

class pinview_journal_commit(Structure):
    number: int
    frame_count: int
    size: int
    is_readable: int
    reserved: int

class pinview_upsert(Structure):
    struct_size: int
    flags: int
    entity: pinview_string
    constraint: Any
    constraint_count: int
    names: Any
    name_count: int
    values: Any
    columns: Any
    row_count: int
    insert_names: Any
    insert_name_count: int
    update_names: Any
    update_name_count: int

class pinview_sort_descriptor(Structure):
    key_path: pinview_string
    is_descending: int
    comparator: int

class pinview_named_expression(Structure):
    name: pinview_string
    format: pinview_string
    arguments: Any
    argument_count: int
    expression: int | None

class pinview_fetch_request(Structure):
    struct_size: int
    flags: int
    entity: pinview_string
    predicate: int | None
    sort_descriptors: Any
    sort_descriptor_count: int
    limit: int
    offset: int
    batch_size: int
    result_type: int
    reserved: int
    stores: Any
    store_count: int
    prefetched_key_paths: Any
    prefetched_key_path_count: int
    properties: Any
    property_count: int
    group_by: Any
    group_by_count: int
    having: int | None
    timeout_seconds: float
    sort_descriptor_size: int
    property_size: int

class ArrowSchema(Structure):
    format: bytes | None
    name: bytes | None
    metadata: bytes | None
    flags: int
    n_children: int
    children: Any
    dictionary: Any
    release: Any
    private_data: int | None

class ArrowArray(Structure):
    length: int
    null_count: int
    offset: int
    n_buffers: int
    n_children: int
    buffers: Any
    children: Any
    dictionary: Any
    release: Any
    private_data: int | None

class ArrowArrayStream(Structure):
    get_schema: Any
    get_next: Any
    get_last_error: Any
    release: Any
    private_data: int | None

class pinview_batch_update(Structure):
    struct_size: int
    result_type: int
    entity: pinview_string
    predicate: int | None
    properties: Any
    property_count: int
    excludes_subentities: int
    reserved: int
    expressions: Any
    expression_count: int
    stores: Any
    store_count: int
    expression_size: int

class pinview_batch_insert(Structure):
    struct_size: int
    result_type: int
    entity: pinview_string
    names: Any
    name_count: int
    values: Any
    row_count: int
    next_row: Any
    userdata: int | None
    columns: Any
    stores: Any
    store_count: int
    columns_stream: Any
    merge_policy: int
    reserved: int

class pinview_history_request(Structure):
    struct_size: int
    flags: int
    token: int | None
    date: float
    authors: Any
    author_count: int
    excluded_authors: Any
    excluded_author_count: int
    entities: Any
    entity_count: int
    stores: Any
    store_count: int
    before: int | None
    before_date: float

class pinview_history_transaction(Structure):
    number: int
    date: float
    change_count: int
    store_identifier: pinview_string
    author: pinview_string
    context_name: pinview_string
    program: pinview_string
    process: pinview_string

class pinview_history_change(Structure):
    change_id: int
    type: int
    property_count: int

class pinview_remote_change(Structure):
    struct_size: int
    reserved: int
    store_identifier: pinview_string
    store_path: pinview_string
    history_token: int | None

class pinview_difference_change(Structure):
    type: int
    property_count: int
    properties: Any

class pinview_index_path(Structure):
    section: int
    item: int

class pinview_results_section(Structure):
    struct_size: int
    reserved: int
    name: pinview_string
    index_title: pinview_string
    count: int

class pinview_results_callbacks(Structure):
    struct_size: int
    reserved: int
    will_change_content: Any
    did_change_section: Any
    did_change_object: Any
    did_change_content: Any
    did_fail: Any

class pinview_journal_store(Structure):
    struct_size: int
    is_open_here: int
    path: pinview_string
    text: pinview_string
    sqlite_version: pinview_string
    has_wal_reset_bug: int
    page_size: int
    store_bytes: int
    journal_bytes: int
    frames: int
    copied_frames: int
    reclaimable_frames: int
    read_marks: int
    generation_count: int
    waiting_context_count: int
    process_count: int
    pins: int
    shared_pins: int
    adoptions: int
    advances: int
    reads: int
    reader_waits: int
    checkpoints: int
    busy_checkpoints: int
    detaches: int
    lost: int
    copy_count: int
    copy_bytes: int
    history_bytes: int
    budget_bytes: int

class pinview_journal_generation(Structure):
    struct_size: int
    is_newest: int
    is_detached: int
    read_mark: int
    ordinal: int
    age: float
    frame: int
    frames_held_back: int
    bytes_held_back: int
    readers_open: int
    context_count: int

class pinview_journal_context(Structure):
    struct_size: int
    concurrency_type: int
    name: pinview_string
    transaction_author: pinview_string
    thread: pinview_string
    is_pinned: int
    reserved: int

class pinview_journal_process(Structure):
    struct_size: int
    identifier: int
    command: pinview_string
    read_marks: int
    is_this_process: int
    is_writing: int
    is_checkpointing: int

class pinview_journal_event(Structure):
    struct_size: int
    kind: int
    path: pinview_string
    journal_bytes: int
    budget_bytes: int
    copy_bytes: int
    generations: int
    reason: pinview_string

class pinview_object_block_info(Structure):
    struct_size: int
    entity: int
    number: int
    changes: Any
    cache_changes: Any
    is_for_any_thread: int
    reserved: int

class pinview_column(Structure):
    struct_size: int
    flags: int
    type: int
    count: int
    changes: int
    cache_changes: int
    hierarchy: int
    states: bytes | None
    cells: int | None
    texts: bytes | None
    text_size: int
    values: Any

class pinview_object_row(Structure):
    struct_size: int
    flags: int
    dropped: Any
    dropped_count: int
    blocks: Any
    block_count: int
    room: int | None
    room_size: int
    text_size: int
    name: int
    changes: int
    block: int | None
    info: pinview_object_block_info

pinview_free_callback = CFUNCTYPE(None, c_void_p)
pinview_block_callback = CFUNCTYPE(c_int32, c_void_p, c_void_p)
pinview_object_callback = CFUNCTYPE(c_int32, c_void_p, c_void_p)
pinview_object_notice_callback = CFUNCTYPE(None, c_void_p, c_void_p)
pinview_property_check_callback = CFUNCTYPE(c_int32, c_void_p, pinview_string, POINTER(pinview_value), c_void_p)
pinview_migration_progress_callback = CFUNCTYPE(c_int32, c_double, pinview_string, c_void_p)
pinview_migration_step_callback = CFUNCTYPE(c_int32, c_void_p, c_void_p, c_void_p)
pinview_migration_value_callback = CFUNCTYPE(c_int32, c_void_p, POINTER(pinview_value), c_void_p)
pinview_generation_callback = CFUNCTYPE(None, c_void_p)
pinview_merge_callback = CFUNCTYPE(c_int32, c_void_p, c_void_p)
pinview_asynchronous_fetch_callback = CFUNCTYPE(None, c_void_p, c_void_p)
pinview_interrupt_callback = CFUNCTYPE(c_int32, c_void_p)
pinview_next_row_callback = CFUNCTYPE(c_int32, POINTER(pinview_value), c_size_t, POINTER(c_int32), c_void_p)
pinview_history_consumer_callback = CFUNCTYPE(None, pinview_string, c_void_p, c_void_p)
pinview_remote_change_callback = CFUNCTYPE(None, POINTER(pinview_remote_change), c_void_p)
pinview_notification_callback = CFUNCTYPE(None, c_void_p, c_void_p)
pinview_results_callback = CFUNCTYPE(None, c_void_p, c_void_p)
pinview_results_section_callback = CFUNCTYPE(None, c_void_p, pinview_string, c_uint64, c_int32, c_void_p)
pinview_results_object_callback = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(pinview_index_path), POINTER(pinview_index_path), c_int32, c_void_p)
pinview_results_error_callback = CFUNCTYPE(None, c_void_p, c_void_p, c_void_p)
pinview_export_callback = CFUNCTYPE(c_int32, c_uint64, c_uint64, c_void_p)
pinview_journal_callback = CFUNCTYPE(None, POINTER(pinview_journal_event), c_void_p)
pinview_log_callback = CFUNCTYPE(None, pinview_string, c_void_p)

HANDLES: tuple[str, ...]
STRUCTS: dict[str, tuple[Any, dict[str, str]]]
CALLBACKS: dict[str, str]
FUNCTIONS: dict[str, str]

def prototype(name: str) -> tuple[Any, tuple[Any, ...]]: ...

class Functions:
    pinview_error_retain: Callable[[int | None], int]
    pinview_error_release: Callable[[int | None], int]
    pinview_buffer_retain: Callable[[int | None], int]
    pinview_buffer_release: Callable[[int | None], int]
    pinview_model_builder_retain: Callable[[int | None], int]
    pinview_model_builder_release: Callable[[int | None], int]
    pinview_model_retain: Callable[[int | None], int]
    pinview_model_release: Callable[[int | None], int]
    pinview_entity_retain: Callable[[int | None], int]
    pinview_entity_release: Callable[[int | None], int]
    pinview_coordinator_retain: Callable[[int | None], int]
    pinview_coordinator_release: Callable[[int | None], int]
    pinview_store_retain: Callable[[int | None], int]
    pinview_store_release: Callable[[int | None], int]
    pinview_container_retain: Callable[[int | None], int]
    pinview_container_release: Callable[[int | None], int]
    pinview_token_retain: Callable[[int | None], int]
    pinview_token_release: Callable[[int | None], int]
    pinview_context_retain: Callable[[int | None], int]
    pinview_context_release: Callable[[int | None], int]
    pinview_undo_manager_retain: Callable[[int | None], int]
    pinview_undo_manager_release: Callable[[int | None], int]
    pinview_weak_context_retain: Callable[[int | None], int]
    pinview_weak_context_release: Callable[[int | None], int]
    pinview_object_retain: Callable[[int | None], int]
    pinview_object_release: Callable[[int | None], int]
    pinview_weak_object_retain: Callable[[int | None], int]
    pinview_weak_object_release: Callable[[int | None], int]
    pinview_object_id_retain: Callable[[int | None], int]
    pinview_object_id_release: Callable[[int | None], int]
    pinview_fetch_template_retain: Callable[[int | None], int]
    pinview_fetch_template_release: Callable[[int | None], int]
    pinview_results_controller_retain: Callable[[int | None], int]
    pinview_results_controller_release: Callable[[int | None], int]
    pinview_result_retain: Callable[[int | None], int]
    pinview_result_release: Callable[[int | None], int]
    pinview_predicate_retain: Callable[[int | None], int]
    pinview_predicate_release: Callable[[int | None], int]
    pinview_expression_retain: Callable[[int | None], int]
    pinview_expression_release: Callable[[int | None], int]
    pinview_observer_retain: Callable[[int | None], int]
    pinview_observer_release: Callable[[int | None], int]
    pinview_notification_retain: Callable[[int | None], int]
    pinview_notification_release: Callable[[int | None], int]
    pinview_merge_retain: Callable[[int | None], int]
    pinview_merge_release: Callable[[int | None], int]
    pinview_history_token_retain: Callable[[int | None], int]
    pinview_history_token_release: Callable[[int | None], int]
    pinview_history_retain: Callable[[int | None], int]
    pinview_history_release: Callable[[int | None], int]
    pinview_asynchronous_fetch_retain: Callable[[int | None], int]
    pinview_asynchronous_fetch_release: Callable[[int | None], int]
    pinview_difference_retain: Callable[[int | None], int]
    pinview_difference_release: Callable[[int | None], int]
    pinview_sql_cursor_retain: Callable[[int | None], int]
    pinview_sql_cursor_release: Callable[[int | None], int]
    pinview_journal_report_retain: Callable[[int | None], int]
    pinview_journal_report_release: Callable[[int | None], int]
    pinview_objects_release: Callable[[Any, int], None]
    pinview_handle_count: Callable[[], int]
    pinview_text: Callable[[bytes | None], pinview_string]
    pinview_absent: Callable[[], pinview_string]
    pinview_value_null: Callable[[], pinview_value]
    pinview_value_boolean: Callable[[int], pinview_value]
    pinview_value_integer: Callable[[int], pinview_value]
    pinview_value_double: Callable[[float], pinview_value]
    pinview_value_text: Callable[[bytes | None], pinview_value]
    pinview_value_date: Callable[[float], pinview_value]
    pinview_value_object: Callable[[int | None], pinview_value]
    pinview_named: Callable[[bytes | None, Any], pinview_named_value]
    pinview_buffer_create: Callable[[Any, Any], int]
    pinview_version_number: Callable[[], int]
    pinview_version_string: Callable[[], pinview_string]
    pinview_sqlite_version: Callable[[], pinview_string]
    pinview_has_feature: Callable[[Any], int]
    pinview_error_create: Callable[[Any, int, Any, int | None, Any, Any, Any], int]
    pinview_error_last: Callable[[], int | None]
    pinview_error_status: Callable[[int | None], int]
    pinview_error_code: Callable[[int | None], int]
    pinview_error_domain: Callable[[int | None], pinview_string]
    pinview_error_message: Callable[[int | None], pinview_string]
    pinview_error_description: Callable[[int | None], pinview_string]
    pinview_error_sqlite_code: Callable[[int | None], int]
    pinview_error_userdata: Callable[[int | None], int | None]
    pinview_error_validation_key: Callable[[int | None], pinview_string]
    pinview_error_validation_value: Callable[[int | None, Any, Any], int]
    pinview_error_detailed_error_count: Callable[[int | None], int]
    pinview_error_detailed_error: Callable[[int | None, int, Any, Any], int]
    pinview_error_underlying_error: Callable[[int | None, Any, Any], int]
    pinview_error_affected_object_ids: Callable[[int | None, Any, Any], int]
    pinview_error_affected_store_count: Callable[[int | None], int]
    pinview_error_affected_store: Callable[[int | None, int, Any, Any], int]
    pinview_error_conflict_count: Callable[[int | None], int]
    pinview_error_conflict: Callable[[int | None, int, Any, Any], int]
    pinview_error_conflict_property: Callable[[int | None, int, int, Any, Any], int]
    pinview_error_constraint_conflict_count: Callable[[int | None], int]
    pinview_error_constraint_conflict: Callable[[int | None, int, Any, Any], int]
    pinview_error_constraint_conflict_property: Callable[[int | None, int, int, Any, Any], int]
    pinview_error_constraint_conflict_object: Callable[[int | None, int, int, Any, Any], int]
    pinview_error_constraint_conflict_value: Callable[[int | None, int, int, int, Any, Any], int]
    pinview_model_builder_create: Callable[[Any, Any], int]
    pinview_model_builder_add_entity: Callable[[int | None, Any, Any, int, Any], int]
    pinview_model_builder_add_attribute: Callable[[int | None, Any, Any, Any], int]
    pinview_model_builder_add_relationship: Callable[[int | None, Any, Any, Any], int]
    pinview_model_builder_add_uniqueness_constraint: Callable[[int | None, Any, Any, int, Any], int]
    pinview_model_builder_add_index: Callable[[int | None, Any, Any, Any, int, Any], int]
    pinview_model_builder_add_configuration: Callable[[int | None, Any, Any, int, Any], int]
    pinview_model_builder_build: Callable[[int | None, Any, Any], int]
    pinview_model_create_from_json: Callable[[Any, Any, Any], int]
    pinview_model_create_from_file: Callable[[Any, Any, int, Any, Any], int]
    pinview_model_create_from_data: Callable[[Any, int, Any, Any], int]
    pinview_model_versions: Callable[[Any, int | None, Any, int, Any, Any, Any], int]
    pinview_model_warning_count: Callable[[int | None], int]
    pinview_model_warning: Callable[[int | None, int, Any, Any], int]
    pinview_model_create_from_store: Callable[[Any, Any, Any], int]
    pinview_model_create_from_tables: Callable[[Any, Any, Any], int]
    pinview_model_is_equal: Callable[[int | None, int | None], int]
    pinview_model_identity: Callable[[int | None], int]
    pinview_model_set_entity_hooks: Callable[[int | None, Any, Any, int | None, Any, Any], int]
    pinview_model_difference: Callable[[int | None, int | None, Any, Any, Any], int]
    pinview_model_migration_plan: Callable[[int | None, Any, Any, Any, int, int, Any, Any], int]
    pinview_model_version_checksum: Callable[[int | None], pinview_string]
    pinview_model_json: Callable[[int | None, Any, Any], int]
    pinview_model_entity_count: Callable[[int | None], int]
    pinview_model_entity: Callable[[int | None, int, Any, Any], int]
    pinview_model_entity_named: Callable[[int | None, Any, Any, Any], int]
    pinview_entity_name: Callable[[int | None], pinview_string]
    pinview_entity_parent_name: Callable[[int | None], pinview_string]
    pinview_entity_is_abstract: Callable[[int | None], int]
    pinview_entity_property_count: Callable[[int | None], int]
    pinview_entity_property: Callable[[int | None, int, Any, Any], int]
    pinview_entity_property_index: Callable[[int | None, Any, Any, Any], int]
    pinview_entity_composite_count: Callable[[int | None], int]
    pinview_entity_composite: Callable[[int | None, int, Any, Any], int]
    pinview_coordinator_create: Callable[[int | None, Any, Any], int]
    pinview_coordinator_is_equal: Callable[[int | None, int | None], int]
    pinview_coordinator_model: Callable[[int | None, Any, Any], int]
    pinview_coordinator_set_name: Callable[[int | None, Any, Any], int]
    pinview_coordinator_name: Callable[[int | None], pinview_string]
    pinview_coordinator_add_store: Callable[[int | None, Any, Any, Any, Any, int, Any, Any], int]
    pinview_coordinator_add_migrated_store: Callable[[int | None, Any, Any, Any, Any, int, Any, Any, Any], int]
    pinview_migration_destination_object: Callable[[int | None, int | None, Any, Any, Any], int]
    pinview_migration_source_object: Callable[[int | None, int | None, Any, Any], int]
    pinview_coordinator_remove_store: Callable[[int | None, int | None, Any], int]
    pinview_coordinator_set_holds_writers_while_pinning: Callable[[int | None, int, Any], int]
    pinview_coordinator_holds_writers_while_pinning: Callable[[int | None], int]
    pinview_coordinator_add_generation_observer: Callable[[int | None, Any, int | None, Any, Any, Any], int]
    pinview_coordinator_remove_generation_observer: Callable[[int | None, int | None, Any], int]
    pinview_coordinator_store_count: Callable[[int | None], int]
    pinview_coordinator_store: Callable[[int | None, int, Any, Any], int]
    pinview_coordinator_object_id: Callable[[int | None, Any, Any, Any], int]
    pinview_store_is_equal: Callable[[int | None, int | None], int]
    pinview_store_identifier: Callable[[int | None], pinview_string]
    pinview_store_type: Callable[[int | None], pinview_string]
    pinview_store_path: Callable[[int | None], pinview_string]
    pinview_store_configuration: Callable[[int | None], pinview_string]
    pinview_store_journal_mode: Callable[[int | None], pinview_string]
    pinview_store_is_read_only: Callable[[int | None], int]
    pinview_store_missing_count: Callable[[int | None], int]
    pinview_store_missing: Callable[[int | None, int, int | None, Any, Any, Any], int]
    pinview_store_lacks: Callable[[int | None, Any, Any, Any, Any], int]
    pinview_store_supports_query_generations: Callable[[int | None], int]
    pinview_store_journal_size: Callable[[int | None], int]
    pinview_store_checkpoint: Callable[[int | None, Any, Any], int]
    pinview_store_is_immutable: Callable[[int | None], int]
    pinview_store_journal_commit_count: Callable[[int | None], int]
    pinview_store_journal_commits: Callable[[int | None, int, int, Any, int, Any], int]
    pinview_coordinator_journal_commit_token: Callable[[int | None, int | None, int, Any, Any], int]
    pinview_store_metadata: Callable[[int | None, int | None, Any, Any], int]
    pinview_store_metadata_value: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_store_set_metadata_value: Callable[[int | None, Any, Any, Any], int]
    pinview_store_set_metadata: Callable[[int | None, Any, Any], int]
    pinview_file_metadata: Callable[[Any, int | None, Any, Any], int]
    pinview_file_summary: Callable[[Any, int | None, Any, Any], int]
    pinview_file_set_metadata: Callable[[Any, Any, Any], int]
    pinview_container_create: Callable[[Any, int | None, Any, Any, int, Any, Any], int]
    pinview_container_load_stores: Callable[[int | None, Any], int]
    pinview_container_load_migrated_stores: Callable[[int | None, Any, Any], int]
    pinview_container_coordinator: Callable[[int | None, Any, Any], int]
    pinview_container_view_context: Callable[[int | None, Any, Any], int]
    pinview_container_new_background_context: Callable[[int | None, Any, Any], int]
    pinview_container_perform_background_task: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_token_current: Callable[[], int | None]
    pinview_token_is_equal: Callable[[int | None, int | None], int]
    pinview_token_hash: Callable[[int | None], int]
    pinview_token_is_current: Callable[[int | None], int]
    pinview_token_description: Callable[[int | None], pinview_string]
    pinview_token_data: Callable[[int | None, Any, Any], int]
    pinview_token_create_from_data: Callable[[Any, Any, Any], int]
    pinview_context_create: Callable[[int, Any, Any], int]
    pinview_context_is_equal: Callable[[int | None, int | None], int]
    pinview_context_hash: Callable[[int | None], int]
    pinview_context_set_coordinator: Callable[[int | None, int | None, Any], int]
    pinview_context_coordinator: Callable[[int | None, Any, Any], int]
    pinview_context_set_parent: Callable[[int | None, int | None, Any], int]
    pinview_context_parent: Callable[[int | None, Any, Any], int]
    pinview_context_concurrency_type: Callable[[int | None], int]
    pinview_context_set_name: Callable[[int | None, Any, Any], int]
    pinview_context_name: Callable[[int | None], pinview_string]
    pinview_context_set_transaction_author: Callable[[int | None, Any, Any], int]
    pinview_context_transaction_author: Callable[[int | None], pinview_string]
    pinview_context_set_merge_policy: Callable[[int | None, int, Any], int]
    pinview_context_merge_policy: Callable[[int | None], int]
    pinview_context_set_merge_callback: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_merge_conflicts: Callable[[int | None], int | None]
    pinview_merge_set_policy: Callable[[int | None, int, int, Any], int]
    pinview_merge_set_value: Callable[[int | None, int, Any, Any, Any], int]
    pinview_context_set_option: Callable[[int | None, int, int, Any], int]
    pinview_context_get_option: Callable[[int | None, int], int]
    pinview_context_set_staleness_interval: Callable[[int | None, float, Any], int]
    pinview_context_staleness_interval: Callable[[int | None], float]
    pinview_context_set_timeout: Callable[[int | None, float, Any], int]
    pinview_context_timeout: Callable[[int | None], float]
    pinview_context_set_query_generation: Callable[[int | None, int | None, Any], int]
    pinview_context_query_generation: Callable[[int | None, Any, Any], int]
    pinview_context_query_generation_state: Callable[[int | None], int]
    pinview_context_has_newer_generation: Callable[[int | None], int]
    pinview_context_wait_for_newer_generation: Callable[[int | None, float, Any, Any], int]
    pinview_context_perform: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_context_perform_and_wait: Callable[[int | None, Any, int | None, Any], int]
    pinview_main_queue_drain: Callable[[Any, Any], int]
    pinview_main_queue_file_descriptor: Callable[[], int]
    pinview_set_concurrency_debug: Callable[[int], None]
    pinview_context_insert_new_object: Callable[[int | None, Any, Any, Any], int]
    pinview_context_insert_objects: Callable[[int | None, Any, Any, int, Any, int, Any, Any], int]
    pinview_context_upsert: Callable[[int | None, Any, Any, Any], int]
    pinview_context_insert: Callable[[int | None, int | None, Any], int]
    pinview_context_delete: Callable[[int | None, int | None, Any], int]
    pinview_context_delete_objects: Callable[[int | None, Any, int, Any], int]
    pinview_context_assign: Callable[[int | None, int | None, int | None, Any], int]
    pinview_context_registered_object: Callable[[int | None, int | None, Any, Any], int]
    pinview_context_object: Callable[[int | None, int | None, Any, Any], int]
    pinview_context_existing_object: Callable[[int | None, int | None, Any, Any], int]
    pinview_context_objects: Callable[[int | None, Any, int, Any, Any], int]
    pinview_context_existing_objects: Callable[[int | None, Any, int, Any, Any], int]
    pinview_context_values: Callable[[int | None, int | None, Any, int, int | None, Any, Any], int]
    pinview_context_registered_objects: Callable[[int | None, Any, Any], int]
    pinview_context_inserted_objects: Callable[[int | None, Any, Any], int]
    pinview_context_updated_objects: Callable[[int | None, Any, Any], int]
    pinview_context_deleted_objects: Callable[[int | None, Any, Any], int]
    pinview_context_has_changes: Callable[[int | None, Any, Any], int]
    pinview_context_refresh: Callable[[int | None, int | None, int, Any], int]
    pinview_context_refresh_all_objects: Callable[[int | None, Any], int]
    pinview_context_obtain_permanent_ids: Callable[[int | None, Any, int, Any], int]
    pinview_context_detect_conflicts: Callable[[int | None, int | None, Any], int]
    pinview_context_process_pending_changes: Callable[[int | None, Any], int]
    pinview_context_save: Callable[[int | None, Any], int]
    pinview_context_rollback: Callable[[int | None, Any], int]
    pinview_context_reset: Callable[[int | None, Any], int]
    pinview_context_undo: Callable[[int | None, Any], int]
    pinview_context_redo: Callable[[int | None, Any], int]
    pinview_context_set_undo_enabled: Callable[[int | None, int, Any], int]
    pinview_context_remove_all_undo_actions: Callable[[int | None, Any], int]
    pinview_context_begin_undo_grouping: Callable[[int | None, Any], int]
    pinview_context_end_undo_grouping: Callable[[int | None, Any], int]
    pinview_context_set_undo_levels: Callable[[int | None, int, Any], int]
    pinview_context_lock: Callable[[int | None, Any], int]
    pinview_context_unlock: Callable[[int | None, Any], int]
    pinview_context_try_lock: Callable[[int | None, Any, Any], int]
    pinview_context_set_userdata: Callable[[int | None, int | None, Any, Any], int]
    pinview_context_userdata: Callable[[int | None], int | None]
    pinview_context_get_weak: Callable[[int | None, Any, Any], int]
    pinview_weak_context_get: Callable[[int | None, Any, Any], int]
    pinview_undo_manager_create: Callable[[Any, Any], int]
    pinview_undo_manager_is_equal: Callable[[int | None, int | None], int]
    pinview_context_undo_manager: Callable[[int | None, Any, Any], int]
    pinview_context_set_undo_manager: Callable[[int | None, int | None, Any], int]
    pinview_undo_manager_undo: Callable[[int | None, Any], int]
    pinview_undo_manager_redo: Callable[[int | None, Any], int]
    pinview_undo_manager_can_undo: Callable[[int | None], int]
    pinview_undo_manager_can_redo: Callable[[int | None], int]
    pinview_undo_manager_undo_action_name: Callable[[int | None], pinview_string]
    pinview_undo_manager_redo_action_name: Callable[[int | None], pinview_string]
    pinview_undo_manager_set_action_name: Callable[[int | None, Any, Any], int]
    pinview_undo_manager_begin_grouping: Callable[[int | None, Any], int]
    pinview_undo_manager_end_grouping: Callable[[int | None, Any], int]
    pinview_undo_manager_grouping_level: Callable[[int | None], int]
    pinview_undo_manager_set_levels: Callable[[int | None, int, Any], int]
    pinview_undo_manager_levels: Callable[[int | None], int]
    pinview_undo_manager_set_registration_enabled: Callable[[int | None, int, Any], int]
    pinview_undo_manager_is_registration_enabled: Callable[[int | None], int]
    pinview_undo_manager_remove_all_actions: Callable[[int | None, Any], int]
    pinview_object_is_equal: Callable[[int | None, int | None], int]
    pinview_object_identity: Callable[[int | None], int]
    pinview_object_get_id: Callable[[int | None, Any, Any], int]
    pinview_object_entity: Callable[[int | None, Any, Any], int]
    pinview_object_context: Callable[[int | None, Any, Any], int]
    pinview_object_state: Callable[[int | None, Any, Any], int]
    pinview_object_value: Callable[[int | None, Any, Any, Any], int]
    pinview_object_value_at: Callable[[int | None, int, Any, Any], int]
    pinview_object_values: Callable[[int | None, Any, int, int | None, Any, Any], int]
    pinview_object_examine: Callable[[int | None, Any, int | None, Any, Any, Any, Any], int]
    pinview_value_readable: Callable[[Any, int | None, Any, Any], int]
    pinview_objects_values: Callable[[Any, int, Any, int, int | None, Any, Any], int]
    pinview_object_set_value: Callable[[int | None, Any, Any, Any], int]
    pinview_object_set_value_at: Callable[[int | None, int, Any, Any], int]
    pinview_object_set_composite: Callable[[int | None, Any, Any, int, Any], int]
    pinview_object_related_object: Callable[[int | None, Any, Any, Any], int]
    pinview_object_related_object_at: Callable[[int | None, int, Any, Any], int]
    pinview_objects_related_object_at: Callable[[Any, int, int, Any, Any], int]
    pinview_object_related_objects: Callable[[int | None, Any, Any, Any], int]
    pinview_object_related_object_count: Callable[[int | None, Any, Any, Any], int]
    pinview_object_contains_related_object: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_object_add_related_object: Callable[[int | None, Any, int | None, Any], int]
    pinview_object_insert_related_object: Callable[[int | None, Any, int | None, int, Any], int]
    pinview_object_remove_related_object: Callable[[int | None, Any, int | None, Any], int]
    pinview_object_set_related_objects: Callable[[int | None, Any, Any, int, Any], int]
    pinview_object_has_fault: Callable[[int | None, Any, Any, Any], int]
    pinview_object_changed_properties: Callable[[int | None, Any, int, Any, Any], int]
    pinview_object_committed_value: Callable[[int | None, Any, Any, Any], int]
    pinview_object_validate: Callable[[int | None, Any], int]
    pinview_object_validate_for_delete: Callable[[int | None, Any], int]
    pinview_object_set_userdata: Callable[[int | None, int | None, Any, Any], int]
    pinview_object_userdata: Callable[[int | None], int | None]
    pinview_object_get_weak: Callable[[int | None, Any, Any], int]
    pinview_weak_object_get: Callable[[int | None, Any, Any], int]
    pinview_object_id_is_equal: Callable[[int | None, int | None], int]
    pinview_object_id_hash: Callable[[int | None], int]
    pinview_object_id_uri: Callable[[int | None], pinview_string]
    pinview_object_id_is_temporary: Callable[[int | None], int]
    pinview_object_id_entity_name: Callable[[int | None], pinview_string]
    pinview_object_id_store_identifier: Callable[[int | None], pinview_string]
    pinview_fetch_request_init: Callable[[Any, int, Any, Any], int]
    pinview_context_fetch: Callable[[int | None, Any, Any, Any], int]
    pinview_context_fetch_asynchronously: Callable[[int | None, Any, int, Any, Any, int | None, Any, Any, Any], int]
    pinview_asynchronous_fetch_cancel: Callable[[int | None, Any], int]
    pinview_asynchronous_fetch_progress: Callable[[int | None, Any, Any, Any], int]
    pinview_asynchronous_fetch_wait: Callable[[int | None, float, Any, Any], int]
    pinview_asynchronous_fetch_result: Callable[[int | None, Any, Any], int]
    pinview_context_interrupt_fetch: Callable[[int | None, Any], int]
    pinview_context_interrupt: Callable[[int | None, Any], int]
    pinview_set_interrupt_callback: Callable[[Any, int | None, Any, Any], int]
    pinview_context_count: Callable[[int | None, Any, Any, Any], int]
    pinview_fetch_request_execute: Callable[[Any, Any, Any], int]
    pinview_model_set_fetch_request_template: Callable[[int | None, Any, Any, Any], int]
    pinview_model_fetch_request_template_count: Callable[[int | None], int]
    pinview_model_fetch_request_template_name: Callable[[int | None, int, Any, Any], int]
    pinview_model_fetch_request_template: Callable[[int | None, Any, Any, Any], int]
    pinview_model_fetch_request_from_template: Callable[[int | None, Any, Any, int, Any, Any], int]
    pinview_fetch_template_request: Callable[[int | None], Any]
    pinview_model_builder_add_fetched_property: Callable[[int | None, Any, Any, Any, Any], int]
    pinview_entity_fetched_property_count: Callable[[int | None], int]
    pinview_entity_fetched_property: Callable[[int | None, int, Any, Any, Any], int]
    pinview_object_fetched_objects: Callable[[int | None, Any, Any, Any], int]
    pinview_result_get_type: Callable[[int | None], int]
    pinview_result_row_counts: Callable[[int | None, Any, Any, Any, Any], int]
    pinview_result_upsert_outcomes: Callable[[int | None, int, int, Any, Any], int]
    pinview_result_count: Callable[[int | None], int]
    pinview_result_object: Callable[[int | None, int, Any, Any], int]
    pinview_result_objects: Callable[[int | None, int, int, Any, Any], int]
    pinview_result_values: Callable[[int | None, int, int, Any, int, int | None, Any, Any], int]
    pinview_result_load: Callable[[int | None, int, int, Any], int]
    pinview_result_object_id: Callable[[int | None, int, Any, Any], int]
    pinview_result_object_ids: Callable[[int | None, int, int, Any, Any], int]
    pinview_result_column_count: Callable[[int | None], int]
    pinview_result_column_name: Callable[[int | None, int], pinview_string]
    pinview_context_explain: Callable[[int | None, Any, Any, Any], int]
    pinview_predicate_create: Callable[[Any, Any, int, Any, Any], int]
    pinview_predicate_is_equal: Callable[[int | None, int | None], int]
    pinview_predicate_substitute: Callable[[int | None, Any, int, Any, Any], int]
    pinview_predicate_description: Callable[[int | None], pinview_string]
    pinview_predicate_evaluate: Callable[[int | None, int | None, Any, Any], int]
    pinview_predicate_create_comparison: Callable[[int | None, int, int | None, int, int, Any, Any], int]
    pinview_predicate_create_compound: Callable[[int, Any, int, Any, Any], int]
    pinview_predicate_create_constant: Callable[[int, Any, Any], int]
    pinview_expression_create: Callable[[Any, Any, int, Any, Any], int]
    pinview_expression_create_constant: Callable[[Any, Any, Any], int]
    pinview_expression_create_key_path: Callable[[Any, Any, Any], int]
    pinview_expression_create_variable: Callable[[Any, Any, Any, Any], int]
    pinview_expression_create_aggregate: Callable[[Any, int, Any, Any], int]
    pinview_expression_create_function: Callable[[Any, Any, int, Any, Any], int]
    pinview_expression_create_subquery: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_expression_create_conditional: Callable[[int | None, int | None, int | None, Any, Any], int]
    pinview_expression_create_cast: Callable[[int | None, Any, Any, Any], int]
    pinview_expression_evaluate: Callable[[int | None, int | None, int | None, Any, Any], int]
    pinview_expression_is_equal: Callable[[int | None, int | None], int]
    pinview_expression_description: Callable[[int | None], pinview_string]
    pinview_context_fetch_columns: Callable[[int | None, Any, int, Any, Any], int]
    pinview_context_batch_update: Callable[[int | None, Any, Any, Any], int]
    pinview_context_batch_insert: Callable[[int | None, Any, Any, Any], int]
    pinview_context_batch_delete: Callable[[int | None, Any, Any, int, int, Any, Any], int]
    pinview_history_token_is_equal: Callable[[int | None, int | None], int]
    pinview_history_token_data: Callable[[int | None, Any, Any], int]
    pinview_history_token_create_from_data: Callable[[Any, Any, Any], int]
    pinview_coordinator_history_token: Callable[[int | None, Any, Any], int]
    pinview_context_fetch_history: Callable[[int | None, Any, Any, Any], int]
    pinview_context_delete_history: Callable[[int | None, Any, Any, Any], int]
    pinview_history_count: Callable[[int | None], int]
    pinview_history_transaction_at: Callable[[int | None, int, Any, Any], int]
    pinview_history_token_after: Callable[[int | None, int, Any, Any], int]
    pinview_history_change_at: Callable[[int | None, int, int, Any, Any], int]
    pinview_history_change_object_id: Callable[[int | None, int, int, Any, Any], int]
    pinview_history_change_property: Callable[[int | None, int, int, int, Any, Any], int]
    pinview_history_change_tombstone: Callable[[int | None, int, int, Any, int | None, Any, Any], int]
    pinview_context_merge_history: Callable[[int | None, int | None, int, int, Any], int]
    pinview_coordinator_set_history_consumer: Callable[[int | None, Any, int | None, Any], int]
    pinview_coordinator_remove_history_consumer: Callable[[int | None, Any, Any], int]
    pinview_coordinator_history_consumer: Callable[[int | None, Any, Any, Any], int]
    pinview_coordinator_each_history_consumer: Callable[[int | None, Any, int | None, Any], int]
    pinview_coordinator_add_remote_change_observer: Callable[[int | None, Any, int | None, Any, Any, Any], int]
    pinview_coordinator_difference: Callable[[int | None, int | None, int | None, Any, int, Any, Any], int]
    pinview_difference_count: Callable[[int | None], int]
    pinview_difference_changes: Callable[[int | None, int, int, Any, int, Any, Any], int]
    pinview_difference_old_generation: Callable[[int | None, Any, Any], int]
    pinview_difference_new_generation: Callable[[int | None, Any, Any], int]
    pinview_observe: Callable[[Any, int | None, Any, int | None, Any, Any, Any], int]
    pinview_observer_remove: Callable[[int | None, Any], int]
    pinview_notification_name: Callable[[int | None], pinview_string]
    pinview_notification_context: Callable[[int | None, Any, Any], int]
    pinview_notification_objects: Callable[[int | None, Any, Any, Any], int]
    pinview_notification_object_ids: Callable[[int | None, Any, Any, Any], int]
    pinview_notification_token: Callable[[int | None, Any, Any], int]
    pinview_context_merge_changes: Callable[[int | None, int | None, Any], int]
    pinview_context_merge_object_ids: Callable[[int | None, Any, int, Any, int, Any, int, Any], int]
    pinview_context_merge_uris: Callable[[int | None, Any, int, Any, int, Any, int, Any], int]
    pinview_results_controller_create: Callable[[int | None, Any, Any, Any, Any], int]
    pinview_results_controller_perform_fetch: Callable[[int | None, Any], int]
    pinview_results_controller_set_callbacks: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_results_controller_objects: Callable[[int | None, Any, Any], int]
    pinview_results_controller_count: Callable[[int | None, Any, Any], int]
    pinview_results_controller_section_count: Callable[[int | None, Any, Any], int]
    pinview_results_controller_section: Callable[[int | None, int, Any, Any], int]
    pinview_results_controller_section_objects: Callable[[int | None, int, Any, Any], int]
    pinview_results_controller_section_for_index_title: Callable[[int | None, Any, Any, Any], int]
    pinview_results_controller_object: Callable[[int | None, int, int, Any, Any], int]
    pinview_results_controller_index_path: Callable[[int | None, int | None, Any, Any], int]
    pinview_coordinator_export: Callable[[int | None, int | None, int | None, Any, int, Any, int | None, Any], int]
    pinview_export_database: Callable[[Any, Any, int, Any, int | None, Any], int]
    pinview_coordinator_query_sql: Callable[[int | None, int | None, int | None, Any, Any, int, Any, Any], int]
    pinview_context_query_sql: Callable[[int | None, int | None, Any, Any, int, Any, Any], int]
    pinview_sql_cursor_column_count: Callable[[int | None], int]
    pinview_sql_cursor_column_name: Callable[[int | None, int], pinview_string]
    pinview_sql_cursor_read: Callable[[int | None, int, Any, Any, Any], int]
    pinview_sql_cursor_interrupt: Callable[[int | None, Any], int]
    pinview_coordinator_set_journal_callback: Callable[[int | None, Any, int | None, Any, Any], int]
    pinview_coordinator_journal_report: Callable[[int | None, Any, Any], int]
    pinview_coordinator_journal_report_text: Callable[[int | None, int | None, Any, Any], int]
    pinview_journal_report_create_for_file: Callable[[Any, Any, Any], int]
    pinview_journal_report_store_count: Callable[[int | None], int]
    pinview_journal_report_store: Callable[[int | None, int, Any, Any], int]
    pinview_journal_report_generation: Callable[[int | None, int, int, Any, Any], int]
    pinview_journal_report_context: Callable[[int | None, int, int, int, Any, Any], int]
    pinview_journal_report_process: Callable[[int | None, int, int, Any, Any], int]
    pinview_journal_report_read_mark_frame: Callable[[int | None, int, int], int]
    pinview_sql_log_set_enabled: Callable[[int], None]
    pinview_sql_log_is_enabled: Callable[[], int]
    pinview_sql_log_set_callback: Callable[[Any, int | None, Any, Any], int]
    pinview_print_last_error: Callable[[bytes | None, int], None]
    pinview_open: Callable[[bytes | None, bytes | None, Any, int, Any, Any], int]
    pinview_open_another: Callable[[int | None, Any, Any], int]
    pinview_insert: Callable[[int | None, bytes | None, Any, int, Any, Any], int]
    pinview_set: Callable[[int | None, Any, int, Any], int]
    pinview_fetch: Callable[[int | None, bytes | None, bytes | None, Any, int, bytes | None, Any, Any], int]
    pinview_fetch_first: Callable[[int | None, bytes | None, bytes | None, Any, int, bytes | None, Any, Any], int]
    pinview_next: Callable[[int | None, Any, Any, Any], int]
    pinview_get_text: Callable[[int | None, bytes | None, bytes | None, Any], bytes | None]
    pinview_get_integer: Callable[[int | None, bytes | None, int, Any], int]
    pinview_get_double: Callable[[int | None, bytes | None, float, Any], float]
    pinview_get_boolean: Callable[[int | None, bytes | None, int, Any], int]
    pinview_object_block_retain: Callable[[int | None], int]
    pinview_object_block_release: Callable[[int | None], int]
    pinview_result_object_block: Callable[[int | None, int, int, Any, Any, Any, Any], int]
    pinview_objects_object_block: Callable[[Any, int, Any, Any, Any, Any], int]
    pinview_object_block_object: Callable[[int | None, int, Any, Any], int]
    pinview_object_block_drop: Callable[[int | None, Any, int], None]
    pinview_object_block_column: Callable[[int | None, int, int, int, int | None, Any, Any], int]
    pinview_object_block_fire: Callable[[int | None, Any, int], int]
    pinview_object_block_related_object: Callable[[int | None, int, int, Any, Any, Any, Any], int]
    pinview_object_block_related_objects: Callable[[int | None, int, int, Any, Any, Any, Any], int]
    pinview_object_block_confirm_related_objects: Callable[[int | None, int, int, Any, Any], int]
    pinview_object_block_contains_related_object: Callable[[int | None, int, int, int, Any, Any], int]
    pinview_object_block_add_related_objects: Callable[[int | None, int, int, Any, int, Any], int]
    pinview_object_block_remove_related_objects: Callable[[int | None, int, int, Any, int, Any], int]
    pinview_object_block_set_value: Callable[[int | None, int, int, Any, Any], int]
    pinview_object_block_values: Callable[[int | None, int, Any, int, int | None, Any, Any, Any], int]
    pinview_context_object_row: Callable[[int | None, int | None, int, Any, Any], int]
    pinview_result_object_row: Callable[[int | None, int, Any, Any], int]
    pinview_object_block_row: Callable[[int | None, int, Any, Any], int]
    pinview_object_block_related_row: Callable[[int | None, int, int, Any, Any], int]
    pinview_context_insert_row: Callable[[int | None, Any, Any, Any, int, Any, Any], int]
    pinview_context_delete_named: Callable[[int | None, Any, int, Any], int]
    pinview_object_block_delete: Callable[[int | None, int, int | None, Any], int]
