"""The same conformance scenarios have run through Swift, C and Python, and all three saw the same."""

import os
import unittest

from support import BUILD, ROOT

SCENARIOS = ROOT / "Tests" / "Conformance"
TRANSCRIPTS = BUILD / "results" / "conformance"
LANGUAGES = ("swift", "c", "python")


def scenarios(transcript):
    """What each scenario saw, by its title."""
    found, lines = {}, []
    for line in transcript.read_text().splitlines():
        if line.startswith("## "):
            lines = found[line] = []
        else:
            lines.append(line)
    return found


def languages_of(file):
    """The languages that each scenario of a file is for, by its title."""
    found, title = {}, ""
    for line in file.read_text().splitlines():
        word, _, rest = line.strip().partition(" ")
        if word == "scenario":
            title = f"## {file.stem}: {rest}"
            found[title] = set(LANGUAGES)
        elif word == "languages":
            found[title] = set(rest.split())
    return found


class Conformance(unittest.TestCase):
    def test_allLanguagesSeeTheSame(self):
        files = sorted(SCENARIOS.glob("*.steps"))
        self.assertTrue(files)
        newest = max(path.stat().st_mtime for path in SCENARIOS.iterdir())
        missing = [
            f"{language}.{file.stem}.txt"
            for language in LANGUAGES
            for file in files
            if not (place := TRANSCRIPTS / f"{language}.{file.stem}.txt").exists() or place.stat().st_mtime < newest
        ]
        if missing and not os.environ.get("PINVIEW_WHOLE_TEST"):
            self.skipTest(f"run make test-swift, test-c and test-python first; missing or old: {', '.join(missing)}")
        self.assertEqual(missing, [])
        compared = 0
        for file in files:
            seen = {language: scenarios(TRANSCRIPTS / f"{language}.{file.stem}.txt") for language in LANGUAGES}
            for title, languages in languages_of(file).items():
                with self.subTest(title):
                    for language in LANGUAGES:
                        self.assertEqual(language in languages, title in seen[language], f"{title} in {language}")
                    first, *others = sorted(languages)
                    for other in others:
                        self.assertEqual(seen[first][title], seen[other][title], f"{title}: {first} and {other}")
                    compared += 1
        print(f"{compared} scenarios, {', '.join(LANGUAGES)}: the same transcripts")


if __name__ == "__main__":
    unittest.main()
