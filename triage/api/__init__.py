"""The API's half of the machine: what programs may read, import and ask, under `/api/v1`.

Endpoints are as thin as views: they pass the door, take typed values, call one verb or queryset, and give a shape.
"""

from __future__ import annotations
