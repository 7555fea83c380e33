"""The journal: one row for every change people or programs make, written in the transaction of the change itself.

A verb calls `note` once, with what the object was and what it is now. Who and from where is known already
(`core.acting`). No text that came with a file and no secret goes in: names people gave, roles, counts, keys.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User

from triage.core.acting import actor
from triage.models import Change, Project

#: Longer texts are cut: the journal says that something changed, not all of it.
TEXT_CHARS = 300
#: More entries of a list or an object than this are counted instead.
ENTRIES = 60


def note(
    action: str,
    project: Project | int | None,
    key: object,
    *,
    old: object = None,
    new: object = None,
    by: User | int | None = None,
) -> None:
    """Write one row: `action` is object.verb (`run.renamed`), `key` names the object within its kind.

    `by` is for changes whose author is known better by the verb than by the door, such as a new account.
    """
    who = actor()
    user_id = by.pk if isinstance(by, User) else by
    Change.objects.create(
        project_id=project.pk if isinstance(project, Project) else project,
        user_id=who.user_id if user_id is None else user_id,
        who=_name(by, who.user_id) or who.name,
        via=who.via,
        place=who.place[:80],
        action=action,
        key=str(key)[:TEXT_CHARS],
        old=plain(old),
        new=plain(new),
    )


def changed(
    action: str, project: Project | int | None, key: object, old: Mapping[str, object], new: Mapping[str, object]
) -> None:
    """Write one row with the fields that differ, and none where nothing does."""
    fields = [name for name in new if old.get(name) != new[name]]
    if fields:
        note(
            action, project, key, old={name: old.get(name) for name in fields}, new={name: new[name] for name in fields}
        )


def _name(by: User | int | None, acting_id: int | None) -> str:
    """Return the name of an author that the door does not know."""
    if by is None or by == acting_id:
        return ""
    if isinstance(by, User):
        return by.get_username()
    return str(User.objects.filter(pk=by).values_list("username", flat=True).first() or "")


def plain(value: object) -> object:
    """Return the value as JSON of bounded size: long texts cut, large collections counted."""
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Mapping):
        if len(value) > ENTRIES:
            return {"entries": len(value)}
        return {str(name)[:TEXT_CHARS]: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return {"entries": len(value)} if len(value) > ENTRIES else [plain(each) for each in value]
    return str(value).replace("\0", "\ufffd")[:TEXT_CHARS]
