"""The judge page: stored figures as lines, tables and places of pictures. Reads rows; computes no statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.db.models import Exists, OuterRef

from labeling.calibrate.correct import has_threshold
from labeling.calibrate.items_page import readable
from labeling.calibrate.lines import LabelsPart, RateLine, SweepLine, labels_part, line, rate_lines
from labeling.calibrate.run import items_of, runs_with
from labeling.calibrate.words import FIGURES, FIGURES_OF_ALL, KIND_WORDS, NO_TAKES_IN, SIDES
from labeling.core.figure_line import FigureLine
from labeling.core.items import Item, worst_first
from labeling.core.meanings import OF_A_JUDGE, OF_ALL, Meaning
from labeling.core.reliability import Sigmoid
from labeling.core.trust import FRESH_DAYS, Trust
from labeling.models import Calibration
from labeling.models.calibrations import KIND_OF
from triage.core import charts
from triage.core.judging import Task
from triage.core.pictures import Axis, axis, share_axis
from triage.models import Judge, Project, Run, Score

TONES = {Trust.CALIBRATED: "ok", Trust.STALE: "warn", Trust.TOO_FEW: "warn", Trust.UNCALIBRATED: "warn"}
DISAGREEMENTS = 20
SIGNED = axis(-1.0, 1.0, (-1.0, 0.0, 1.0), places=0)
PERCENT_SCORES = (0.1, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, slots=True)
class JudgePage:
    """Everything the page prints."""

    project: Project
    judge: Judge
    kind: str
    yes: str
    no: str
    no_takes_in: str
    trust: Trust
    tone: str
    trust_words: str
    calibration: Calibration | None
    stale_after: date | None
    runs: int
    #: The newest classified run with a word of this judge, where its threshold decides what is supported.
    try_on: Run | None
    history: tuple[Calibration, ...]
    share: Axis
    figures: Mapping[str, Any]
    test: tuple[FigureLine, ...]
    everything: tuple[FigureLine, ...]
    in_all: tuple[FigureLine, ...]
    agreement: tuple[FigureLine, ...]
    curve: charts.ThresholdCurve | None
    sweep: tuple[SweepLine, ...]
    suggested: float | None
    diagram: charts.Reliability | None
    bins: Sequence[Mapping[str, Any]]
    chances: tuple[tuple[float, float], ...]
    slices: tuple[tuple[str, str, int, FigureLine], ...]
    labels: LabelsPart | None
    rates: tuple[RateLine, ...]
    #: Those this person may read, and how many there are with the others.
    disagreements: tuple[Item, ...]
    disagreements_readable: int
    disagreements_in_all: int
    signed: Axis
    on_test: SweepLine | None

    @property
    def matrices(self) -> tuple[tuple[str, Matrix, str], ...]:
        """Return the test split and all labels: title, counts, and what a link to its items adds."""
        parts = (("Test split", "test", "&split=test"), ("All labels", "all", ""))
        return tuple((title + self.at, Matrix.of(self.figures[part]), split) for title, part, split in parts)

    @property
    def figure_tables(self) -> tuple[tuple[str, tuple[FigureLine, ...]], ...]:
        """Return the figures of the test split and of all labels, and of what nobody read where that differs."""
        read = ((f"Test split{self.at}", self.test), (f"All labels{self.at}", self.everything))
        return (*read, ("Read or not", self.in_all)) if self.in_all else read

    @property
    def meanings(self) -> tuple[Meaning, ...]:
        """Return what each figure of the page says."""
        return (*OF_A_JUDGE, OF_ALL) if self.in_all else OF_A_JUDGE

    @property
    def at(self) -> str:
        """Say at which threshold the figures are; blank for a voice that gives no scores."""
        return f", at {self.judge.threshold:.3f}" if self.has_threshold else ""

    @property
    def has_threshold(self) -> bool:
        """Say whether a threshold decides the judge's word."""
        return has_threshold(self.judge)

    @property
    def curve_words(self) -> str:
        """Say what the curve shows to those who do not see it."""
        chosen = f"; highest at {self.suggested:.3f}" if self.suggested is not None else ""
        return (
            f"Balanced accuracy on the dev split by threshold, with its 95 % band{chosen}. The numbers are beside it."
        )

    @property
    def curve_caption(self) -> str:
        """Say what the curve rests on."""
        return (
            f"Dev split, {self.figures['sweep_n']:,} scores of {self.figures['dev']['queries']:,} queries; every "
            "distinct score is a threshold. Chosen: highest balanced accuracy, ties to the higher TNR. "
            "Band: 95 %, MOVER."
        )


