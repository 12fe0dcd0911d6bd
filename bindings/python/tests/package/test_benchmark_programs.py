"""The programs of Benchmarks/Python: each runs its workload at a tiny size, with the same
results.
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[4] / "Benchmarks" / "Python"
# Peers that are always available; the others are installed for `make bench-python` only.
PEERS = ("sqlite3", "pinview")
WORKLOADS = {
    "w1-read-all": {"limit": 400},
    "w1p-columns": {"limit": 0},
    "w2-index-sorted": {},
    "w3-by-key": {"lookups": 100},
    "w4-follow": {"flights": 400},
    "w4-prefetch": {"flights": 400},
    "w5-insert": {"persons": 60, "rows": 50},
    "w5-insert-history": {"persons": 60, "rows": 50},
    "w6-update": {"persons": 60, "rows": 50},
    "w7-delete": {"persons": 60, "cars": 80, "rows": 50},
    "w8-count": {"repeats": 2},
    "w9-bulk-update": {},
    "w10-snapshot": {"repeats": 20},
    "w11-memory": {"limit": 400},
    "w12-threads": {"limit": 400},
    "w13-latency": {"reads": 20},
}


def run(program: str, *arguments: str) -> list[list[str]]:
    """The words of each line that a program prints."""
    done = subprocess.run([sys.executable, str(FOLDER / program), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [line.split() for line in done.stdout.splitlines()]


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("stores")
    run("make_store.py", "flights", str(folder / "flights.sqlite"), "--flights", "1000", "--made-up")
    run("make_store.py", "people", str(folder / "people.sqlite"), "--persons", "60", "--cars", "80")
    run("make_store.py", "people", str(folder / "history.sqlite"), "--persons", "60", "--cars", "80", "--history")
    return folder


@pytest.mark.parametrize("workload", WORKLOADS)
def test_peers_agree(workload: str, stores: pathlib.Path, tmp_path: pathlib.Path) -> None:
    checksums: dict[str, dict[str, set[str]]] = {}
    for peer in PEERS:
        own = tmp_path / peer
        own.mkdir()
        shutil.copy(stores / "flights.sqlite", own)
        shutil.copy(stores / ("history.sqlite" if "history" in workload else "people.sqlite"), own / "people.sqlite")
        parameters = [f"{name}={value}" for name, value in WORKLOADS[workload].items()]
        measures = []
        for kind, name, value in run("__main__.py", "cell", workload, peer, str(own), *parameters):
            if kind == "measure":
                measures.append(float(value))
            else:
                assert kind == "checksum"
                checksums.setdefault(name, {}).setdefault(peer, set()).add(value)
        assert measures, f"{peer} has measured nothing"
    assert workload == "w13-latency" or checksums
    for name, by_peer in checksums.items():
        assert len(set.union(*by_peer.values())) == 1, f"{name}: {by_peer}"


def test_store_is_made_once(stores: pathlib.Path) -> None:
    file = stores / "flights.sqlite"
    made = file.stat().st_mtime_ns
    run("make_store.py", "flights", str(file), "--flights", "1000", "--made-up")
    assert file.stat().st_mtime_ns == made
