"""The review screen over HTTP: who may, what it shows, what each answer carries."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import clear_script_prefix, reverse, set_script_prefix

from config import compiled
from labeling.models import GoldChallenge, Lease, Verdict
from labeling.worklist import take
from tests.factories import make_chunk, make_member, make_query, make_run, make_user
from tests.labeling.screens import Desk, client_of, fields_of, file_case, make_case, make_desk
from triage.models import Member, Retrieved, Role, Suggestion

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk() -> Desk:
    return make_desk()


def text(response: object) -> str:
    return response.content.decode()  # type: ignore[attr-defined]


def masked(page: str) -> str:
    """Return a page without what differs on every look: tokens, keys, times."""
    page = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "UUID", page)
    page = re.sub(r'(csrfmiddlewaretoken" value="|X-CSRFToken": ")[^"]+', r"\1CSRF", page)
    return re.sub(r'data-lease="\d+"|\d+:\d\d left', "LEASE", page)


class TestDoor:
    """Who may open the screen."""

    def test_opening_a_run_for_review_leads_to_its_first_item(self, desk: Desk) -> None:
        response = desk.client.get(f"/runs/{desk.run.key}/review/", follow=True)
        assert response.redirect_chain[-1][0] == desk.url(1)
        assert "Why did this answer fail?" in text(response)

    def test_it_needs_a_login(self, desk: Desk) -> None:
        response = Client().get(desk.url())
        assert response.status_code == 302
        assert response["Location"].startswith("/login/")

    def test_F48_an_open_page_whose_login_is_gone_is_told_401(self, desk: Desk) -> None:
        assert Client().post(desk.url(), {}, headers={"HX-Request": "true"}).status_code == 401

    def test_a_stranger_finds_nothing(self, desk: Desk) -> None:
        stranger = client_of(make_member(make_run().project))
        for url in (desk.url(), desk.url(1, "beyond/"), f"/sessions/{desk.session.key}/review/"):
            assert stranger.get(url).status_code == 404
        for step in ("", "skip/", "hold/", "challenge/"):
            assert stranger.post(desk.url(1, step), {}).status_code == 404

    def test_a_viewer_may_not_review(self, desk: Desk) -> None:
        viewer = client_of(make_member(desk.run.project, Role.VIEWER))
        assert viewer.get(desk.url()).status_code == 403

    def test_a_session_for_named_people_is_closed_to_other_reviewers_but_not_to_leads(self, desk: Desk) -> None:
        desk.session.reviewers.add(make_member(desk.run.project, Role.REVIEWER))
        assert desk.client.get(desk.url()).status_code == 403
        assert client_of(make_member(desk.run.project, Role.LEAD)).get(desk.url()).status_code == 200

    def test_F49_a_reviewer_removed_while_the_form_is_open_gets_404_and_saves_nothing(self, desk: Desk) -> None:
        form = desk.form()
        Member.objects.filter(user=desk.reviewer).delete()
        assert desk.send({**form, "label": "still_wrong"}).status_code == 404
        assert not Verdict.objects.exists()

    def test_F49_a_run_deleted_while_the_form_is_open_gets_404(self, desk: Desk) -> None:
        form = desk.form()
        desk.run.delete()
        assert desk.send({**form, "label": "still_wrong"}).status_code == 404

    def test_an_item_that_is_not_there_is_404(self, desk: Desk) -> None:
        assert desk.client.get(desk.url(99)).status_code == 404


class TestBlind:
    """Must show 6: nothing of the machine or of others before the first save."""

    def test_P44_two_runs_that_differ_only_in_the_machines_word_have_the_same_blind_page(self, desk: Desk) -> None:
        before = desk.client.get(desk.url())
        Suggestion.objects.update(label="still_wrong", value=None, reasons=["another reason"], near=True)
        query = desk.run.queries.order_by("position").first()
        assert query is not None
        query.judge_scores.update(value=0.9871, label="contradicted")
        query.metrics.delete()
        after = desk.client.get(desk.url())
        assert masked(text(before)) == masked(text(after))
        assert set(before.headers) == set(after.headers)

    def test_P44_no_page_neighbour_header_or_swap_of_a_blind_item_names_what_the_machine_said(self, desk: Desk) -> None:
        looks = [
            desk.client.get(desk.url()),
            desk.client.get(desk.url(), headers={"HX-Request": "true"}),
            desk.client.get(desk.url(1, "beyond/"), headers={"HX-Request": "true"}),
            desk.client.get(f"/sessions/{desk.session.key}/review/", follow=True),
            desk.client.post(desk.url(1, "hold/"), {"token": desk.form()["token"]}),
            desk.send({**desk.form(), "label": "", "note": ""}, swap=True),
        ]
        for look in looks:
            whole = text(look) + str(look.headers)
            for word in ("0.31", "feedbeef", "sharp-judge", "unreachable</", "Machine", "Judge:", "not reached"):
                assert word not in whole, word

    def test_P44_what_another_person_said_is_not_on_the_page(self, desk: Desk) -> None:
        page = masked(text(desk.client.get(desk.url())))
        query = desk.run.queries.order_by("position").first()
        Verdict.objects.create(
            query=query,
            reviewer=make_user(),
            label="not_a_failure",
            note="plainly right",
            blind=True,
            idempotency_key=uuid4(),
        )
        again = masked(text(desk.client.get(desk.url())))
        assert page == again

    def test_the_machines_word_stands_beside_ones_own_after_the_save(self, desk: Desk) -> None:
        response = desk.save(label="still_wrong", swap=True)
        page = text(response)
        assert response.status_code == 200
        assert "Keep or change?" in page
        assert "Labels differ" in page
        assert "Test 1 fired: context recall 0.31 &lt; 0.50" in page
        assert "policy feedbeef" in page
        assert Verdict.objects.get().blind

    def test_the_item_after_a_reveal_is_blind_again(self, desk: Desk) -> None:
        desk.save(label="still_wrong")
        page = text(desk.save(swap=True))
        assert "item 2 of 2" in page
        assert "Machine" not in page
        assert "0.31" not in page


class TestSave:
    """What a save answers with."""

    def test_without_javascript_a_blind_save_redirects_to_the_reveal_and_keep_to_the_next_item(
        self, desk: Desk
    ) -> None:
        first = desk.save(label="still_wrong")
        assert first.status_code == 302
        assert first["Location"] == desk.url(1)
        assert "Keep or change?" in text(desk.client.get(desk.url(1)))
        kept = desk.save()
        assert kept["Location"] == desk.url(2)
        assert list(Verdict.objects.order_by("pk").values_list("label", "stage", "blind")) == [
            ("still_wrong", "first", True),
            ("still_wrong", "revised", False),
        ]

    def test_keep_answers_with_the_next_card_itself_and_its_address(self, desk: Desk) -> None:
        desk.save(label="still_wrong")
        response = desk.save(swap=True)
        page = text(response)
        assert response["HX-Push-Url"] == desk.url(2)
        assert page.count("<html") == 0
        assert 'id="item"' in page
        assert 'id="bar" hx-swap-oob="true"' in page
        assert "<strong>1</strong> of 2" in page
        assert "Saved <time" in page

    def test_change_opens_the_form_with_what_was_said(self, desk: Desk) -> None:
        desk.save(label="still_wrong", **{"sub-still_wrong": "wrong_gold", "note": "see slot 2"})
        page = text(desk.client.get(desk.url(1) + "?change=1"))
        form = fields_of(page)
        assert (form["label"], form["sub-still_wrong"], form["note"]) == ("still_wrong", "wrong_gold", "see slot 2")
        assert "Save &amp; next" in page
        desk.send({**form, "label": "retrieval_miss"})
        assert Verdict.objects.get(is_current=True).label == "retrieval_miss"

    @pytest.mark.parametrize("label", ["retr", ""])
    def test_P53_a_label_that_is_not_in_the_codebook_and_no_label_at_all_are_400(self, desk: Desk, label: str) -> None:
        response = desk.save(label=label)
        assert response.status_code == 400
        assert "Not saved." in text(response)
        assert not Verdict.objects.exists()

    def test_P47_what_was_typed_stands_in_the_form_of_a_refused_save(self, desk: Desk) -> None:
        form = desk.form()
        claim = next(name for name in form if name.startswith("evidence-")).removeprefix("evidence-")
        said = {"label": "retr", "note": "typed for minutes", f"claim-{claim}": "unsure", f"evidence-{claim}": "2"}
        again = fields_of(text(desk.send({**form, **said})))
        assert (again["note"], again[f"claim-{claim}"], again[f"evidence-{claim}"]) == (
            "typed for minutes",
            "unsure",
            "2",
        )

    def test_F47_an_old_page_is_told_what_stands_and_can_say_it_again(self, desk: Desk) -> None:
        old = desk.form()
        desk.send({**old, "label": "still_wrong"})
        stale = desk.send({**old, "label": "retrieval_miss", "key": str(uuid4())}, swap=True)
        assert stale.status_code == 409
        assert "It stands as “Still wrong”; this page says “Retrieval miss”" in text(stale)
        desk.send({**fields_of(text(stale)), "label": "retrieval_miss"})
        assert Verdict.objects.get(is_current=True).label == "retrieval_miss"

    def test_F46_the_same_post_twice_is_one_verdict_and_the_same_answer(self, desk: Desk) -> None:
        form = {**desk.form(), "label": "still_wrong"}
        first, second = desk.send(form, swap=True), desk.send(form, swap=True)
        assert (first.status_code, second.status_code) == (200, 200)
        assert "Keep or change?" in text(second)
        assert Verdict.objects.count() == 1

    def test_F45_an_item_that_went_to_somebody_else_keeps_the_note_on_the_page(self, desk: Desk) -> None:
        form = desk.form()
        Lease.objects.filter(position=1).update(expires_at="2020-01-01T00:00:00Z")
        take(desk.session, make_member(desk.run.project, Role.REVIEWER).pk)
        response = desk.send({**form, "label": "still_wrong", "note": "ten minutes of thought"})
        assert response.status_code == 409
        page = text(response)
        assert "somebody else has this item now" in page
        assert "ten minutes of thought" in page
        assert "Next item" in page
        assert not Verdict.objects.exists()

    def test_a_label_against_the_own_marks_is_asked_about_once(self, desk: Desk) -> None:
        form = desk.form()
        claim = next(name for name in form if name.startswith("evidence-")).removeprefix("evidence-")
        first = desk.send({**form, "label": "still_wrong", f"claim-{claim}": "unsupported"})
        assert first.status_code == 422
        assert "Label and marks disagree." in text(first)
        assert "your label is “Still wrong”: Evidence, support and relevance hold" in text(first)
        again = fields_of(text(first))
        assert again["insists"] == "1"
        assert desk.send(again).status_code == 302
        assert Verdict.objects.get().conflicts

    def test_F24_a_note_with_a_nul_character_is_refused_and_no_500(self, desk: Desk) -> None:
        assert desk.save(label="still_wrong", note="a\0b").status_code == 400

    def test_a_form_without_its_key_is_400(self, desk: Desk) -> None:
        assert desk.send({"label": "still_wrong"}).status_code == 400


class TestMoves:
    """Skip, undo, back, hold, challenge, what the prompt did not hold."""

    def test_a_skip_goes_on_and_the_item_does_not_come_back(self, desk: Desk) -> None:
        token = desk.form()["token"]
        response = desk.client.post(desk.url(1, "skip/"), {"token": token, "reason": "not my field"})
        assert response["Location"] == desk.url(2)
        desk.save(2, label="still_wrong")
        end = desk.client.get(f"/sessions/{desk.session.key}/review/")
        assert "Only items you skipped are left" in text(end)
        back = desk.client.post(f"/sessions/{desk.session.key}/review/requeue/")
        assert back["Location"] == desk.url(1)

    def test_undo_shows_the_item_again_filled_in_and_open(self, desk: Desk) -> None:
        desk.save(label="still_wrong", note="n")
        response = desk.client.post(f"/sessions/{desk.session.key}/review/undo/", headers={"HX-Request": "true"})
        form = fields_of(text(response))
        assert (form["label"], form["note"], form["seen"]) == ("still_wrong", "n", "")
        assert "Taken back." in text(response)
        assert not Verdict.objects.filter(is_current=True).exists()

    def test_undo_with_nothing_to_undo_says_so(self, desk: Desk) -> None:
        response = desk.client.post(f"/sessions/{desk.session.key}/review/undo/", headers={"HX-Request": "true"})
        assert "Nothing to undo." in text(response)

    def test_back_shows_the_item_saved_before(self, desk: Desk) -> None:
        desk.save(label="still_wrong")
        assert desk.client.get(desk.url(2, "back/"))["Location"] == desk.url(1)
        swap = desk.client.get(desk.url(2, "back/"), headers={"HX-Request": "true"})
        assert swap["HX-Push-Url"] == desk.url(1)
        assert "Keep or change?" in text(swap)

    def test_the_heartbeat_renews_and_says_when_the_item_is_gone(self, desk: Desk) -> None:
        token = desk.form()["token"]
        assert desk.client.post(desk.url(1, "hold/"), {"token": token}).json()["seconds_left"] > 14 * 60
        assert desk.client.post(desk.url(1, "hold/"), {"token": str(uuid4())}).status_code == 409

    def test_a_challenge_names_a_chunk_by_its_slot_and_is_kept_once(self, desk: Desk) -> None:
        said = {"kind": "wrong_chunk", "chunk": "1", "why": "it is about another plan"}
        for _ in range(2):
            response = desk.client.post(desk.url(1, "challenge/"), said, headers={"HX-Request": "true"})
            assert response.status_code == 200
            assert "a lead decides it" in text(response)
        challenge = GoldChallenge.objects.get()
        first = desk.run.queries.order_by("position").first()
        assert first is not None
        slot = first.retrieved.get(rank=1)
        assert challenge.proposal == {"add": [], "remove": [slot.chunk.key], "reference": None}
        assert (challenge.state, challenge.raised_by) == ("open", desk.reviewer)

    def test_a_challenge_of_a_chunk_that_does_not_exist_is_refused(self, desk: Desk) -> None:
        response = desk.client.post(desk.url(1, "challenge/"), {"kind": "missing_chunk", "chunk": "no such"})
        assert response.status_code == 422
        assert "nor the id of a chunk" in text(response)
        assert not GoldChallenge.objects.exists()

    def test_what_the_prompt_did_not_hold_is_loaded_on_demand(self, desk: Desk) -> None:
        query = desk.run.queries.order_by("position").first()
        assert query is not None
        further, unseen = make_chunk(desk.run, text="further down"), make_chunk(desk.run, text="never retrieved text")
        Retrieved.objects.create(query=query, rank=9, chunk=further, in_context=False)
        query.gold = [unseen.key, "an id without a text"]
        query.save()
        page = text(desk.client.get(desk.url()))
        assert '1 candidate</strong> <span class="muted">rank 9; none is gold' in page
        assert "2 gold chunks never retrieved" in page
        assert "never retrieved text" not in page
        beyond = text(desk.client.get(desk.url(1, "beyond/"), headers={"HX-Request": "true"}))
        assert "further down" in beyond
        assert "never retrieved text" in beyond
        assert "The file gave only the id of this chunk" in beyond

    def test_F52_an_empty_queue_says_who_has_the_rest_and_until_when(self) -> None:
        desk = make_desk(items=1)
        take(desk.session, make_member(desk.run.project, Role.REVIEWER).pk)
        page = text(desk.client.get(f"/sessions/{desk.session.key}/review/"))
        assert "The rest is with other reviewers" in page
        assert "1 being reviewed by others" in page
        assert "<time datetime=" in page

    def test_a_finished_queue_says_so(self) -> None:
        desk = make_desk(items=1)
        desk.save(label="still_wrong")
        assert "All items are read" in text(desk.save(swap=True))


class TestText:
    """Imported text is text."""

    def test_markup_in_imported_text_is_shown_and_never_run(self) -> None:
        run = make_run()
        evil = "<script>alert(1)</script><b>x</b>"
        query = make_case(run, question=evil, answer=evil, reference=evil, slices={evil: evil}, claims=0)
        query.retrieved.first().chunk.__class__.objects.filter(retrieved__query=query).update(text=evil, title=evil)
        desk = make_desk(items=0, run=run)
        page = text(desk.client.get(desk.url()))
        assert "<script>alert" not in page
        assert page.count("&lt;script&gt;alert(1)") >= 6

    def test_unseen_directions_are_spelled_out_and_count_as_one_code_point(self) -> None:
        run = make_run()
        make_case(run, answer="a\u202eb\r\nc", claims=0)
        desk = make_desk(items=0, run=run)
        page = text(desk.client.get(desk.url()))
        assert '<span class="apart" data-points="1">⟦U+202E⟧</span>' in page
        assert 'b<span class="apart" data-points="1"></span>\nc' in page

    def test_an_answer_that_was_never_produced_and_an_unknown_retrieval_are_named(self) -> None:
        run = make_run()
        make_case(run, chunks=0, claims=0, answer=None, retrieval_known=False)
        page = text(make_desk(items=0, run=run).client.get(f"/runs/{run.key}/review/", follow=True))
        assert "No answer was produced." in page
        assert "The file does not say what was retrieved." in page

    def test_F32_a_very_long_text_is_cut_and_can_be_shown_whole(self) -> None:
        run = make_run()
        make_case(run, answer="x" * 30_000, claims=0)
        desk = make_desk(items=0, run=run)
        assert "x" * 20_001 not in text(desk.client.get(desk.url()))
        assert "x" * 30_000 in text(desk.client.get(desk.url() + "?whole=1"))


class TestCitations:
    """A citation in the answer leads to what it names."""

    ANSWER = "Free<b> [1]. Paid [doc 2; 9] 🙂²."

    def test_it_links_to_its_chunk_and_says_in_words_when_it_names_none(self) -> None:
        run = make_run()
        make_case(run, answer=self.ANSWER, chunks=2, claims=2)
        page = text(make_desk(items=0, run=run).client.get(f"/runs/{run.key}/review/", follow=True))
        assert '<a class="cite" href="#chunk-1">[1]<span class="vh"> chunk 1</span></a>' in page
        assert '<a class="cite" href="#chunk-2">doc 2<span class="vh"> chunk 2</span></a>' in page
        assert '<a class="cite" href="#chunk-2">²<span class="vh"> chunk 2</span></a>' in page
        assert '<span class="cite adrift">9<small>fabricated: not in the prompt</small></span>' in page
        assert "Free<b>" not in page

    def test_the_page_of_the_query_links_to_the_slots_too(self) -> None:
        run = make_run()
        make_case(run, answer=f"{self.ANSWER} [<i>x1]", chunks=2, claims=2)
        page = text(make_desk(items=0, run=run).client.get(f"/runs/{run.key}/queries/1/"))
        assert '<a class="cite" href="#slot-1">[1]<span class="vh"> rank 1</span></a>' in page
        assert "9<small>fabricated: not in the prompt</small>" in page
        assert "[&lt;i&gt;x1]" in page

    def test_one_that_a_claim_cuts_through_is_still_one(self) -> None:
        run = make_run()
        make_case(run, answer="It is free [doc. 2]. Really.", chunks=2, claims=3)
        page = text(make_desk(items=0, run=run).client.get(f"/runs/{run.key}/review/", follow=True))
        assert '<span class="cite">[doc.</span>' in page
        assert '<a class="cite" href="#chunk-2">2]<span class="vh"> chunk 2</span></a>' in page

    def test_a_whole_document_is_unverifiable(self) -> None:
        run = make_run()
        chunks = [make_chunk(run, document="plans.md"), make_chunk(run, document="plans.md")]
        make_query(run, chunks, answer="It is free [plans.md].")
        page = text(make_desk(items=0, run=run).client.get(f"/runs/{run.key}/review/", follow=True))
        assert "[plans.md]<small>whole document: unverifiable</small>" in page


@pytest.mark.parametrize("judged", [False, True])
def test_a_card_costs_the_same_statements_however_much_it_shows(
    django_assert_max_num_queries: Callable[..., object], judged: bool
) -> None:
    for chunks, answer in ((2, "One. Two."), (30, "One. Two. Three. Four. Five. Six. Seven. Eight. Nine. Ten.")):
        run = make_run()
        file_case(make_case(run, chunks=chunks, answer=answer, claims=99))
        desk = make_desk(items=0, run=run)
        if judged:
            desk.save(label="still_wrong")
        desk.client.get(desk.url())
        with django_assert_max_num_queries(18):
            desk.client.get(desk.url())


def test_a_save_that_answers_with_the_next_card_stays_within_its_statements(
    django_assert_max_num_queries: Callable[..., object],
) -> None:
    desk = make_desk(items=2)
    desk.save(label="still_wrong")
    form = desk.form()
    with django_assert_max_num_queries(28):
        assert "item 2 of 2" in text(desk.send(form, swap=True))


@pytest.mark.parametrize("prefix", ["/", "/below/"])
def test_the_addresses_of_an_item_are_those_of_its_pages(prefix: str) -> None:
    set_script_prefix(prefix)
    try:
        places = compiled._places("g8wrrsp4aw", 31)
        assert places == {name: reverse(name, args=["g8wrrsp4aw", 31]) for name in compiled.PLACES}
        assert compiled._url("home") == reverse("home") == prefix
    finally:
        clear_script_prefix()
