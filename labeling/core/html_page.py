"""A document as one self-contained HTML page that prints on A4; nothing in it loads anything."""

from __future__ import annotations

from html import escape

from labeling.core.tables import Cell, Document, Listing, Missing, Number, Paragraph, Table, Text

#: The page of its own that a browser, a mail client or a printer gets; no script, nothing from elsewhere.
_STYLE = (
    "body{font:14px/1.45 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1b1f}"
    "h1{font-size:1.5rem}h2{font-size:1.05rem;margin:1.4em 0 .4em}table{border-collapse:collapse;width:100%}"
    "th,td{padding:.25rem .5rem;border-bottom:1px solid #d8d8d4;text-align:left;vertical-align:top}"
    ".n{text-align:right;font-variant-numeric:tabular-nums}.t td,.t th{font-weight:700}.s,.x{color:#5a5a62}"
    "@page{size:A4;margin:10mm}@media print{body{margin:0;max-width:none;padding:0;font-size:8.5px;line-height:1.3}"
    "h1{font-size:14px;margin:0}h2{font-size:10px;margin:.7em 0 .2em}p,ul{margin:.3em 0}th,td{padding:.08rem .3rem}}"
)


def _html(piece: Cell | str) -> str:
    if isinstance(piece, str):
        return escape(piece)
    if isinstance(piece, Missing):
        return f'<span class="x">{escape(piece.reason)}</span>'
    shown = escape(piece.shown if isinstance(piece, Number) else piece.words)
    if isinstance(piece, Text) and piece.code:
        shown = f"<code>{shown}</code>"
    return f"<b>{shown}</b>" if piece.strong else shown


def _html_table(table: Table) -> str:
    sides = [' class="n"' if column.is_number else "" for column in table.columns]
    head = "".join(
        f'<th scope="col"{side}>{escape(column.title)}</th>' for column, side in zip(table.columns, sides, strict=True)
    )
    rows = []
    for place, row in enumerate(table.rows):
        cells = [f'<th scope="row">{_html(row[0])}</th>']
        cells += [f"<td{side}>{_html(cell)}</td>" for cell, side in zip(row[1:], sides[1:], strict=True)]
        set_off = ' class="t"' if place in table.totals else ""
        rows.append(f"<tr{set_off}>{''.join(cells)}</tr>")
    return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n" + "\n".join(rows) + "\n</tbody>\n</table>"


def _html_block(block: Table | Paragraph | Listing) -> str:
    if isinstance(block, Table):
        return _html_table(block)
    if isinstance(block, Listing):
        items = "\n".join(f"<li>{''.join(map(_html, item.pieces))}</li>" for item in block.items)
        return f"<ul>\n{items}\n</ul>"
    small = ' class="s"' if block.small else ""
    return f"<p{small}>{''.join(map(_html, block.pieces))}</p>"


def to_html(document: Document) -> str:
    """Return the document as one self-contained page that prints on A4."""
    title = "".join(map(_html, document.title.pieces))
    plain = escape("".join(_plain(piece) for piece in document.title.pieces))
    body = [f"<h1>{title}</h1>", _html_block(document.lead)]
    for section in document.sections:
        body += [f"<h2>{escape(section.title)}</h2>", *map(_html_block, section.blocks)]
    if document.foot:
        body += ["<hr>", *map(_html_block, document.foot)]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{plain}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n" + "\n".join(body) + "\n</body>\n</html>\n"
    )


def _plain(piece: Cell | str) -> str:
    if isinstance(piece, str):
        return piece
    return piece.shown if isinstance(piece, Number) else piece.words if isinstance(piece, Text) else piece.reason
