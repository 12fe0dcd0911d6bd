"""The version constants of Core Data, as published (API-V01 to API-V40)."""

from __future__ import annotations

import pytest

from pinview import core_data_versions

PUBLISHED = [
    ("API-V02", "CORE_DATA_VERSION_NUMBER_10_10", 526.0),
    ("API-V03", "CORE_DATA_VERSION_NUMBER_10_10_2", 526.1),
    ("API-V04", "CORE_DATA_VERSION_NUMBER_10_10_3", 526.2),
    ("API-V05", "CORE_DATA_VERSION_NUMBER_10_11", 640.0),
    ("API-V06", "CORE_DATA_VERSION_NUMBER_10_11_3", 641.3),
    ("API-V07", "CORE_DATA_VERSION_NUMBER_10_4", 46.0),
    ("API-V08", "CORE_DATA_VERSION_NUMBER_10_4_3", 77.0),
    ("API-V09", "CORE_DATA_VERSION_NUMBER_10_5", 185.0),
    ("API-V10", "CORE_DATA_VERSION_NUMBER_10_5_3", 186.0),
    ("API-V11", "CORE_DATA_VERSION_NUMBER_10_6", 246.0),
    ("API-V12", "CORE_DATA_VERSION_NUMBER_10_6_2", 250.0),
    ("API-V13", "CORE_DATA_VERSION_NUMBER_10_6_3", 251.0),
    ("API-V14", "CORE_DATA_VERSION_NUMBER_10_7", 358.4),
    ("API-V15", "CORE_DATA_VERSION_NUMBER_10_7_2", 358.12),
    ("API-V16", "CORE_DATA_VERSION_NUMBER_10_7_3", 358.13),
    ("API-V17", "CORE_DATA_VERSION_NUMBER_10_7_4", 358.14),
    ("API-V18", "CORE_DATA_VERSION_NUMBER_10_8", 407.5),
    ("API-V19", "CORE_DATA_VERSION_NUMBER_10_8_2", 407.7),
    ("API-V20", "CORE_DATA_VERSION_NUMBER_10_9", 481.0),
    ("API-V21", "CORE_DATA_VERSION_NUMBER_10_9_2", 481.1),
    ("API-V22", "CORE_DATA_VERSION_NUMBER_10_9_3", 481.3),
    ("API-V23", "CORE_DATA_VERSION_NUMBER_IPHONEOS_3_0", 241.0),
    ("API-V24", "CORE_DATA_VERSION_NUMBER_IPHONEOS_3_1", 248.0),
    ("API-V25", "CORE_DATA_VERSION_NUMBER_IPHONEOS_3_2", 310.2),
    ("API-V26", "CORE_DATA_VERSION_NUMBER_IPHONEOS_4_0", 320.5),
    ("API-V27", "CORE_DATA_VERSION_NUMBER_IPHONEOS_4_1", 320.11),
    ("API-V28", "CORE_DATA_VERSION_NUMBER_IPHONEOS_4_2", 320.15),
    ("API-V29", "CORE_DATA_VERSION_NUMBER_IPHONEOS_4_3", 320.17),
    ("API-V30", "CORE_DATA_VERSION_NUMBER_IPHONEOS_5_0", 386.1),
    ("API-V31", "CORE_DATA_VERSION_NUMBER_IPHONEOS_5_1", 386.5),
    ("API-V32", "CORE_DATA_VERSION_NUMBER_IPHONEOS_6_0", 419.0),
    ("API-V33", "CORE_DATA_VERSION_NUMBER_IPHONEOS_6_1", 419.1),
    ("API-V34", "CORE_DATA_VERSION_NUMBER_IPHONEOS_7_0", 479.1),
    ("API-V35", "CORE_DATA_VERSION_NUMBER_IPHONEOS_7_1", 479.3),
    ("API-V36", "CORE_DATA_VERSION_NUMBER_IPHONEOS_8_0", 519.0),
    ("API-V37", "CORE_DATA_VERSION_NUMBER_IPHONEOS_8_3", 519.15),
    ("API-V38", "CORE_DATA_VERSION_NUMBER_IPHONEOS_9_0", 640.0),
    ("API-V39", "CORE_DATA_VERSION_NUMBER_IPHONEOS_9_2", 641.4),
    ("API-V40", "CORE_DATA_VERSION_NUMBER_IPHONEOS_9_3", 641.6),
]


@pytest.mark.parametrize(("row", "name", "value"), PUBLISHED, ids=[row for row, _, _ in PUBLISHED])
def test_a_constant_has_its_published_value(row: str, name: str, value: float) -> None:
    assert getattr(core_data_versions, name) == value, row


def test_api_v01_the_library_version_is_the_greatest() -> None:
    names = [name for name in core_data_versions.__all__ if name != "CORE_DATA_VERSION_NUMBER"]
    assert sorted(names) == sorted(name for _, name, _ in PUBLISHED)
    assert all(getattr(core_data_versions, name) < core_data_versions.CORE_DATA_VERSION_NUMBER for name in names)
