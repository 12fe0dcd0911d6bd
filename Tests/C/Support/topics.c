#include "topics.h"

const test_topic *const topics[] = {
    &constants_topic, &values_topic, &errors_topic, &model_topic, &stores_topic, &tokens_topic, &travel_topic, &files_topic, &migration_topic, &core_data_migration_topic, &core_data_stores_topic, &generations_topic,
    &contexts_topic, &queues_topic, &objects_topic, &relationships_topic, &fetching_topic, &predicates_topic, &requests_topic,
    &predicate_page_topic, &hostile_topic, &results_topic, &batch_topic, &columns_topic, &blocks_topic, &history_topic, &notifications_topic, &diagnostics_topic, &freeing_topic,
    &journal_topic, &lifetimes_topic, &hooks_topic, &program_topic, &conflicts_topic, &uniqueness_topic, &composites_topic, &walk_through_topic, &examples_topic, &short_topic, &examining_topic,
    &conformance_topic, &misuse_topic, &fork_topic,
};
const size_t topic_count = sizeof topics / sizeof topics[0];
