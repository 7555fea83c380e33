"""The codebook by version, and notes that become sub-causes."""

from __future__ import annotations

import pytest

from labeling.codebook import CodebookError, add_sub_cause, codebook_of, retire_sub_cause
from labeling.models import Outcome, Verdict
from labeling.review import categorise, noted, saturation
from labeling.worklist import take
from tests.factories import make_member, make_project, make_run
from tests.labeling.screens import Desk, client_of, make_desk
from triage.core.labels import CODEBOOK_VERSION
from triage.models import Role

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk(items=3)


class TestVersions:
    """P48: categories change, old verdicts keep their version."""

    def test_a_project_without_changes_has_the_codebook_we_ship(self) -> None:
        codebook = codebook_of(make_project())
        assert codebook.version == CODEBOOK_VERSION
        assert codebook.has("retrieval_miss", "unreachable")
        assert codebook.has("retrieval_miss", "")
        assert not codebook.has("retrieval_miss", "wrong_gold")

    def test_P48_a_new_sub_cause_is_a_new_version_and_old_verdicts_keep_theirs(self, desk: Desk) -> None:
        before = desk.save(1, label="retrieval_miss")
        assert before.status_code == 302
        add_sub_cause(desk.run.project, None, "retrieval_miss", "wrong_language", "The gold is in another language.")
        desk.save(2, label="retrieval_miss", **{"sub-retrieval_miss": "wrong_language"})
        rows = Verdict.objects.filter(stage="first").order_by("pk").values_list("codebook_version", "sub_cause")
        assert list(rows) == [(CODEBOOK_VERSION, ""), (CODEBOOK_VERSION + 1, "wrong_language")]

    def test_other_stays_last_and_the_new_one_is_offered_on_the_screen(self, desk: Desk) -> None:
        add_sub_cause(desk.run.project, None, "still_wrong", "stale_price", "An old price.")
        assert codebook_of(desk.run.project).names("still_wrong")[-2:] == ("stale_price", "other")
        assert "Stale price" in desk.client.get(desk.url()).content.decode()

    def test_F49_a_sub_cause_retired_while_the_form_was_open_is_refused_with_a_sentence(self, desk: Desk) -> None:
        add_sub_cause(desk.run.project, None, "still_wrong", "stale_price", "An old price.")
        form = desk.form()
        retire_sub_cause(desk.run.project, None, "still_wrong", "stale_price")
        response = desk.send({**form, "label": "still_wrong", "sub-still_wrong": "stale_price", "note": "kept"})
        assert response.status_code == 400
        assert "does not belong to the label" in response.content.decode()
        assert "kept</textarea>" in response.content.decode()

    @pytest.mark.parametrize(("label", "name"), [("retr", "x_y"), ("still_wrong", "No Good"), ("still_wrong", "other")])
    def test_a_name_that_is_none_or_taken_is_refused(self, label: str, name: str) -> None:
        with pytest.raises(CodebookError):
            add_sub_cause(make_project(), None, label, name, "d")

    def test_our_own_sub_causes_are_not_retired(self) -> None:
        with pytest.raises(CodebookError):
            retire_sub_cause(make_project(), None, "still_wrong", "wrong_gold")


class TestNotes:
    """P49: notes first, categories later."""

    def test_P49_ticked_notes_become_a_label_with_the_note_as_the_reason(self, desk: Desk) -> None:
        for position in (1, 2):
            desk.save(position, note=f"the plan page is old {position}")
        lead = make_member(desk.run.project, Role.LEAD)
        notes = list(noted(desk.run))
        assert [note.note for note in notes] == ["the plan page is old 1", "the plan page is old 2"]
        assert categorise(desk.run, lead, [notes[0].pk], "still_wrong", "superseded_document") == 1
        outcome = Outcome.objects.get(query=notes[0].query)
        assert (outcome.state, outcome.label, outcome.sub_cause) == ("final", "still_wrong", "superseded_document")
        assert [note.pk for note in noted(desk.run)] == [notes[1].pk]
        assert take(desk.session, desk.reviewer.pk).position == 3  # type: ignore[union-attr]

    def test_P49_the_saturation_counter_says_how_many_of_the_last_brought_something_new(self) -> None:
        desk = make_desk(items=5)
        for position, label in enumerate(("still_wrong", "still_wrong", "retrieval_miss", "still_wrong"), 1):
            desk.save(position, label=label)
        found = saturation(desk.run)
        assert (found.new, found.last, found.read) == (2, 4, 4)


class TestPages:
    """Over HTTP."""

    def test_everybody_reads_a_lead_adds_and_retires(self, desk: Desk) -> None:
        url = f"/p/{desk.run.project.slug}/codebook/"
        page = desk.client.get(url).content.decode()
        assert "Under half of the gold chunks reached the prompt." in page
        assert "Add a sub-cause" not in page
        said = {"label": "still_wrong", "name": "stale_price", "definition": "An old price."}
        assert desk.client.post(url, said).status_code == 403
        client = client_of(make_member(desk.run.project, Role.LEAD))
        assert client.post(url, said)["Location"] == url
        assert "stale_price" in client.get(url).content.decode()
        assert client.post(url, said).status_code == 422
        client.post(f"{url}retire/", {"label": "still_wrong", "name": "stale_price"})
        assert codebook_of(desk.run.project).version == CODEBOOK_VERSION + 2

    def test_a_lead_turns_notes_into_a_sub_cause(self, desk: Desk) -> None:
        desk.save(note="an old price")
        client = client_of(make_member(desk.run.project, Role.LEAD))
        url = f"/runs/{desk.run.key}/notes/"
        assert "an old price" in client.get(url).content.decode()
        note = noted(desk.run).get()
        client.post(url, {"note": [str(note.pk)], "becomes": "still_wrong/superseded_document"})
        assert Verdict.objects.get(stage="adjudicated").note == "an old price"
        assert client.post(url, {"note": [str(note.pk)], "becomes": "nope/x"}).status_code == 422

    def test_strangers_find_nothing(self, desk: Desk) -> None:
        stranger = client_of(make_member(make_run().project))
        assert stranger.get(f"/p/{desk.run.project.slug}/codebook/").status_code == 404
        assert stranger.get(f"/runs/{desk.run.key}/notes/").status_code == 404
