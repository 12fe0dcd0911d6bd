"""Makes docs/parity.md, which lists the counterparts of every member in Swift, C and Python, from
the sources and parity.txt.

usage: parity.py            prints members that have neither counterparts nor a reason
       parity.py --write    writes docs/parity.md
"""

import fnmatch
import re
import sys
from collections import defaultdict

import members
from support import ROOT

HERE = ROOT / "Tests" / "Distribution"
TABLE = HERE / "parity.txt"
PAGE = ROOT / "docs" / "parity.md"
LANGUAGES = ("Swift", "C", "Python")
NONE = "–"

# Types that are each other's counterpart: members with the same name (in the language's spelling)
# are found by themselves. For C the beginning of the names of functions and constants, or a struct.
TYPES = [
    ("ManagedObjectContext", "pinview_context_", "Context"),
    ("QueryGenerationState", "PINVIEW_QUERY_GENERATION_", "QueryGenerationState"),
    ("QueryGenerationToken", "pinview_token_", "QueryGenerationToken"),
    ("ManagedObjectContextConcurrencyType", "PINVIEW_CONCURRENCY_", "Concurrency"),
    ("ManagedObject", "pinview_object_", "ManagedObject"),
    ("ManagedObjectID", "pinview_object_id_", "ObjectID"),
    ("PersistentContainer", "pinview_container_", "Container"),
    ("PersistentStoreCoordinator", "pinview_coordinator_", "Coordinator"),
    ("PersistentStore", "pinview_store_", "Store"),
    ("SQLCursor", "pinview_sql_cursor_", "SQLCursor"),
    ("ManagedObjectModel", "pinview_model_", "Model"),
    ("Entity", "pinview_entity_", "EntityInfo"),
    ("Property", "pinview_property.", "Property"),
    ("EntityDescription", "pinview_model_builder_", "Entity"),
    ("AttributeDescription", "pinview_attribute_description.", "Attribute"),
    ("AttributeType", "PINVIEW_ATTRIBUTE_", ""),
    ("RelationshipDescription", "pinview_relationship_description.", "Relationship"),
    ("DeleteRule", "PINVIEW_DELETE_", ""),
    ("FetchIndexDescription", "", "Index"),
    ("FetchedPropertyDescription", "", "FetchedProperty"),
    ("EntityHooks", "pinview_entity_hooks.", "EntityHooks"),
    ("FetchRequest", "pinview_fetch_request.", "FetchRequest"),
    ("FetchRequestResultType", "PINVIEW_RESULT_", ""),
    ("FetchResult", "pinview_result_", "FetchResult"),
    ("PinviewSortDescriptor", "pinview_sort_descriptor.", "Sort"),
    ("PinviewSortDescriptor.Comparator", "PINVIEW_COMPARATOR_", "Comparator"),
    ("FetchExplanation", "", "FetchExplanation"),
    ("AsynchronousFetchResult", "pinview_asynchronous_fetch_", "AsynchronousFetch"),
    ("PinviewPredicate", "pinview_predicate_", "Predicate"),
    ("PredicateOperator", "PINVIEW_OPERATOR_", ""),
    ("PredicateModifier", "PINVIEW_MODIFIER_", ""),
    ("PredicateOptions", "PINVIEW_COMPARE_", ""),
    ("PinviewExpression", "pinview_expression_", "Expression"),
    ("ColumnStream", "ArrowArrayStream.", "Columns"),
    ("ColumnBatch", "ArrowArray.", "ColumnBatch"),
    ("Column", "", "Column"),
    ("BatchInsertRequest", "pinview_batch_insert.", "BatchInsertRequest"),
    ("BatchUpdateRequest", "pinview_batch_update.", "BatchUpdateRequest"),
    ("BatchDeleteRequest", "", "BatchDeleteRequest"),
    ("BatchResultType", "", "BatchResult"),
    ("UndoManager", "pinview_undo_manager_", "UndoManager"),
    ("MergePolicy", "PINVIEW_MERGE_POLICY_", "MergePolicy"),
    ("MergeConflict", "pinview_conflict.", "Conflict"),
    ("MergeResolution", "pinview_merge_", ""),
    ("PersistentHistoryChangeRequest", "pinview_history_request.", ""),
    ("PersistentHistoryTransaction", "pinview_history_transaction.", "HistoryTransaction"),
    ("PersistentHistoryChange", "pinview_history_change.", "HistoryChange"),
    ("PersistentHistoryChangeType", "PINVIEW_HISTORY_", "HistoryChangeType"),
    ("PersistentHistoryToken", "pinview_history_token_", "HistoryToken"),
    ("PersistentStoreRemoteChange", "pinview_remote_change.", "RemoteChange"),
    ("GenerationDifference", "pinview_difference_", "GenerationDifference"),
    ("GenerationChange", "pinview_generation_change.", "GenerationChange"),
    ("PinviewNotification", "pinview_notification_", "Notification"),
    ("FetchedResultsController", "pinview_results_controller_", "FetchedResultsController"),
    ("FetchedResultsControllerDelegate", "pinview_results_callbacks.", ""),
    ("FetchedResultsChangeType", "PINVIEW_RESULTS_CHANGE_", "ResultsChange"),
    ("FetchedResultsSectionInfo", "pinview_results_section.", "ResultsSection"),
    ("PinviewIndexPath", "pinview_index_path.", "IndexPath"),
    ("JournalReport", "pinview_journal_report_ pinview_journal_store.", "JournalReport"),
    ("JournalReport.Generation", "pinview_journal_generation.", "JournalGeneration"),
    ("JournalReport.Context", "pinview_journal_context.", "JournalContext"),
    ("JournalReport.Process", "pinview_journal_process.", "JournalProcess"),
    ("JournalReport.Counters", "pinview_journal_store.", "JournalCounters"),
    ("JournalReport.ReadMark", "", "ReadMark"),
    ("JournalEvent", "pinview_journal_event.", "JournalEvent"),
    ("MainQueue", "pinview_main_queue_", "MainQueue"),
    ("PinviewError", "pinview_error_", "Error"),
]
_PYTHON_ONLY_WORDS = ("is_", "set_", "get_", "create_")


