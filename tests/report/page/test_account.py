from lowdim.report.page.account import script_section, steps_section


def test_steps_are_a_list_with_their_times_and_run_nothing():
    section = steps_section("Done", "So.", ["one", "<b>two</b>"], {"reading": 1.25, "fit": 0.1})
    body = str(section.body)
    assert "<li>one</li><li>&lt;b&gt;two&lt;/b&gt;</li>" in body
    assert "Time: reading 1.2 s, fit 0.1 s." in body


def test_the_script_can_be_copied():
    section = script_section("x = 1 < 2", "the models")
    assert "gives the models of this page again" in section.lead
    assert "x = 1 &lt; 2" in str(section.body)
    assert [script.name for script in section.scripts] == ["copy"]
