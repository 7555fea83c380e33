from __future__ import annotations

import pytest
from django.db import InterfaceError, OperationalError
from django.test import Client

pytestmark = pytest.mark.django_db


def test_a_page_sends_whoever_is_not_logged_in_to_the_log_in_page(client: Client) -> None:
    answer = client.get("/p/some-project/members/")
    assert (answer.status_code, answer.headers["Location"]) == (302, "/login/?next=/p/some-project/members/")


@pytest.mark.parametrize("method", ["get", "post"])
def test_SEC08_a_part_of_an_open_page_is_told_that_the_log_in_is_gone(client: Client, method: str) -> None:
    answer = getattr(client, method)("/p/some-project/members/", headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert "Location" not in answer.headers
    assert "HX-Redirect" not in answer.headers  # following it would lose what was typed


def test_F11_a_database_that_is_away_is_a_503_and_any_other_fault_a_500(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.raise_request_exception = False
    for fault, expected in ((OperationalError("gone"), 503), (InterfaceError("closed"), 503), (ValueError("bug"), 500)):

        def _fails(*_: object, fault: Exception = fault) -> None:
            raise fault

        monkeypatch.setattr("triage.views.people.open_invitation", _fails)
        answer = client.get("/join/any/")
        assert answer.status_code == expected
        assert answer.headers.get("Retry-After") == ("5" if expected == 503 else None)
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