def key(name):
    """A name as all languages would spell it."""
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
    while True:
        shorter = snake
        for word in _PYTHON_ONLY_WORDS:
            shorter = shorter.removeprefix(word)
        if shorter == snake or not shorter:
            return snake.replace("_", "")
        snake = shorter


def everything():
    functions, fields, constants = members.c_members()
    return {"Swift": members.swift_members(), "C": functions | fields | constants, "Python": members.python_members()}


def _owner(name, owners, separator=""):
    """The longest of the owners that a name begins with."""
    fitting = [each for each in owners if each and name.startswith(each)]
    return max(fitting, key=len, default=None)


def found_alike(names):
    """Rows of members that have the same name in languages whose types are counterparts."""
    c_owners = [owner for _, c, _ in TYPES for owner in c.split()]
    c_by_owner = defaultdict(set)
    for name in names["C"]:
        owner = _owner(name, c_owners)
        if owner:
            c_by_owner[owner].add(name)
    rows = []
    for swift, c, python in TYPES:
        groups = defaultdict(lambda: {language: set() for language in LANGUAGES})
        for name in names["Swift"]:
            if swift and name.rpartition(".")[0] == swift:
                groups[key(name.rpartition(".")[2])]["Swift"].add(name)
        for owner in c.split():
            for name in c_by_owner[owner]:
                groups[key(name[len(owner) :])]["C"].add(name)
        for name in names["Python"]:
            if name.rpartition(".")[0] in python.split():
                groups[key(name.rpartition(".")[2])]["Python"].add(name)
        rows += [(group["Swift"], group["C"], group["Python"], "") for group in groups.values()]
    return rows


