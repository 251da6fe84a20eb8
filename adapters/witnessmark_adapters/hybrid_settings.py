"""What a profile asks of a hybrid: two parts, each with a profile of its own, and how their rankings are fused.

- A part's profile is written flat into ``index_build_config``: ``first:FIELD``, ``first:index_build_config:NAME``,
  ``first:query_preprocessing:0``. So the digest of the hybrid's profile binds every setting of its parts.
- Three things a part does not state, for they are the hybrid's: ``filtering_rules``, ``insertion_seed``, and ``top_k``,
  which is the hybrid's ``depth``. Versions of packages are the hybrid's ``package:NAME`` keys.
- Every key is known, or the profile is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from witnessmark.errors import InputError
from witnessmark.models import RetrieverProfile
from witnessmark_adapters.live import PACKAGE_PREFIX, TIE_POLICY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import JsonValue

    from witnessmark.models.base import JsonScalar

__all__ = ["IMPLEMENTATION_ID", "INDEX", "METRIC", "PARTS", "HybridSettings", "flat_profile", "read_settings"]

IMPLEMENTATION_ID = "hybrid"
INDEX = "hybrid"
METRIC = "reciprocal_rank_fusion"
PARTS = ("first", "second")
_SEED = "insertion_seed"
_WHOLE = {"k": (60, 1, 1000), "depth": (100, 1, 1000), "first_weight": (1, 1, 100), "second_weight": (1, 1, 100)}
"""Default, least and most. The bounds keep two sums that differ further apart than one rounding of a score."""
_MAPS = ("index_build_config", "reranker_config")
_LISTS = ("opaque_components", "query_preprocessing")
_OURS = ("filtering_rules", "top_k")
_REQUIRED = ("adapter_version", "distance_metric", "implementation_version", "index_implementation", "truncation_rule")
"""Fields without a default, which a part's adapter fills in where the hybrid leaves them out."""


class HybridSettings(NamedTuple):
    """The checked settings of one hybrid."""

    fusion: Mapping[str, int]
    """``k``, ``depth``, ``first_weight`` and ``second_weight``."""
    parts: Mapping[str, RetrieverProfile]
    """The profile of each part, as far as it is stated; a text that is missing is empty."""
    insertion_seed: int | None
    packages: tuple[str, ...]
    """Packages whose versions the profile pins."""

    @property
    def weights(self) -> tuple[int, ...]:
        """Return the weight of each part."""
        return tuple(self.fusion[f"{name}_weight"] for name in PARTS)


def read_settings(profile: RetrieverProfile) -> HybridSettings:
    """Check the fields of a profile that decide how its parts are built and fused.

    Raises:
        InputError: ``unknown_index_implementation``, ``unknown_metric``, ``unknown_index_setting``,
            ``missing_index_setting`` or ``invalid_index_setting``, or what is wrong with the profile of a part.
    """
    for field, code, wanted in (
        ("index_implementation", "unknown_index_implementation", INDEX),
        ("distance_metric", "unknown_metric", METRIC),
    ):
        got = getattr(profile, field)
        if got != wanted:
            what = f"the adapter {IMPLEMENTATION_ID} has no such {field.replace('_', ' ')}"
            raise InputError(what, code=code, got=repr(got), wanted=repr(wanted), where=f"profile /{field}")
    config = {key: value for key, value in profile.index_build_config.items() if value is not None}
    packages = tuple(
        sorted(key[len(PACKAGE_PREFIX) :] for key in profile.index_build_config if key.startswith(PACKAGE_PREFIX))
    )
    config = {key: value for key, value in config.items() if not key.startswith(PACKAGE_PREFIX)}
    seed = _whole(_SEED, config.pop(_SEED), 0, 2**31 - 1) if _SEED in config else None
    fusion = {name: _whole(name, config.pop(name, default), *bounds) for name, (default, *bounds) in _WHOLE.items()}
    if fusion["depth"] < profile.top_k:
        raise _invalid("depth", fusion["depth"], f"at least top_k, which is {profile.top_k}")
    parts = {
        name: _part_profile(name, {key: config.pop(key) for key in sorted(config) if key.startswith(f"{name}:")})
        for name in PARTS
    }
    if config:
        key = min(config)
        raise _unknown(key, f"one of: {', '.join(_WHOLE)}, {_SEED}, {PACKAGE_PREFIX}NAME, first:FIELD, second:FIELD")
    return HybridSettings(
        fusion,
        {name: _completed(name, value, profile, fusion["depth"], seed) for name, value in parts.items()},
        seed,
        packages,
    )


