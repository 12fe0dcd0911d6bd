"""Every public member of a language has its counterpart in the other two, or docs/parity.md says
why not.
"""

import unittest
from unittest import mock

import members
import parity


class Parity(unittest.TestCase):
    def test_everyPublicMemberHasItsCounterpartOrAReason(self):
        _, problems = parity.table()
        self.assertEqual(problems, [], "\n" + "\n".join(problems) + "\n" + parity.ADVICE)

    def test_thePageIsUpToDate(self):
        self.assertEqual(
            parity.PAGE.read_text(encoding="utf-8"),
            parity.page(),
            "docs/parity.md is old: run python3 Tests/Distribution/parity.py --write",
        )

    def test_aNewMemberOfOneLanguageIsFound(self):
        functions, fields, constants = members.c_members()
        new = {
            "Swift": ("swift_members", members.swift_members() | {"ManagedObjectContext.newThing"}, "ManagedObjectContext.newThing"),
            "C": ("c_members", (functions | {"pinview_context_new_thing"}, fields, constants), "pinview_context_new_thing"),
            "Python": ("python_members", members.python_members() | {"Context.new_thing"}, "Context.new_thing"),
        }
        for language, (function, result, name) in new.items():
            with self.subTest(language), mock.patch.object(members, function, return_value=result):
                self.assertEqual(parity.table()[1], [f"{language}: {name}"])

    def test_aCounterpartThatIsGoneIsFound(self):
        with mock.patch.object(members, "python_members", return_value=members.python_members() - {"Context.refresh_all"}):
            self.assertTrue(any("Context.refresh_all" in problem for problem in parity.table()[1]))

    def test_theMembersOfEachLanguageAreSeen(self):
        swift, (functions, fields, constants), python = members.swift_members(), members.c_members(), members.python_members()
        for name in (
            "ManagedObject.changedValues",
            "FetchRequest.fetchLimit",
            "MergePolicy.rollback",
            "PinviewNotificationCenter.Observer",
            "Value.string",
        ):
            self.assertIn(name, swift)
        self.assertNotIn("ManagedObject.state", swift)
        self.assertIn("pinview_context_save", functions)
        self.assertIn("pinview_fetch_request.limit", fields)
        self.assertIn("PINVIEW_FETCH_OMITS_VALUES", constants)
        for name in (
            "Context.save",
            "Context.merge_policy",
            "Attribute.preserves_value_in_history_on_deletion",
            "MergePolicy.ERROR",
            "observe",
        ):
            self.assertIn(name, python)
        self.assertNotIn("Context._execute", python)


if __name__ == "__main__":
    unittest.main()
