"""The release note as people read it: its sentences, tables and footer. No number is made here."""

from __future__ import annotations

from labeling.core.figures import Figure
from labeling.core.note import JudgeUsed, Metric, Paired, Population, ReleaseNote
from labeling.core.release_note import CORRECTED, NO_DRAW, TOTAL, ClassRow, largest_class
from labeling.core.tables import (
    Cell,
    Column,
    Document,
    Listing,
    Missing,
    Paragraph,
    Section,
    Table,
    Text,
    joined,
    number,
    percent,
    points,
    span,
    spelled,
)

Pieces = tuple[Cell | str, ...]


def document(note: ReleaseNote) -> Document:
    """Return the note as it is read."""
    sections = [Section("Failure classes", (classes(note), Paragraph(_under_classes(note), small=True)))]
    if note.sub_causes:
        among = Paragraph((_among(note),), small=True)
        sections.append(Section("What people found inside the classes", (_sub_causes(note), among)))
    if note.paired:
        sections.append(Section(f"Query by query since {_flat(note.previous)}", _query_by_query(note, note.paired)))
    quality = _quality(note) if note.quality else Paragraph(("Nothing is measured yet.",))
    sections.append(Section("Quality", (quality, Paragraph(_under_quality(note), small=True))))
    checks = tuple(Paragraph((_verdict(check.ok), " ", Text(check.detail))) for check in note.closure)
    sections.append(Section("Closure checks", (Listing(checks),)))
    title = Paragraph(("Release ", Text(note.release or note.name), ": where answers fail"))
    return Document(title, Paragraph(_lead(note)), tuple(sections), _foot(note))


def _flat(name: str) -> str:
    """A section's title is ours; a name in it may only hold letters that mean nothing in any format."""
    return "".join(letter for letter in name if letter.isalnum() or letter in " .-+") or "the previous release"


def _verdict(ok: bool) -> Text:
    return Text("Pass" if ok else "Fault", strong=True)


def _figure(figure: Figure | None, places: int = 3) -> Pieces:
    if figure is None or figure.value is None:
        reason = str(figure.undefined) if figure and figure.undefined else "no query decided"
        return (Missing(reason),)
    interval = span(figure.low, figure.high, places)
    pieces: Pieces = (Text(spelled(figure.value, places), strong=True),)
    return pieces if isinstance(interval, Missing) else (*pieces, " (", interval, ")")


def _lead(note: ReleaseNote) -> Pieces:
    people = note.population
    share = percent(people.failing / people.queries) if people.queries else Missing("no queries")
    pieces: Pieces = (
        Text(f"{spelled(people.failing)} of {spelled(people.queries)} queries fail", strong=True),
        " (",
        share,
        "), accuracy ",
        *_figure(note.accuracy),
        ".",
    )
    if note.paired and note.paired.accuracy:
        change = note.paired.accuracy
        pieces += (" The change since ", Text(note.previous), " is ", Text(str(note.paired.decision), strong=True))
        pieces += (": ", points(change.difference))
        if change.low is not None and change.high is not None:
            pieces += (
                f" ({spelled(change.low * 100, 1, signed=True)} to {spelled(change.high * 100, 1, signed=True)})",
            )
        pieces += (f", {spelled(change.n)} queries paired.",)
    return (*pieces, *_largest(note))


def _largest(note: ReleaseNote) -> Pieces:
    row = largest_class(note.table)
    if row is None:
        return ()
    label = Text(row.label, code=True, strong=True)
    if row.corrected is None:
        return (" The largest class is ", label, f", {row.automatic} of {note.population.failing} by the machine.")
    interval = span(row.low, row.high, 1)
    words = f", {spelled(row.corrected, 1)} of {note.population.failing} after review ("
    return (" The largest class is ", label, words, interval, ").")


