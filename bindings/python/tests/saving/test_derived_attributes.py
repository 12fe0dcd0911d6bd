"""MDL-11: attributes that the store computes."""

from __future__ import annotations

import pathlib

import pytest

import pinview
from pinview import Attribute, Entity, Relationship


def _model(count: str = "items.@count") -> pinview.Model:
    return pinview.Model(
        [
            Entity(
                "Order",
                attributes=[
                    Attribute("title", "string"),
                    Attribute("key", "string", derivation_expression="canonical:(title)"),
                    Attribute("count", "integer32", derivation_expression=count),
                ],
                relationships=[Relationship("items", "Item", "order", to_many=True, delete_rule="cascade")],
            ),
            Entity("Item", attributes=[Attribute("name", "string")], relationships=[Relationship("order", "Order", "items")]),
        ]
    )


def test_mdl_11_values_follow_saves_and_cannot_be_set(tmp_path: pathlib.Path) -> None:
    with pinview.Coordinator(_model()) as coordinator:
        coordinator.add_store(tmp_path / "orders.sqlite")
        with pinview.Context(coordinator) as context, pinview.Context(coordinator) as other:
            order = context.insert("Order", title="Éclair")
            context.insert("Item", name="a", order=order)
            context.save()
            assert (order.key, order.count) == ("eclair", 1)
            seen = other.fetch("Order")[0]
            assert seen.count == 1
            context.insert_many("Item", {"name": ["b", "c"], "order": [order, order]})
            context.save()
            assert order.count == 3
            other.refresh(seen)
            assert seen.count == 3
            assert [row["count"] for row in other.fetch_dictionaries("Order", ["count"], "key == 'eclair'")] == [3]
            with pytest.raises(pinview.Error, match=r"Order\.count is derived by"):
                order.count = 5
            with pytest.raises(pinview.Error, match=r"Order\.key is derived by"):
                context.insert("Order", key="x")


def test_mdl_11_an_expression_that_cannot_be_kept_current_leaves_no_file(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "orders.sqlite"
    with pinview.Coordinator(_model("items")) as coordinator, pytest.raises(pinview.Error, match="cannot be kept current"):
        coordinator.add_store(path)
    assert not path.exists()
