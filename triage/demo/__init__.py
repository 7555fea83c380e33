"""The demo that ships with the product: an invented help centre, three runs over it and what is planted in them."""

from __future__ import annotations