def written(names, alike=()):
    """The rows of parity.txt: members of each language, which may be patterns, and a note; and what
    is wrong with them.

    A pattern stands for those that are not in the rows that were found alike.
    """
    complete = [set(), set(), set()]
    for row in alike:
        if all(row[:3]):
            for place in range(3):
                complete[place] |= row[place]
    rows, problems, prefixes = [], [], ["", "", ""]
    for number, line in enumerate(TABLE.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("@"):
            prefixes = [cell.strip() for cell in line[1:].split("|")]
            prefixes[0], prefixes[2] = prefixes[0] + ".", prefixes[2] + "."
            continue
        cells = [
            " ".join(prefix + word[1:] if prefix and word.startswith(".") else word for word in cell.split())
            for prefix, cell in zip([*prefixes, ""], line.split("|", 3))
        ]
        if len(cells) != 4:
            problems.append(f"parity.txt:{number} has {len(cells)} cells, not four: Swift | C | Python | note")
            continue
        row = []
        for place, (language, cell) in enumerate(zip(LANGUAGES, cells)):
            found = set()
            for word in cell.split():
                if word == NONE:
                    continue
                fitting = {name for name in names[language] if fnmatch.fnmatchcase(name, word)} if "*" in word else {word} & names[language]
                if "*" in word:
                    fitting, any_fitting = fitting - complete[place], fitting
                else:
                    any_fitting = fitting
                if not any_fitting:
                    problems.append(f"parity.txt:{number} names {word}, which {language} does not have (any more)")
                found |= fitting
            row.append(found)
        if not all(row) and not cells[3]:
            missing = ", ".join(language for language, cell in zip(LANGUAGES, row) if not cell)
            problems.append(f"parity.txt:{number} has nothing for {missing}, and no reason")
        rows.append((*row, cells[3], cells))
    return rows, problems


def table():
    """The rows of the page, and what is missing."""
    names = everything()
    pairs = found_alike(names)
    by_hand, problems = written(names, pairs)
    said = [set().union(*(row[place] for row in by_hand)) if by_hand else set() for place in range(3)]
    rows, known = [], [set(cell) for cell in said]
    for row in pairs:
        if all(row[:3]) and any(row[place] - said[place] for place in range(3)):
            rows.append((*row[:3], "", None))
            for place in range(3):
                known[place] |= row[place]
    # Types themselves stand in the headings; a type needs no row of its own where it is a
    # counterpart.
    for swift, c, python in TYPES:
        known[0].add(swift)
        known[2].update(python.split())
    alike = {}
    for row in pairs:
        for place in range(3):
            for name in row[place]:
                alike[LANGUAGES[place], name] = row
    for place, language in enumerate(LANGUAGES):
        for name in sorted(names[language] - known[place]):
            row = alike.get((language, name))
            others = [
                f"{LANGUAGES[other]} has {', '.join(sorted(row[other]))}" for other in range(3) if row and other != place and row[other]
            ]
            problems.append(f"{language}: {name}" + (f" ({'; '.join(others)})" if others else ""))
    return rows + by_hand, problems


ADVICE = (
    "Each public member needs its counterpart in the other languages, or a reason why one has none. Add the missing member; members of the "
    "same name in counterpart types (TYPES in Tests/Distribution/parity.py) are found by themselves. Otherwise add a line to "
    "Tests/Distribution/parity.txt: Swift | C | Python | note, with – and a reason for a language that has none. Then run "
    "python3 Tests/Distribution/parity.py --write."
)


def _shown(cell):
    return "<br>".join(f"`{name}`" for name in sorted(cell)) or NONE


def page():
    rows, _ = table()
    by_type = defaultdict(list)
    order = list(dict.fromkeys(swift for swift, _, _ in TYPES))
    for row in rows:
        swift = sorted(row[0])
        home = swift[0].rpartition(".")[0] if swift else ""
        if row[4] is not None and len({name.rpartition(".")[0] for name in row[0]}) != 1:
            home = ""
        by_type[home if home in order else ""].append(row)
    lines = [
        "# Swift, C and Python side by side",
        "",
        "Generated by `python3 Tests/Distribution/parity.py --write` from the sources and from",
        "`Tests/Distribution/parity.txt`. A test fails if a public member of one language has neither",
        "counterparts in the others nor a reason here.",
        "",
    ]
    for home in [*order, ""]:
        if not by_type[home]:
            continue
        lines += [f"## {home or 'Everything else'}", "", "| Swift | C | Python | |", "| --- | --- | --- | --- |"]
        for row in sorted(by_type[home], key=lambda row: [sorted(cell) for cell in row[:3]]):
            if row[4] is not None:
                cells = ["<br>".join(f"`{word}`" if word != NONE else NONE for word in cell.split()) or NONE for cell in row[4][:3]]
            else:
                cells = [_shown(cell) for cell in row[:3]]
            lines.append(f"| {' | '.join(cells)} | {row[3]} |")
        lines.append("")
    return "\n".join(lines)


def main():
    rows, problems = table()
    if "--write" in sys.argv:
        PAGE.write_text(page(), encoding="utf-8")
    for problem in problems:
        print(problem)
    print(f"{len(rows)} rows, {len(problems)} to do")
    if problems:
        print(ADVICE)
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
