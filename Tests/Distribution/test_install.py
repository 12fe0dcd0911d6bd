"""make install: what it puts where, and that programs find it through pkg-config."""

import os

from support import DIST, TemporaryFolderTestCase, run

PROGRAM = """#include <pinview.h>
#include <stdio.h>
int main(void) { return printf("%s\\n", PINVIEW_VERSION_STRING) < 0; }
"""


def make(*arguments):
    return run(
        "make",
        "--no-print-directory",
        *arguments,
        env={"MAKEFLAGS": "", "MAKELEVEL": "0"},
    )


class Install(TemporaryFolderTestCase):
    def test_prefixHoldsLibraryHeaderAndPkgConfigFile(self):
        prefix = self.folder / "prefix"
        make("install", f"PREFIX={prefix}")
        library = prefix / "lib"
        version = run(
            "pkg-config",
            "--modversion",
            "pinview",
            env={"PKG_CONFIG_PATH": str(library / "pkgconfig")},
        ).stdout.strip()
        found = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if not path.is_dir())
        self.assertEqual(
            found,
            [
                "include/pinview.h",
                "include/pinview_binding.h",
                "lib/libpinview.a",
                "lib/libpinview.so",
                "lib/libpinview.so.0",
                f"lib/libpinview.so.{version}",
                "lib/libpinview.so.debug",
                "lib/pkgconfig/pinview.pc",
                "share/pinview/pinview.json",
                "share/pinview/pinview.supp",
            ],
        )
        self.assertEqual(os.readlink(library / "libpinview.so"), "libpinview.so.0")
        self.assertEqual(os.readlink(library / "libpinview.so.0"), f"libpinview.so.{version}")

    def test_destdirIsPutBeforeThePrefixButNotIntoTheFiles(self):
        make("install", "PREFIX=/usr", f"DESTDIR={self.folder}")
        description = (self.folder / "usr/lib/pkgconfig/pinview.pc").read_text()
        self.assertIn("prefix=/usr\n", description)
        self.assertNotIn(str(self.folder), description)

    def test_uninstallRemovesWhatInstallPutThere(self):
        make("install", f"PREFIX={self.folder}")
        make("uninstall", f"PREFIX={self.folder}")
        self.assertEqual([str(path) for path in self.folder.rglob("*") if not path.is_dir()], [])

    def test_libraryFolderOfAnArchitecture(self):
        make(
            "install",
            "PREFIX=/usr",
            "LIBDIR=/usr/lib/some-linux",
            f"DESTDIR={self.folder}",
        )
        self.assertTrue((self.folder / "usr/lib/some-linux/libpinview.so.0").exists())
        self.assertIn(
            "libdir=/usr/lib/some-linux\n",
            (self.folder / "usr/lib/some-linux/pkgconfig/pinview.pc").read_text(),
        )

    def test_cAndCxxProgramsBuildWithPkgConfigAndRun(self):
        make("install", f"PREFIX={self.folder}")
        library = self.folder / "lib"
        flags = run(
            "pkg-config",
            "--cflags",
            "--libs",
            "pinview",
            env={"PKG_CONFIG_PATH": str(library / "pkgconfig")},
        ).stdout.split()
        for compiler, suffix in (("cc", "c"), ("c++", "cpp")):
            with self.subTest(compiler=compiler):
                source, program = (
                    self.folder / f"program.{suffix}",
                    self.folder / f"program-{suffix}",
                )
                source.write_text(PROGRAM)
                run(compiler, source, "-o", program, *flags, f"-Wl,-rpath,{library}")
                self.assertRegex(run(program).stdout, r"^\d+\.\d+\.\d+\n$")

    def test_buildFolderServesPkgConfigToo(self):
        flags = run(
            "pkg-config",
            "--cflags",
            "--libs",
            "pinview",
            env={"PKG_CONFIG_PATH": str(DIST / "lib/pkgconfig")},
        ).stdout
        self.assertIn(f"-I{DIST}/include", flags)
        self.assertIn(f"-L{DIST}/lib", flags)

    def test_describesItsTargets(self):
        described = make("help").stdout
        wanted = (
            "all",
            "demo",
            "test",
            "test-swift",
            "test-c",
            "test-python",
            "install",
            "wheel",
            "lint",
            "clean",
            "help",
            "sanitize",
        )
        self.assertEqual([name for name in wanted if f"make {name} " not in described], [])