def classes(note: ReleaseNote) -> Table:
    """Return the class table as people read it."""
    table = note.table
    of_previous = f"{_flat(note.previous)}, {table.previous_of}" if table.previous_of else "Previous"
    columns = (
        Column("Class"),
        Column("Automatic", is_number=True),
        Column("Reviewed", is_number=True),
        Column("Confirmed", is_number=True),
        Column("Corrected", is_number=True),
        Column("95 % interval", is_number=True),
        Column(f"Share, {table.share_of}", is_number=True),
        Column(of_previous, is_number=True),
        Column("Change of share", is_number=True),
        Column("Owner"),
    )
    rows = tuple(_class_row(row, table.previous_of) for row in table.all_rows)
    return Table(columns, rows, frozenset({len(table.rows)}))


def _class_row(row: ClassRow, previous_of: str) -> tuple[Cell, ...]:
    label = Text("Total", strong=True) if row.label == TOTAL else Text(row.label, code=True)
    strong = row.label == TOTAL
    places = 1 if previous_of == CORRECTED or row.is_outside else 0
    return (
        label,
        number(row.automatic, reason=row.state("automatic"), strong=strong),
        number(row.reviewed, reason=row.state("reviewed"), strong=strong),
        number(row.confirmed, reason=row.state("confirmed"), strong=strong),
        number(row.corrected, 1, reason=row.state("corrected"), strong=True),
        span(row.low, row.high, 1, reason="" if strong else row.state("interval")),
        percent(row.share, reason=row.state("share")),
        number(row.previous, places, reason=row.state("previous")),
        points(row.change, reason="" if strong else row.state("change")),
        Text(row.owner),
    )


def _under_classes(note: ReleaseNote) -> Pieces:
    pieces: Pieces = (Text(note.drawn), " ", Text(note.audited))
    if note.why_not_comparable:
        pieces += (" ", Text(note.why_not_comparable))
    return pieces


def _among(note: ReleaseNote) -> str:
    among = max(row.among for row in note.sub_causes)
    if not among:
        return "Counted, not extrapolated: there is no random draw."
    return f"Extrapolated to the {spelled(among)} queries of the strata that were read far enough."


def _sub_causes(note: ReleaseNote) -> Table:
    columns = (
        Column("Class"),
        Column("Sub-cause"),
        Column("Confirmed", is_number=True),
        Column("Corrected", is_number=True),
        Column("95 % interval", is_number=True),
        Column("Owner"),
    )
    rows = tuple(
        (
            Text(row.label, code=True),
            Text(row.sub_cause, code=True) if row.sub_cause else Missing("none chosen"),
            number(row.confirmed),
            number(row.corrected, 1, reason=NO_DRAW),
            span(row.low, row.high, 1, reason=NO_DRAW),
            Text(row.owner),
        )
        for row in note.sub_causes
    )
    return Table(columns, rows)


def _query_by_query(note: ReleaseNote, paired: Paired) -> tuple[Table | Paragraph, ...]:
    columns = (
        Column("Automatic class"),
        *(Column(title, is_number=True) for title in (_flat(note.previous), "Left", "New", "Stayed", "Now")),
    )
    rows = [row for row in note.table.rows if row.automatic is not None] if note.table.previous_of else []
    body = tuple(_moves_row(row) for row in (*rows, note.table.total))
    return Table(columns, body, frozenset({len(body) - 1})), Paragraph(_under_pairs(paired), small=True)


def _moves_row(row: ClassRow) -> tuple[Cell, ...]:
    moves, is_total = row.moves, row.label == TOTAL
    left, stayed, new = len(moves.fixed) + len(moves.moved), len(moves.persisting), len(moves.new)
    label = Text("Failing", strong=True) if is_total else Text(row.label, code=True)
    return (label, *(number(count, strong=is_total) for count in (left + stayed, left, new, stayed, new + stayed)))


