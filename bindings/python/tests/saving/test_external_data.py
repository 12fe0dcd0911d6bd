"""MDL-13: large data in files of their own, which a kill neither loses nor leaves behind.

PINVIEW_KILLS says how many programs are killed, PINVIEW_SEED repeats the moments.
"""

from __future__ import annotations

import hashlib
import os
import pathlib
import random
import subprocess
import sys
import time

import pytest

import pinview
from pinview import Attribute, Entity, inspection

_MODEL = """pinview.Model([pinview.Entity("Photo", attributes=[
    pinview.Attribute("number", "integer64"), pinview.Attribute("digest", "string"),
    pinview.Attribute("image", "binaryData", allows_external_binary_data_storage=True)])])"""
_PROGRAM = f"""
import hashlib, itertools, sys, pinview
coordinator = pinview.Coordinator({_MODEL})
coordinator.add_store(sys.argv[1])
context = pinview.Context(coordinator)
print("begun", flush=True)
for number in itertools.count():
    image = number.to_bytes(8, "little") * 20_000
    photos = list(context.fetch("Photo", sort="number"))
    if len(photos) > 4:
        context.delete(photos[0])
        photos[1].update({{"image": image, "digest": hashlib.sha256(image).hexdigest()}})
    context.insert("Photo", number=number, image=image, digest=hashlib.sha256(image).hexdigest())
    context.save()
    print(number, flush=True)
"""


def _model() -> pinview.Model:
    return pinview.Model(
        [
            Entity(
                "Photo",
                attributes=[
                    Attribute("number", "integer64"),
                    Attribute("digest", "string"),
                    Attribute("image", "binaryData", allows_external_binary_data_storage=True),
                ],
            )
        ]
    )


def _files(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted((folder / ".photos_SUPPORT" / "_EXTERNAL_DATA").glob("*"))


def _wait_for_files(folder: pathlib.Path, count: int) -> None:
    """Waits for the library's thread, which deletes files after pins have ended."""
    deadline = time.monotonic() + 30
    while len(_files(folder)) != count and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(_files(folder)) == count


def test_mdl_13_a_killed_program_leaves_every_row_whole_and_no_file_too_many(tmp_path: pathlib.Path) -> None:
    seed = int(os.environ.get("PINVIEW_SEED", "0")) or random.randrange(1, 1 << 32)
    print(f"PINVIEW_SEED={seed}")
    numbers = random.Random(seed)
    path = tmp_path / "photos.sqlite"
    for _ in range(int(os.environ.get("PINVIEW_KILLS", "6"))):
        program = subprocess.Popen([sys.executable, "-c", _PROGRAM, str(path)], stdout=subprocess.PIPE, text=True)
        assert program.stdout is not None and program.stdout.readline() == "begun\n"
        try:
            program.wait(numbers.uniform(0.05, 0.6))
        except subprocess.TimeoutExpired:
            program.kill()
        program.communicate()
        with pinview.Coordinator(_model()) as coordinator:
            coordinator.add_store(path)
            with pinview.Context(coordinator) as context:
                photos = list(context.fetch("Photo"))
                for photo in photos:
                    assert photo.image is not None and hashlib.sha256(photo.image).hexdigest() == photo.digest
            _wait_for_files(tmp_path, len(photos))
    assert not [name for name in os.listdir(tmp_path / ".photos_SUPPORT") if name.startswith("external-pending")]


def test_mdl_13_a_pin_of_another_process_keeps_the_files_it_reads(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "photos.sqlite"
    old, new = b"1" * 200_000, b"2" * 200_000
    reader = f"""
import sys, pinview
with pinview.Coordinator({_MODEL}) as coordinator:
    coordinator.add_store(sys.argv[1])
    with pinview.Context(coordinator) as context:
        context.pin()
        assert context.count("Photo") == 1
        print("pinned", flush=True)
        sys.stdin.readline()
        print(context.fetch("Photo")[0].image[:1].decode(), flush=True)
"""
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            photo = context.insert("Photo", number=1, image=old)
            context.save()
            process = subprocess.Popen(
                [sys.executable, "-c", reader, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )  # fmt: skip
            assert process.stdout is not None and process.stdout.readline() == "pinned\n"
            photo.image = new
            context.save()
            assert len(_files(tmp_path)) == 2
            assert process.communicate("\n")[0] == "1\n"
            _wait_for_files(tmp_path, 1)
            assert photo.image == new


def _rows(context: pinview.Context) -> list[tuple[object, ...]]:
    with context.fetch_columns("Photo", ["image"]) as columns:
        return list(columns.rows())


def test_mdl_13_a_missing_file_is_an_error_that_names_it_and_other_rows_are_read(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "photos.sqlite"
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert("Photo", number=1, image=b"1" * 150_000)
            context.save()
            (file,) = _files(tmp_path)
            context.insert("Photo", number=2, image=b"2" * 150_000)
            context.save()
            file.unlink()
        with pinview.Context(coordinator) as context:
            photos = list(context.fetch("Photo", sort="number"))
            ways = [
                lambda: photos[0].image,
                lambda: photos[0]["image"],
                lambda: photos[0].values("number", "image"),
                lambda: [photo.image for photo in photos],
                lambda: context.fetch_dictionaries("Photo", ["image"]),
                lambda: _rows(context),
                lambda: list(context.fetch("Photo", "image == %@", [b"1" * 150_000])),
            ]
            for way in ways:
                with pytest.raises(pinview.Error) as caught:
                    way()
                assert "Photo.image" in str(caught.value) and file.name in str(caught.value)
                assert "p1" in str(caught.value) or "key 1" in str(caught.value)
            assert photos[0].number == 1
            assert photos[1].image == b"2" * 150_000
            rows = context.fetch_dictionaries("Photo", ["image"], "number == 2")
            assert [row["image"] for row in rows] == [b"2" * 150_000]
    summary = inspection.inspect(path)
    (entity,) = summary.entities
    samples = {each.name: each.samples for each in entity.attributes}
    assert samples["number"] == (1, 2) and samples["image"] == ()
    assert file.name in {each.name: each.problem for each in entity.attributes}["image"]


def test_mdl_13_values_columns_and_blocks_read_the_data(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "photos.sqlite"
    images = [bytes([number]) * 150_000 for number in range(3)] + [b"small"]
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(path)
        with pinview.Context(coordinator) as context:
            context.insert_many("Photo", {"number": [0, 1, 2, 3], "image": images})
            context.save()
        with pinview.Context(coordinator) as context:
            photos = list(context.fetch("Photo", sort="number"))
            assert [photo.image for photo in photos] == images
            assert [photo.values("image") for photo in photos] == [(image,) for image in images]
            rows = context.fetch_dictionaries("Photo", ["image"], sort="number")
            assert [row["image"] for row in rows] == images
    assert len(_files(tmp_path)) == 3
