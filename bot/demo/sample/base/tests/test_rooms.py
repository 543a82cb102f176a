import pytest

from roomwise import CapacityError, Room, choose

ROOMS = [Room("Oak", 12, frozenset({"screen", "phone"})), Room("Elm", 6, frozenset({"screen"})), Room("Ash", 6)]


@pytest.mark.parametrize(("people", "name"), [(1, "Ash"), (6, "Ash"), (7, "Oak"), (12, "Oak")])
def test_the_smallest_room_that_fits_is_chosen(people, name):
    assert choose(ROOMS, people).name == name


def test_features_narrow_the_choice():
    assert choose(ROOMS, 2, frozenset({"screen"})).name == "Elm"


def test_every_feature_is_needed():
    assert choose(ROOMS, 2, frozenset({"screen", "phone"})).name == "Oak"


def test_no_room_is_large_enough():
    with pytest.raises(CapacityError, match="no room for 13 people"):
        choose(ROOMS, 13)


def test_no_room_has_the_feature():
    with pytest.raises(CapacityError, match="with piano"):
        choose(ROOMS, 1, frozenset({"piano"}))