def _under_pairs(paired: Paired) -> Pieces:
    words = f"Paired on {spelled(paired.n)} queries by id and question."
    if paired.only_now or paired.only_before:
        words += f" Unpaired: {spelled(paired.only_now)} only here, {spelled(paired.only_before)} only there."
    if paired.differing:
        words += f" Not paired because the question changed: {spelled(paired.differing)}."
    if paired.changed_class is not None:
        words += f" Stayed failing in another class: {spelled(paired.changed_class)}."
    if paired.accuracy:
        words += f" McNemar exact p {spelled(paired.accuracy.p, 4)}."
    if paired.mix:
        words += f" Stuart-Maxwell p {spelled(paired.mix.p, 4)} (df {paired.mix.degrees})."
    return (words,)


def _quality(note: ReleaseNote) -> Table:
    columns = (
        Column("Metric"),
        Column("Value", is_number=True),
        Column("95 % interval", is_number=True),
        Column("n", is_number=True),
        Column("Target"),
    )
    return Table(columns, tuple(_quality_row(metric, note.recall_k) for metric in note.quality))


def _quality_row(metric: Metric, recall_k: str) -> tuple[Cell, ...]:
    title = f"{metric.title} {recall_k}".strip() if metric.key == "context_recall" else metric.title
    target = f"{spelled(metric.target, 3)} {metric.against_target}" if metric.target is not None else "none set"
    reason = ", ".join(reason.replace("_", " ") for reason in metric.left_out) or "no value"
    return (
        Text(title),
        number(metric.value, 3, reason=reason, strong=True),
        span(metric.low, metric.high, 3, reason="no interval"),
        number(metric.n),
        Text(target.strip()),
    )


def _under_quality(note: ReleaseNote) -> Pieces:
    n = f", n {spelled(note.accuracy_after.n)}" if note.accuracy_after else ""
    pieces: Pieces = ("Accuracy after review ", *_figure(note.accuracy_after), f"{n}.")
    left_out = [
        f"{metric.title} without {spelled(sum(metric.left_out.values()))} ("
        + ", ".join(f"{spelled(n)} {reason.replace('_', ' ')}" for reason, n in metric.left_out.items())
        + ")"
        for metric in note.quality
        if metric.left_out
    ]
    return (*pieces, " Left out: ", Text("; ".join(left_out)), ".") if left_out else pieces


def _by_match(people: Population) -> str:
    if not people.by_match:
        return ""
    return f"Correct or not by match with the reference, the machine's word: {spelled(people.by_match)}. "


def _foot(note: ReleaseNote) -> tuple[Paragraph, ...]:
    people = note.population
    counts = (
        f"N {spelled(people.queries)}: {spelled(people.failing)} failing, {spelled(people.correct)} correct, "
        f"{spelled(people.undecided)} undecided. {_by_match(people)}Agreement on the labels: people with people "
    )
    agreement: Pieces = (
        counts,
        *_figure(note.people),
        f", n {note.people.n}; people with the machine ",
        *_figure(note.machine),
        f", n {note.machine.n}.",
    )
    judges = joined([piece for judge in note.judges for piece in (_judge(judge),)], "; ") or ("none",)
    versions: Pieces = ("Policy ", Text(note.policy, code=True), ". Judges: ", *judges, f". Gold v{note.gold_version}.")
    where: Pieces = (
        "Project ",
        Text(note.project),
        ", pipeline ",
        Text(note.pipeline) if note.pipeline else Missing("not named"),
        ", evaluation set ",
        Text(note.evaluation_set) if note.evaluation_set else Missing("not named"),
        ", run ",
        Text(note.run, code=True),
        ".",
    )
    return Paragraph(agreement, small=True), Paragraph(versions, small=True), Paragraph(where, small=True)


def _judge(judge: JudgeUsed) -> Text:
    parts = [judge.name, judge.model, judge.revision, judge.prompt_hash and f"prompt {judge.prompt_hash[:8]}"]
    compared = f"{judge.trust}, compared {judge.compared_on}" if judge.compared_on else judge.trust
    return Text(f"{' '.join(filter(None, parts))} ({judge.task}) at {spelled(judge.threshold, 3)}, {compared}")
