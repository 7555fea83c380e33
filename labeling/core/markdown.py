"""A document as GitHub-flavoured Markdown that renders alike on GitHub and GitLab and pings nobody."""

from __future__ import annotations

import re

from labeling.core.tables import Cell, Document, Listing, Missing, Number, Paragraph, Table, Text

#: Breaks @names, #numbers and addresses so that hosts of Markdown do not link or ping; nobody sees it.
BREAK = "\N{ZERO WIDTH SPACE}"
#: Characters with a meaning in GitHub's or GitLab's Markdown, anywhere in a line.
_MARKED = re.compile(r"([\\`*_\[\]#|~$])")
_LINKS = re.compile(r"(?i)(https?|ftp)(://)|(www)(\.)")
_MENTION = re.compile(r"([@#!%&~^$])(?=[\w\"])")


def markdown_text(words: str) -> str:
    """Escape text for Markdown: one line, no markup, no link, no mention of people or issues."""
    flat = " ".join(words.split())
    broken = _MENTION.sub(rf"\1{BREAK}", flat)
    unlinked = _LINKS.sub(lambda m: f"{m[1] or m[3]}{BREAK}{m[2] or m[4]}", broken)
    quoted = unlinked.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKED.sub(r"\\\1", quoted)


def markdown_code(words: str) -> str:
    """Set text in a code span that its own backticks and bars cannot end."""
    flat = " ".join(words.split()).replace("|", r"\|")
    longest = max((len(run) for run in re.findall("`+", flat)), default=0)
    fence, pad = "`" * (longest + 1), " " if "`" in flat else ""
    return f"{fence}{pad}{flat}{pad}{fence}" if flat else ""


def _markdown(piece: Cell | str) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, Missing):
        return piece.reason
    shown = piece.shown if isinstance(piece, Number) else piece.words
    if isinstance(piece, Text):
        shown = markdown_code(shown) if piece.code else markdown_text(shown)
    return f"**{shown}**" if piece.strong and shown else shown


def _markdown_table(table: Table) -> list[str]:
    lines = [
        " | ".join(column.title for column in table.columns),
        " | ".join("---:" if column.is_number else "---" for column in table.columns),
        *(" | ".join(_markdown(cell) for cell in row) for row in table.rows),
    ]
    return [f"| {line} |" for line in lines]


def _markdown_block(block: Table | Paragraph | Listing) -> list[str]:
    if isinstance(block, Table):
        return _markdown_table(block)
    if isinstance(block, Listing):
        return [f"- {''.join(map(_markdown, item.pieces))}" for item in block.items]
    return ["".join(map(_markdown, block.pieces))]


def to_markdown(document: Document) -> str:
    """Return the document as GitHub-flavoured Markdown, ending in one newline."""
    blocks = [["# " + "".join(map(_markdown, document.title.pieces))], _markdown_block(document.lead)]
    for section in document.sections:
        blocks += [[f"## {section.title}"], *map(_markdown_block, section.blocks)]
    if document.foot:
        blocks += [["---"], *map(_markdown_block, document.foot)]
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def to_markdown_table(lead: tuple[Cell | str, ...], table: Table) -> str:
    """Return one sentence and a table, ending in one newline."""
    return "".join(map(_markdown, lead)) + "\n\n" + "\n".join(_markdown_table(table)) + "\n"
