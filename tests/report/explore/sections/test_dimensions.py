"""The section of the dimensions."""

from lowdim.report.explore.sections.dimensions import rank_section, rank_sentence


def with_spectrum(findings, **changed):
    return findings._replace(spectrum=findings.spectrum._replace(**changed))


def test_the_tile_is_the_rank(report):
    section = rank_section(report.findings)
    assert section.tile == ("2", "of 6 dimensions") and section.in_short
    assert set(section.figures) == {"scree", "heldout"}


def test_the_sentence_has_the_share_and_the_held_out_error(report):
    spectrum = report.findings.spectrum
    said = rank_sentence(report.findings)
    assert said.startswith("The 6 columns of numbers behave like 2 dimensions, which hold ")
    assert f"{100 * spectrum.share[:2].sum():.0f} %" in said
    assert f"error {spectrum.held_out.curve[2]:.2f}" in said


def test_both_ways_to_choose_agree_or_not(report):
    parallel = report.findings.spectrum.parallel
    same = with_spectrum(report.findings, rank=parallel.choice)
    assert "parallel analysis agrees" in rank_sentence(same)
    other = with_spectrum(report.findings, rank=parallel.choice + 1)
    assert "by parallel analysis, " in rank_sentence(other)


def test_that_no_component_predicts_is_said(report):
    said = rank_sentence(with_spectrum(report.findings, rank=0))
    assert said.startswith("No component predicts hidden values better than the column means do")


def test_models_with_another_number_of_components_are_mentioned(report):
    body = rank_section(with_spectrum(report.findings, rank=1, kept=2)).body
    assert "The models below keep 2 components, so that rows can be drawn." in body
    assert "The models below" not in rank_section(report.findings).body