@dataclass(frozen=True, slots=True)
class Matrix:
    """The four cells with their sums."""

    tp: int
    fp: int
    fn: int
    tn: int

    @classmethod
    def of(cls, part: Mapping[str, Any]) -> Matrix:
        """Read the cells of one part of the figures."""
        return cls(**part["confusion"])

    @property
    def human_yes(self) -> int:
        return self.tp + self.fn

    @property
    def human_no(self) -> int:
        return self.fp + self.tn

    @property
    def judge_yes(self) -> int:
        return self.tp + self.fp

    @property
    def judge_no(self) -> int:
        return self.fn + self.tn

    @property
    def n(self) -> int:
        return self.human_yes + self.human_no


def judge_page(project: Project, judge: Judge, now: datetime, user_id: int) -> JudgePage:
    """Return the page of one judge identity, for this person, from its newest comparison and the rows behind it."""
    kind = KIND_OF[Task(judge.task)]
    history = tuple(Calibration.objects.history(project, judge)[:20])
    newest = history[0] if history else None
    figures = newest.figures if newest else {}
    worst = worst_first(items_of(project, judge)) if newest else []
    trust = newest.trust(now) if newest else Trust.UNCALIBRATED
    share = share_axis()
    yes, no = SIDES[kind]
    return JudgePage(
        project=project,
        judge=judge,
        kind=KIND_WORDS[kind],
        yes=yes,
        no=no,
        no_takes_in=NO_TAKES_IN[kind],
        trust=trust,
        tone=TONES[trust],
        trust_words=_trust_words(trust, newest, now),
        calibration=newest,
        stale_after=(newest.computed_at + timedelta(days=FRESH_DAYS)).date() if newest else None,
        runs=runs_with(project, judge),
        try_on=_try_on(project, judge),
        history=history,
        share=share,
        figures=figures,
        test=_lines(figures.get("test"), share, yes, no),
        everything=_lines(figures.get("all"), share, yes, no),
        in_all=_lines(figures.get("in_all"), share, yes, no, FIGURES_OF_ALL),
        agreement=_agreement(figures),
        **_scores(figures, judge.threshold),
        slices=tuple(
            (row["slice"], row["value"], row["n"], line("", row["balanced_accuracy"], share))
            for row in figures.get("by_slice") or []
        ),
        labels=labels_part(project, judge, share),
        rates=rate_lines(project, figures.get("rates") or [], share),
        **_disagreements(worst, readable(worst, project, user_id)),
        signed=SIGNED,
    )


def _disagreements(worst: Sequence[Item], may_read: Sequence[Item]) -> dict[str, Any]:
    return {
        "disagreements": tuple(may_read[:DISAGREEMENTS]),
        "disagreements_readable": len(may_read),
        "disagreements_in_all": len(worst),
    }


def _scores(figures: Mapping[str, Any], in_use: float) -> dict[str, Any]:
    """Return the parts of the page that rest on scores."""
    chosen = (figures.get("suggested") or {}).get("threshold")
    bins = figures.get("bins") or []
    return {
        "curve": _curve(figures.get("sweep") or [], in_use, chosen),
        "sweep": _sweep_table(figures.get("table") or [], in_use, chosen),
        "suggested": chosen,
        "on_test": _on_test(figures.get("suggested"), in_use),
        "diagram": _diagram(bins),
        "bins": [one for one in bins if one["n"]],
        "chances": _chances(figures.get("platt")),
    }


