"""Which records are masked by newer ones. Nothing is deleted: a masked record stays, and says what masks it.

- A record is masked where another one replaces it, directly or through others, that it does not itself replace.
- So a chain leaves its last record, a merge masks all that was merged, and records that replace each other in a cycle
  mask none of their own: nobody can say which one is current. What replaces one of them masks all of them.
- Callers pass edges within one space and repository only; a record that replaces itself says nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["masked"]


def masked(supersedes: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the records that are masked, each with those that mask it directly, sorted.

    For a member of a cycle, those are the records outside the cycle that replace any member of it.

    Args:
        supersedes: for every record, those it replaces; names that are no record themselves are left out.
    """
    edges = {new: sorted({old for old in olds if old in supersedes and old != new}) for new, olds in supersedes.items()}
    group = _groups(edges)
    over: dict[str, set[str]] = {}
    for new, olds in edges.items():
        for old in olds:
            if group[new] != group[old]:
                over.setdefault(group[old], set()).add(new)
    return {key: tuple(sorted(over[group[key]])) for key in sorted(supersedes) if group[key] in over}


def _groups(edges: Mapping[str, list[str]]) -> dict[str, str]:
    """Return for every record a name of its strongly connected component (Tarjan's algorithm, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    group: dict[str, str] = {}
    open_: list[str] = []
    for root in edges:
        if root in order:
            continue
        work = [(root, iter(edges[root]))]
        order[root] = low[root] = len(order)
        open_.append(root)
        while work:
            node, rest = work[-1]
            for child in rest:
                if child not in order:
                    order[child] = low[child] = len(order)
                    open_.append(child)
                    work.append((child, iter(edges[child])))
                    break
                if child not in group:
                    low[node] = min(low[node], order[child])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == order[node]:
                    while True:
                        member = open_.pop()
                        group[member] = node
                        if member == node:
                            break
    return group
