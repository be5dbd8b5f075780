"""Many ids asked about in one statement, as rows of their own (§4).

The rule: each id is looked up by itself, in the index that has it alone. A list of alternatives (`IN`) leaves the
choice of the index to what a database believes about a table, and one that was not analysed yet believes that reading
a whole project is cheap. The ids travel as one JSON list, so that a statement is the same text for any number of them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Text, bindparam
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction


class AskedIds(GenericFunction[str]):
    """The members of a JSON list of text; both kinds of database call their column `value`."""

    name = "json_each"
    inherit_cache = True


@compiles(AskedIds, "postgresql")
def _on_postgresql(element: AskedIds, compiler: SQLCompiler, **options: Any) -> str:
    return f"json_array_elements_text(CAST({compiler.process(element.clauses, **options)} AS json))"


ASKED = AskedIds(bindparam("asked", type_=Text)).table_valued("value", name="asked_ids").c.value
"""The column of the ids that a statement is asked about."""


def asked(ids: Iterable[str]) -> dict[str, str]:
    """The bound value that ASKED takes."""
    return {"asked": json.dumps(sorted(ids))}