def _trust_words(trust: Trust, newest: Calibration | None, now: datetime) -> str:
    if newest is None or trust is Trust.UNCALIBRATED:
        return "Uncalibrated: no human label to compare with"
    days = (now - newest.computed_at).days
    age = "today" if days == 0 else "1 day ago" if days == 1 else f"{days} days ago"
    return {Trust.CALIBRATED: f"Calibrated {age}", Trust.STALE: f"Stale: compared {age}"}.get(
        trust, f"{newest.n} labels: too few to rely on"
    )


def _try_on(project: Project, judge: Judge) -> Run | None:
    if judge.task != Task.GROUNDING:
        return None
    spoke = Score.objects.filter(judge__in=judge.voices, query__run=OuterRef("pk"))
    return project.runs.exclude(summary={}).filter(Exists(spoke)).only("key", "name").order_by("-pk").first()


def _lines(
    part: Mapping[str, Any] | None, on: Axis, yes: str, no: str, wanted: Sequence[tuple[str, str]] = FIGURES
) -> tuple[FigureLine, ...]:
    if not part:
        return ()
    return tuple(line(words.format(yes, no), part[key], on) for key, words in wanted)


def _agreement(figures: Mapping[str, Any]) -> tuple[FigureLine, ...]:
    """Return people with people beside people with the judge: raw agreement and kappa of each."""
    if not figures:
        return ()
    on, people = SIGNED, figures["people"]
    none = {"value": None, "low": None, "high": None, "n": people["n"], "undefined": "nobody read an item twice"}
    return (
        line("Person with person, raw", people["raw"] if people["n"] else none, on),
        line("Person with person, kappa", people["kappa"] if people["n"] else none, on),
        line("Person with judge, raw", figures["all"]["raw_agreement"], on),
        line("Person with judge, kappa", figures["all"]["kappa"], on),
    )


def _rates(point: Mapping[str, Any]) -> tuple[float, float]:
    return point["true_positives"] / point["positives"], point["true_negatives"] / point["negatives"]


def _curve(sweep: Sequence[Mapping[str, Any]], in_use: float, chosen: float | None) -> charts.ThresholdCurve | None:
    points = []
    for point in sweep:
        tpr, tnr = _rates(point)
        low, high = point["low"], point["high"]
        points.append(charts.SweepPoint(point["threshold"], point["balanced_accuracy"], low, high, tpr, tnr))
    return charts.threshold_curve(points, in_use, chosen) if points else None


def _sweep_table(table: Sequence[Mapping[str, Any]], in_use: float, chosen: float | None) -> tuple[SweepLine, ...]:
    """Return the rows at round thresholds, at the one in use and at the chosen one."""
    return tuple(_sweep_line(point, in_use, chosen) for point in table)


def _sweep_line(point: Mapping[str, Any], in_use: float, chosen: float | None) -> SweepLine:
    (tpr, tnr), threshold = _rates(point), point["threshold"]
    balanced, low, high = point["balanced_accuracy"], point["low"], point["high"]
    return SweepLine(threshold, balanced, low, high, tpr, tnr, threshold == in_use, threshold == chosen)


def _on_test(suggested: Mapping[str, Any] | None, in_use: float) -> SweepLine | None:
    """Return what the suggested threshold does on the test split."""
    return _sweep_line(suggested["test"], in_use, suggested["threshold"]) if suggested and suggested["test"] else None


def _diagram(bins: Sequence[Mapping[str, Any]]) -> charts.Reliability | None:
    held = [charts.Bin(one["n"], one["mean_score"], one["share"], one["low"], one["high"]) for one in bins if one["n"]]
    return charts.reliability(held, len(bins)) if held else None


def _chances(told: Mapping[str, float] | None) -> tuple[tuple[float, float], ...]:
    """Return (score, fitted chance that people agree it is so) at a few scores."""
    if not told:
        return ()
    curve = Sigmoid(told["slope"], told["offset"])
    return tuple((score, curve.chance(score)) for score in PERCENT_SCORES)
