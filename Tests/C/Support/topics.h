/* The topics; topics.c has the order in which they run. */
#ifndef PINVIEW_TESTS_TOPICS_H
#define PINVIEW_TESTS_TOPICS_H

#include "harness.h"

extern const test_topic *const topics[];
extern const size_t topic_count;

extern const test_topic constants_topic, values_topic, errors_topic, model_topic, stores_topic, tokens_topic, generations_topic,
    contexts_topic, queues_topic, objects_topic, relationships_topic, fetching_topic, predicates_topic, requests_topic,
    predicate_page_topic, hostile_topic, results_topic, batch_topic, columns_topic, blocks_topic, notifications_topic, diagnostics_topic, journal_topic, lifetimes_topic,
    hooks_topic,
    conflicts_topic, freeing_topic, uniqueness_topic, composites_topic, program_topic, walk_through_topic, examples_topic, misuse_topic, fork_topic, travel_topic, files_topic, migration_topic, core_data_migration_topic, core_data_stores_topic, history_topic,
    conformance_topic, short_topic, examining_topic;

/* travel.c: what this program does as the second one. */
int adopt_in_a_second_program(const char *path, const char *digits);
/* history.c: the same. */
int write_in_a_second_program(const char *path);
int starve_in_a_second_program(const char *how);
/* migration.c: the same. */
int migrate_in_a_second_program(const char *path, const char *last_step);

#endif
