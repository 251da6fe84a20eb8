"""What a profile asks of a FAISS index: kind, metric, embedder and parameters, checked once and typed.

- Every key of ``index_build_config`` is known, or the profile is refused.
- A default is written into the completed profile, so that a pinned profile names every parameter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from witnessmark.errors import InputError
from witnessmark_adapters.live import PACKAGE_PREFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from witnessmark.models import RetrieverProfile
    from witnessmark.models.base import JsonScalar

__all__ = [
    "INDEXES",
    "OPTION_PREFIX",
    "REFINED",
    "SEARCH_PARAMETERS",
    "IndexSettings",
    "Metric",
    "read_settings",
    "reject",
]

Metric = Literal["cosine", "inner_product", "l2"]
METRICS: tuple[Metric, ...] = ("cosine", "inner_product", "l2")
OPTION_PREFIX = "embedder:"
"""Keys that are handed to the embedder as options, without the prefix."""
REFINED = "IndexRefineFlat"
"""A coarse index, whose finds are scored again by the whole vectors that are kept beside it."""


class _Whole(NamedTuple):
    """A whole number within bounds; None as default means that the profile has to say it."""

    default: int | None
    least: int
    most: int


class _Choice(NamedTuple):
    """One of a closed set of words; the first is the default."""

    words: tuple[str, ...]


_COMMON: dict[str, _Whole] = {"insertion_seed": _Whole(None, 0, 2**31 - 1)}
_BASES = _Choice(("IndexScalarQuantizer", "IndexIVFPQ", "IndexIVFFlat", "IndexHNSWFlat"))
INDEXES: dict[str, dict[str, _Whole | _Choice]] = {
    "IndexFlatIP": {},
    "IndexFlatL2": {},
    "IndexHNSWFlat": {
        "M": _Whole(32, 2, 256),
        "ef_construction": _Whole(200, 1, 100_000),
        "ef_search": _Whole(64, 1, 100_000),
    },
    "IndexIVFFlat": {
        "nlist": _Whole(None, 1, 2**20),
        "nprobe": _Whole(8, 1, 2**20),
        "training_seed": _Whole(1234, 0, 2**31 - 1),
    },
    "IndexIVFPQ": {
        "nlist": _Whole(None, 1, 2**20),
        "nprobe": _Whole(8, 1, 2**20),
        "m": _Whole(None, 1, 4096),
        "nbits": _Whole(8, 4, 12),
        "training_seed": _Whole(1234, 0, 2**31 - 1),
    },
    "IndexScalarQuantizer": {"quantizer": _Choice(("8bit", "4bit", "fp16"))},
    REFINED: {
        "base": _BASES,
        "k_factor": _Whole(4, 1, 1000),
    },
}
"""Index implementations and their parameters, by the names that FAISS gives them: ``m`` is the number of parts that a
vector is quantized in, ``nbits`` what each part's code takes, ``k_factor`` how many finds of the coarse index ``base``
are scored again for each that is asked for. A refined index has the parameters of its base as well."""
SEARCH_PARAMETERS = ("ef_search", "k_factor", "nprobe")
"""Parameters that are set when an index is opened, not when it is built."""
_ONLY_METRICS: dict[str, tuple[Metric, ...]] = {"IndexFlatIP": ("cosine", "inner_product"), "IndexFlatL2": ("l2",)}


class IndexSettings(NamedTuple):
    """The checked settings of one index."""

    implementation: str
    metric: Metric
    embedder: str
    """Entry point name in the group ``witnessmark.embedders``."""
    embedder_options: Mapping[str, JsonScalar]
    parameters: Mapping[str, int | str]
    """Every parameter of the implementation, defaults filled in."""
    insertion_seed: int | None
    """Seed of a shuffled insertion order; None inserts in key order."""
    packages: tuple[str, ...]
    """Packages whose versions the profile pins."""
    document_prefix: str = ""
    """Text in front of each record's text when it is embedded."""

    @property
    def searched(self) -> str:
        """The implementation whose structure is searched: the coarse one of a refined index."""
        return str(self.parameters["base"]) if self.implementation == REFINED else self.implementation

    def whole(self, name: str) -> int:
        """Return a parameter that is a whole number."""
        value = self.parameters[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} is no whole number")
        return value


def reject(code: str, what: str, got: object, wanted: str, where: str) -> InputError:
    """Return the error for one field of a profile."""
    return InputError(what, code=code, got=got, wanted=wanted, where=f"profile /{where}")


