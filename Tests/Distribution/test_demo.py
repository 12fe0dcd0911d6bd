"""make demo: the pinned view stands still, and the demo would notice if it did not."""

import os
import pty
import subprocess
import sys

from support import BUILD, DIST, ROOT, TemporaryFolderTestCase

FEED = ROOT / "Examples" / "earthquakes.geojson"
PROGRAMS = {
    "C": [BUILD / "examples" / "quakes"],
    "Python": [sys.executable, ROOT / "Examples" / "quakes" / "quakes.py"],
}
# Two features as the USGS gives them: a region only as a part of the place, one without magnitude.
USGS_FEED = """{"type": "FeatureCollection", "metadata": {"title": "USGS All Earthquakes"}, "features": [
{"type": "Feature", "id": "ci1", "properties": {"mag": 1.27, "place": "9 km NE of Aguanga, CA", "time": 1699999000120, "felt": null},
 "geometry": {"type": "Point", "coordinates": [-116.8, 33.5, 14.2]}},
{"type": "Feature", "id": "ci2", "properties": {"mag": null, "place": null, "time": 1699998000120},
 "geometry": {"type": "Point", "coordinates": [-116.8, 33.5, 14.2]}},
{"type": "Feature", "id": "us3", "properties": {"mag": 4.5, "place": "south of the Fiji Islands", "time": 1699998000120},
 "geometry": {"type": "Point", "coordinates": [178.1, -24.5, 550]}}]}"""


class Demo(TemporaryFolderTestCase):
    def environment(self):
        return {
            **os.environ,
            "TMPDIR": str(self.folder),
            "TERM": "xterm",
            "PYTHONPATH": str(ROOT / "bindings" / "python"),
            "PINVIEW_LIBRARY": str(DIST / "lib" / "libpinview.so.0"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def demo(self, language, *arguments, output=subprocess.PIPE):
        return subprocess.run(
            [*PROGRAMS[language], *map(str, arguments)],
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.PIPE,
            text=True,
            timeout=300,
            check=False,
        )

    def assert_nothing_is_left_behind(self):
        self.assertEqual(
            [path.name for path in self.folder.iterdir() if path.name.startswith("pinview-")],
            [],
        )

    def test_pinnedViewStandsStillAndTheOtherMoves(self):
        for language in PROGRAMS:
            with self.subTest(language=language):
                result = self.demo(language, "--seconds", 3, FEED)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                rows = [line.split("│") for line in result.stdout.splitlines() if line.startswith("│") and line[3:5].strip().isdigit()]
                self.assertEqual(len(rows), 3)
                self.assertEqual(len({row[2] for row in rows}), 1)
                self.assertGreater(len({row[3] for row in rows}), 1)
                for word in (
                    "inserted",
                    "revised",
                    "deleted",
                    "journal after the release",
                ):
                    self.assertIn(word, result.stdout)
                self.assert_nothing_is_left_behind()

    def test_withoutAPinTheDemoFails(self):
        for language in PROGRAMS:
            with self.subTest(language=language):
                result = self.demo(language, "--unpinned", "--seconds", 2, FEED)
                self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
                self.assertIn("The pinned view moved.", result.stdout)
                self.assert_nothing_is_left_behind()

    def test_readsFeedsOfTheUSGS(self):
        feed = self.folder / "feed.geojson"
        feed.write_text(USGS_FEED)
        for language in PROGRAMS:
            with self.subTest(language=language):
                result = self.demo(language, "--seconds", 1, feed)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                self.assertIn("2 earthquakes", result.stdout)

    def test_saysWhatIsWrongWithTheFeed(self):
        wrong = self.folder / "wrong.geojson"
        wrong.write_text('{"features": [')
        for language in PROGRAMS:
            for feed in (wrong, self.folder / "missing.geojson"):
                with self.subTest(language=language, feed=feed.name):
                    result = self.demo(language, "--seconds", 1, feed)
                    self.assertEqual(result.returncode, 2)
                    self.assertRegex(result.stderr, rf"^quakes: [^\n]*{feed.name}[^\n]*\n$")
                    self.assert_nothing_is_left_behind()

    def test_coloursAreForTerminalsOnly(self):
        for language in PROGRAMS:
            with self.subTest(language=language):
                self.assertNotIn("\033", self.demo(language, "--seconds", 1, FEED).stdout)
                self.assertIn("\033[1;32m", self.on_a_terminal(language))

    def on_a_terminal(self, language):
        controller, terminal = pty.openpty()
        with os.fdopen(controller, "rb", buffering=0) as screen:
            program = subprocess.Popen(
                [*PROGRAMS[language], "--seconds", "1", str(FEED)],
                env=self.environment(),
                stdin=subprocess.DEVNULL,
                stdout=terminal,
            )
            os.close(terminal)
            shown = b""
            try:
                while block := screen.read(4096):
                    shown += block
            except OSError:  # the other end of the terminal was closed
                pass
            self.assertEqual(program.wait(timeout=60), 0)
        return shown.decode()

    def test_dataIsAtLeast60EarthquakesWithUniqueCodes(self):
        sys.path.insert(0, str(ROOT / "Examples" / "quakes"))
        self.addCleanup(sys.path.pop, 0)
        import feed

        quakes = feed.read_feed(str(FEED))
        self.assertGreaterEqual(len(quakes), 60)
        self.assertEqual(len({quake.code for quake in quakes}), len(quakes))
        self.assertTrue(all(-90 <= quake.latitude <= 90 and -180 <= quake.longitude <= 180 for quake in quakes))
        self.assertTrue(all(0 <= quake.depth < 700 and 0 < quake.magnitude < 10 for quake in quakes))