def flat_profile(name: str, part: RetrieverProfile, settings: HybridSettings) -> dict[str, JsonScalar]:
    """Return the keys of ``index_build_config`` that state the profile of a part."""
    flat: dict[str, JsonScalar] = {}
    for field, value in part.model_dump(mode="json", exclude_none=True).items():
        if field in _MAPS:
            for key, item in value.items():
                if key.startswith(PACKAGE_PREFIX) or (key == _SEED and settings.insertion_seed is not None):
                    continue
                flat[f"{name}:{field}:{key}"] = item
        elif field in _LISTS:
            flat.update({f"{name}:{field}:{place}": item for place, item in enumerate(value)})
        elif field not in _OURS:
            flat[f"{name}:{field}"] = value
    return flat


def _part_profile(name: str, stated: Mapping[str, JsonScalar]) -> dict[str, JsonValue]:
    """Undo `flat_profile`."""
    value: dict[str, JsonValue] = {}
    maps: dict[str, dict[str, JsonValue]] = {field: {} for field in _MAPS}
    lists: dict[str, dict[str, JsonValue]] = {field: {} for field in _LISTS}
    known = sorted(set(RetrieverProfile.model_fields) - {*_OURS, *_MAPS, *_LISTS})
    for flat, item in stated.items():
        _, field, *rest = flat.split(":", 2)
        package = field in _MAPS and rest and rest[0].startswith(PACKAGE_PREFIX)
        if field in maps and rest and rest[0] and not package:
            maps[field][rest[0]] = item
        elif field in lists and rest:
            lists[field][rest[0]] = item
        elif field in known and not rest:
            value[field] = item
        else:
            more = [f"{key}:NAME" for key in _MAPS] + [f"{key}:PLACE" for key in _LISTS]
            raise _unknown(flat, f"{name}: and one of: {', '.join([*known, *more])}")
    for field, items in lists.items():
        places = [str(place) for place in range(len(items))]
        if set(items) != set(places):
            got = ", ".join(sorted(items))
            raise _invalid(f"{name}:{field}", got, "places from 0, without a gap")
        value[field] = [items[place] for place in places]
    if "implementation_id" not in value:
        raise InputError(
            "index setting is missing",
            code="missing_index_setting",
            wanted="the name of an adapter that builds checkpoint directories",
            where=f"profile /index_build_config/{name}:implementation_id",
        )
    return {**value, **maps}


def _completed(
    name: str, value: Mapping[str, JsonValue], profile: RetrieverProfile, depth: int, seed: int | None
) -> RetrieverProfile:
    full: dict[str, JsonValue] = {
        **dict.fromkeys(_REQUIRED, ""),
        "adapter_capability": "deterministic",
        **value,
        "filtering_rules": list(profile.filtering_rules),
        "top_k": depth,
    }
    if full["adapter_capability"] == "deterministic":
        full.setdefault("tie_policy", TIE_POLICY)
    config = full["index_build_config"]
    if seed is not None and isinstance(config, dict):
        full["index_build_config"] = {**config, _SEED: seed}
    return RetrieverProfile.from_json(full, where=f"profile /index_build_config/{name}:")


def _whole(name: str, value: JsonScalar, least: int, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise _invalid(name, repr(value), f"a whole number from {least} to {most}")
    return value


def _invalid(name: str, got: object, wanted: str) -> InputError:
    where = f"profile /index_build_config/{name}"
    return InputError("index setting is not usable", code="invalid_index_setting", got=got, wanted=wanted, where=where)


def _unknown(name: str, wanted: str) -> InputError:
    where = f"profile /index_build_config/{name}"
    return InputError(
        "a hybrid has no such setting", code="unknown_index_setting", got=repr(name), wanted=wanted, where=where
    )
