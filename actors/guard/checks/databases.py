"""Database clients: a plain question on the command line runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from placet.actors.guard.programs import words

if TYPE_CHECKING:
    from placet.actors.guard.arguments import Arg
    from placet.actors.guard.call import Call, Judge

_QUESTION = re.compile(r"(select|show|describe|desc|table|values)\b[^;\\]*;?", re.IGNORECASE)
_LENGTH_LIMIT = 10_000  # characters: no plain question is longer
_META = re.compile(r"\\(d[a-zA-Z+]*|l\+?|conninfo|z|sf|sv)(\s+[\w.*\"]+)?")
_DOT = re.compile(
    r"\s*\.(tables|schema|indexes|indices|databases|dbinfo|headers|mode|width|show|stats|fullschema)(\s+[\w.*]+)*\s*"
)
_FUNCTION = re.compile(r"([A-Za-z_]\w*)\s*\(")
_HARMLESS_FUNCTIONS = words(
    """
    count sum min max avg coalesce lower upper length now version current_database current_schema current_user round abs
    date datetime strftime substr substring trim ltrim rtrim concat cast in and or not exists nullif ifnull group_concat
    string_agg array_agg json_agg extract date_trunc to_char like between case when over row_number rank distinct all
    any values from where join on select as having replace greatest least pg_size_pretty pg_database_size
    pg_total_relation_size pg_relation_size typeof total random instr printf left right position unix_timestamp curdate
    database user using union
    """
)
_FORBIDDEN = re.compile(
    r"\b(into|outfile|dumpfile|load_file|for\s+update|for\s+share|lock\s+in)\b", re.IGNORECASE
)
_REDIS = words(
    """
    get mget exists ttl pttl type keys scan hget hgetall hkeys hvals hlen hmget llen lrange lindex smembers scard
    sismember zrange zcard zscore zrangebyscore strlen info ping dbsize echo time lastsave memory object xlen xrange
    getrange randomkey
    """
)


def asks_only(text: str) -> bool:
    """Whether a statement only asks a question.

    Args:
        text: the statement.
    """
    text = text.strip()
    if len(text) > _LENGTH_LIMIT:
        return False
    if _META.fullmatch(text):
        return True
    if not _QUESTION.fullmatch(text) or _FORBIDDEN.search(text) or "--" in text or "/*" in text:
        return False
    return all(name.lower() in _HARMLESS_FUNCTIONS for name in _FUNCTION.findall(text))


def _statements(judge: Judge, call: Call, statements: list[Arg]) -> None:
    for statement in statements:
        if not statement.exact or not asks_only(statement.text):
            judge.ask("database", f"{call.title} {statement.source}", call.source)
    if not statements:
        judge.ask("database", call.title, call.source)


def sql(judge: Judge, call: Call) -> None:
    """`psql -c`, `mysql -e`."""
    _statements(judge, call, call.sorted.values("-c", "--command", "-e", "--execute"))


def sqlite(judge: Judge, call: Call) -> None:
    """`sqlite3 FILE STATEMENT`."""
    operands = call.sorted.operands
    statements = [o for o in operands[1:] if not (o.exact and _DOT.fullmatch(o.text))]
    for operand in operands[:1]:
        judge.read(operand, call.scope)
    if statements or len(operands) < 2:
        _statements(judge, call, statements)


def redis(judge: Judge, call: Call) -> None:
    """`redis-cli COMMAND`."""
    operands = call.sorted.operands
    if not operands or operands[0].text.lower() not in _REDIS:
        judge.ask("database", call.title, call.source)