def read_settings(profile: RetrieverProfile) -> IndexSettings:
    """Check the fields of a profile that decide how its index is built and searched.

    Raises:
        InputError: ``unknown_index_implementation``, ``unknown_metric``, ``metric_not_supported``,
            ``unknown_index_setting``, ``missing_index_setting`` or ``invalid_index_setting``.
    """
    implementation = profile.index_implementation
    if implementation not in INDEXES:
        raise reject(
            "unknown_index_implementation",
            "no such index implementation",
            repr(implementation),
            f"one of: {', '.join(INDEXES)}",
            "index_implementation",
        )
    config = dict(profile.index_build_config)
    packages = tuple(sorted(key[len(PACKAGE_PREFIX) :] for key in config if key.startswith(PACKAGE_PREFIX)))
    own = {key: value for key, value in config.items() if not key.startswith((PACKAGE_PREFIX, OPTION_PREFIX))}
    options: dict[str, JsonScalar] = {
        key[len(OPTION_PREFIX) :]: value for key, value in config.items() if key.startswith(OPTION_PREFIX)
    }
    embedder = own.pop("embedder", None)
    if not isinstance(embedder, str):
        raise _setting("missing_index_setting", "embedder", embedder, "the name of an embedder")
    dimension = own.pop("embedding_dimension", None)
    if dimension is not None:
        options["dimension"] = _whole("embedding_dimension", dimension, _Whole(None, 1, 65_536))
    if profile.quantization is not None:
        options["quantization"] = profile.quantization
    prefix = own.pop("document_prefix", "")
    if not isinstance(prefix, str):
        raise _setting("invalid_index_setting", "document_prefix", repr(prefix), "text")
    seed = own.pop("insertion_seed", None)
    parameters = _parameters(implementation, own)
    return IndexSettings(
        implementation=implementation,
        metric=_metric(profile),
        embedder=embedder,
        embedder_options=options,
        parameters=parameters,
        insertion_seed=None if seed is None else _whole("insertion_seed", seed, _COMMON["insertion_seed"]),
        packages=packages,
        document_prefix=prefix,
    )


def _metric(profile: RetrieverProfile) -> Metric:
    for metric in METRICS:
        if profile.distance_metric == metric:
            allowed = _ONLY_METRICS.get(profile.index_implementation, METRICS)
            if metric in allowed:
                return metric
            raise reject(
                "metric_not_supported",
                f"{profile.index_implementation} does not search by this metric",
                repr(metric),
                f"one of: {', '.join(allowed)}",
                "distance_metric",
            )
    raise reject(
        "unknown_metric",
        "no such metric",
        repr(profile.distance_metric),
        f"one of: {', '.join(METRICS)}",
        "distance_metric",
    )


def _parameters(implementation: str, given: dict[str, JsonScalar]) -> dict[str, int | str]:
    known = INDEXES[implementation]
    if implementation == REFINED:
        known = {**known, **INDEXES[_choice("base", given.get("base"), _BASES)]}
    unknown = sorted(set(given) - set(known))
    if unknown:
        names = ", ".join(["embedder", "embedding_dimension", "document_prefix", *_COMMON, *known])
        raise reject(
            "unknown_index_setting",
            f"{implementation} has no such setting",
            repr(unknown[0]),
            f"one of: {names}, package:NAME, embedder:OPTION",
            f"index_build_config/{unknown[0]}",
        )
    checked: dict[str, int | str] = {}
    for name, kind in known.items():
        value = given.get(name)
        if isinstance(kind, _Choice):
            checked[name] = _choice(name, value, kind)
        else:
            checked[name] = _whole(name, kind.default if value is None else value, kind)
    if "nprobe" in checked and int(checked["nprobe"]) > int(checked["nlist"]):
        raise _setting(
            "invalid_index_setting", "nprobe", checked["nprobe"], f"at most nlist, which is {checked['nlist']}"
        )
    return checked


def _whole(name: str, value: JsonScalar, kind: _Whole) -> int:
    wanted = f"a whole number from {kind.least} to {kind.most}"
    if value is None:
        raise _setting("missing_index_setting", name, None, wanted)
    if not isinstance(value, int) or isinstance(value, bool) or not kind.least <= value <= kind.most:
        raise _setting("invalid_index_setting", name, repr(value), wanted)
    return value


def _choice(name: str, value: JsonScalar, kind: _Choice) -> str:
    if value is None:
        return kind.words[0]
    if not isinstance(value, str) or value not in kind.words:
        raise _setting("invalid_index_setting", name, repr(value), f"one of: {', '.join(kind.words)}")
    return value


def _setting(code: str, name: str, got: object, wanted: str) -> InputError:
    what = "index setting is missing" if code == "missing_index_setting" else "index setting is not usable"
    return reject(code, what, got, wanted, f"index_build_config/{name}")
