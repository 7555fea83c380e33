"""Gold challenges: raised, decided by a second person, a new gold version, and what it touches."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from labeling.challenge import DecidedError, SamePersonError, decide, effects, raise_challenge, receive_challenges
from labeling.models import GoldChallenge, Lease, Verdict
from labeling.worklist import take
from tests.factories import make_chunk, make_member, make_query, make_run
from tests.labeling.screens import Desk, client_of, make_case, make_desk
from triage.models import GoldRevision, Query, Role, Run, Suggestion

pytestmark = pytest.mark.django_db


@pytest.fixture
def case() -> Query:
    """A query whose gold is its first chunk."""
    run = make_run()
    make_member(run.project, Role.LEAD)
    return make_case(run)


def lead_of(query: Query) -> User:
    return make_member(query.run.project, Role.LEAD)


def raised(query: Query, kind: str = "wrong_chunk", **fields: Any) -> GoldChallenge:
    return raise_challenge(query, make_member(query.run.project, Role.REVIEWER), kind, **{"chunk": "1", **fields})


def test_an_accepted_wrong_chunk_is_out_of_the_next_gold_version(case: Query) -> None:
    done = decide(raised(case), lead_of(case), accept=True, reason="it is about another plan")
    assert done.version == 2
    revision = GoldRevision.objects.get()
    assert (revision.gold, revision.version, revision.answerable) == ([], 2, True)
    case.refresh_from_db()
    assert case.gold, "nothing is overwritten"
    assert done.challenge.state == "accepted"


def test_versions_of_a_set_go_up_and_each_builds_on_the_accepted_one_before(case: Query) -> None:
    second = case.retrieved.get(rank=2).chunk.key
    decide(raised(case, "missing_chunk", chunk="2"), lead_of(case), accept=True)
    decide(raised(case, "wrong_chunk", chunk="1"), lead_of(case), accept=True)
    assert [(one.version, len(one.gold or [])) for one in GoldRevision.objects.order_by("version")] == [(2, 2), (3, 1)]
    assert GoldRevision.objects.get(version=3).gold == [second]


def test_a_better_reference_and_an_unanswerable_question_are_versions_too(case: Query) -> None:
    decide(raised(case, "wrong_reference", chunk="", reference="14 days"), lead_of(case), accept=True)
    assert GoldRevision.objects.get().reference == "14 days"
    decide(raised(case, "should_be_unanswerable", chunk=""), lead_of(case), accept=True)
    newest = GoldRevision.objects.get(version=3)
    assert (newest.gold, newest.answerable, newest.reference) == ([], False, "14 days")


def test_an_ambiguous_question_and_a_rejection_change_no_gold(case: Query) -> None:
    assert decide(raised(case, "ambiguous_question", chunk=""), lead_of(case), accept=True).version is None
    assert decide(raised(case), lead_of(case), accept=False).runs == ()
    assert not GoldRevision.objects.exists()


def test_who_raised_it_does_not_decide(case: Query) -> None:
    lead = lead_of(case)
    own = raise_challenge(case, lead, "wrong_chunk", chunk="1")
    with pytest.raises(SamePersonError):
        decide(own, lead, accept=True)
    assert not GoldRevision.objects.exists()


def test_the_only_lead_is_told_to_invite_another(case: Query) -> None:
    lead = lead_of(case)
    own = raise_challenge(case, lead, "wrong_chunk", chunk="1")
    address = f"/p/{case.run.project.slug}/challenges/{own.pk}/"
    page = client_of(lead).get(address).content.decode()
    assert f'/p/{case.run.project.slug}/members/">invite one</a>' in page
    assert 'value="accept"' not in page
    refused = client_of(lead).post(address, {"ruling": "accept", "reason": "mine"}, follow=True)
    assert "Invite another lead." in refused.content.decode()
    assert 'value="accept"' in client_of(lead_of(case)).get(address).content.decode()


def test_a_challenge_is_decided_once(case: Query) -> None:
    challenge = raised(case)
    decide(challenge, lead_of(case), accept=False)
    with pytest.raises(DecidedError):
        decide(challenge, lead_of(case), accept=True)


def test_every_run_of_the_set_with_this_question_is_touched_and_no_other(case: Query) -> None:
    again = make_query(make_run(case.run.project), key=case.key)
    make_query(make_run(case.run.project, evaluation_set="another"), key=case.key)
    make_query(make_run(), key=case.key)
    done = decide(raised(case), lead_of(case), accept=True)
    assert {run.pk for run in done.runs} == {case.run_id, again.run_id}


def test_verdicts_about_the_gold_come_back_to_the_queue_and_others_stay() -> None:
    desk = make_desk(items=2)
    desk.save(1, label="retrieval_miss")
    desk.save(2, label="unsupported_claims")
    for query in desk.run.queries.order_by("position"):
        decide(raised(query), lead_of(query), accept=True)
    assert list(Verdict.objects.filter(is_current=True).values_list("label", flat=True)) == ["unsupported_claims"]
    assert Verdict.objects.filter(label="retrieval_miss", withdrawn=False, gold_version=1).exists()
    seat = take(desk.session, desk.reviewer.pk)
    assert seat is not None
    assert seat.position == 1
    assert Lease.objects.get(position=2).state == "done"


def test_before_and_after_are_the_labels_under_the_old_and_the_new_gold(case: Query) -> None:
    common = {"query": case, "policy_fingerprint": "p"}
    Suggestion.objects.create(label="retrieval_miss", gold_version=1, basis="a", is_current=False, **common)
    challenge = decide(raised(case), lead_of(case), accept=True).challenge
    challenge.refresh_from_db()
    assert [(one.before, one.after, one.is_pending) for one in effects(challenge)] == [("retrieval_miss", None, True)]
    Suggestion.objects.create(label="still_wrong", gold_version=2, basis="b", **common)
    Run.objects.update(gold_version=2)
    challenge = GoldChallenge.objects.get(pk=challenge.pk)
    assert [(one.before, one.after) for one in effects(challenge)] == [("retrieval_miss", "still_wrong")]


class TestPages:
    """Over HTTP."""

    @pytest.fixture
    def desk(self) -> Desk:
        return make_desk(items=1)

    def test_a_lead_decides_and_the_run_is_classified_again(self, desk: Desk) -> None:
        desk.client.post(desk.url(1, "challenge/"), {"kind": "wrong_chunk", "chunk": "1", "why": "not there"})
        Run.objects.update(state="done")
        client = client_of(make_member(desk.run.project, Role.LEAD))
        slug, challenge = desk.run.project.slug, GoldChallenge.objects.get()
        assert "Question 1?" in client.get(f"/p/{slug}/challenges/").content.decode()
        url = f"/p/{slug}/challenges/{challenge.pk}/"
        assert "not there" in client.get(url).content.decode()
        response = client.post(url, {"ruling": "accept", "reason": "right"}, follow=True)
        assert "Accepted as gold version 2." in response.content.decode()
        desk.run.refresh_from_db()
        assert desk.run.state == "scoring"

    def test_a_reviewer_reads_it_but_does_not_decide(self, desk: Desk) -> None:
        challenge = raised(desk.run.queries.get())
        url = f"/p/{desk.run.project.slug}/challenges/{challenge.pk}/"
        assert desk.client.get(url).status_code == 200
        assert desk.client.post(url, {"ruling": "accept", "reason": "r"}).status_code == 403

    def test_a_stranger_finds_nothing(self, desk: Desk) -> None:
        challenge = raised(desk.run.queries.get())
        stranger = client_of(make_member(make_run().project))
        for url in (
            f"/p/{desk.run.project.slug}/challenges/",
            f"/p/{desk.run.project.slug}/challenges/{challenge.pk}/",
        ):
            assert stranger.get(url).status_code == 404

    def test_a_chunk_may_be_named_by_its_id(self, desk: Desk) -> None:
        chunk = make_chunk(desk.run, key="doc-7#2")
        said = {"kind": "missing_chunk", "chunk": chunk.key, "why": "it says so"}
        assert desk.client.post(desk.url(1, "challenge/"), said)["Location"] == desk.url(1)
        assert GoldChallenge.objects.get().proposal["add"] == ["doc-7#2"]


class TestReceived:
    """Challenges that came with a file."""

    def told(self, **fields: Any) -> dict[str, Any]:
        return {"kind": "missing_chunk", "add": ["b"], "remove": [], "note": "n", "reviewer": "ann", **fields}

    def test_an_open_challenge_waits_for_a_decision_here(self) -> None:
        run = make_run()
        make_query(run, gold=["a"], challenges=[self.told()])
        assert receive_challenges(run.pk) == 1
        assert receive_challenges(run.pk) == 0
        challenge = GoldChallenge.objects.get()
        assert (challenge.state, challenge.imported_reviewer, challenge.raised_by) == ("open", "ann", None)
        assert not GoldRevision.objects.exists()

    def test_an_accepted_one_brings_its_gold_version_along(self) -> None:
        run = make_run()
        make_query(run, gold=["a"], challenges=[self.told(state="accepted", gold_version=4)])
        receive_challenges(run.pk)
        revision = GoldRevision.objects.get()
        assert (revision.version, revision.gold) == (4, ["a", "b"])

    def test_what_was_decided_here_is_not_decided_again_by_a_file(self) -> None:
        run = make_run()
        query = make_query(run, gold=["a"], challenges=[self.told(state="accepted")])
        GoldRevision.objects.create(
            project=run.project, evaluation_set=run.evaluation_set, query_key=query.key, version=2, gold=["c"]
        )
        receive_challenges(run.pk)
        assert GoldRevision.objects.get().gold == ["c"]
