"""The section on what another start or setting changes."""

from lowdim.report.maps.sections.changes import changes_section


def test_the_largest_change_is_named(found):
    section = changes_section(found)
    least = min(found.changes, key=lambda one: one.agreement)
    assert f"{least.kind.title} with " in section.lead
    assert section.body.count("<canvas") == sum(1 + len(one.again) for one in found.changes)


def test_maps_that_do_not_depend_on_chance_have_no_such_section(found):
    assert changes_section(found._replace(changes=[])) is None
