"""Reports on Auditable Memory Records (docs/records.md)."""

from __future__ import annotations

from typing import Literal, TypeAlias

from witnessmark.models.base import Count, Flag, Many, Record, Text

__all__ = [
    "AnchorState",
    "CitationStatus",
    "CitationVerdict",
    "ClaimIdStatus",
    "EpistemicCounts",
    "OneSidedLink",
    "OutcomeCounts",
    "ProblemSeverity",
    "RecordProblem",
    "RecordRelations",
    "RecordsCheck",
    "RecordsStamp",
    "RecordsVerification",
    "RelationsReport",
    "SourceState",
    "StampedRecord",
]

ProblemSeverity: TypeAlias = Literal["unreadable", "invalid", "not_conforming", "warning"]
"""The file cannot be read; malformed at any level; well-formed but short of the level; neither."""

CitationStatus: TypeAlias = Literal["ok", "anchor_tampered", "source_drifted", "source_missing"]
"""Nothing speaks against it; the record contradicts itself; the source changed; nothing can be concluded."""
AnchorState: TypeAlias = Literal["agrees", "disagrees", "unusable", "absent"]
"""The stored hash against the stored quote."""
SourceState: TypeAlias = Literal["contains", "lacks", "missing"]
"""The source's text against the stored quote."""
ClaimIdStatus: TypeAlias = Literal["ok", "mismatch", "absent"]
"""The stored claim id against the one that the record's ref and the claim's words give."""


class RecordProblem(Record):
    """One thing that is wrong with a record or its file."""

    severity: ProblemSeverity
    code: Text
    record: Text
    """Ref of the record, or the file's path below the root."""
    where: Text
    """File, line and JSON pointer."""
    message: Text
    """What, got, wanted."""


class EpistemicCounts(Record):
    """How strongly records are believed, by what they say themselves."""

    fact: Count
    inference: Count
    open_question: Count
    unverified: Count
    unmarked: Count
    """Records that say nothing, which is not fact."""
    invalid: Count
    """Records that say something else."""


class RecordsCheck(Record):
    """Whether records conform to a level of AMR 0.1."""

    format: Literal["witnessmark.records-check/0.1"] = "witnessmark.records-check/0.1"
    level: Literal[1, 2, 3]
    record_count: Count
    declared_count: Count
    """Records that carry the declaration, by which a scan finds them."""
    conforming_count: Count
    unreadable_count: Count
    """Files that cannot be read, which are in no other count."""
    document_count: Count
    """Markdown without front matter: no records, and fine to cite."""
    epistemic: EpistemicCounts
    problems: Many[RecordProblem] = ()
    """In the order of the files; links to records that are not there come last."""


class RecordRelations(Record):
    """The declared relations of one record, each an exact set in the order of the refs."""

    record: Text
    present: Flag
    """Whether the record is here, or only named by others."""
    backed_by: Many[Text] = ()
    backs: Many[Text] = ()
    """Records that declare to be backed by this one."""
    contradicts: Many[Text] = ()
    contradicted_by: Many[Text] = ()
    """Records that declare to contradict this one."""


class OneSidedLink(Record):
    """A contradiction that the other side does not declare, which is valid."""

    record: Text
    contradicts: Text


class RelationsReport(Record):
    """Declared relations. Nothing is resolved: both sides of a contradiction stay as they are."""

    format: Literal["witnessmark.records-relations/0.1"] = "witnessmark.records-relations/0.1"
    record_count: Count
    """Records that were read."""
    records: Many[RecordRelations]
    """Those with a relation, in the order of the refs; the one asked for, where one was."""
    one_sided: Many[OneSidedLink] = ()
    problems: Many[RecordProblem] = ()


class CitationVerdict(Record):
    """What became of one citation or claim."""

    record: Text
    where: Text
    """File, line and JSON pointer."""
    kind: Literal["citation", "claim"]
    ref: Text
    """Of the source."""
    status: CitationStatus
    partial: Flag
    """Only the source could be checked, since there is no stored hash."""
    anchor: AnchorState
    source: SourceState
    detail: Text
    claim_id: Text | None = None
    """What it has to be; absent in citations."""
    claim_id_status: ClaimIdStatus | None = None
    source_declared: Flag | None = None
    """Whether ``sources`` names the claim's source too; absent in citations."""


class OutcomeCounts(Record):
    """Citations and claims by outcome."""

    ok: Count
    anchor_tampered: Count
    source_drifted: Count
    source_missing: Count


class RecordsVerification(Record):
    """What became of every citation and claim."""

    format: Literal["witnessmark.records-verification/0.1"] = "witnessmark.records-verification/0.1"
    record_count: Count
    outcomes: OutcomeCounts
    partial_count: Count
    claim_id_mismatch_count: Count
    uncited: Many[Text] = ()
    """Records without citations and claims: nothing vouches for them."""
    citations: Many[CitationVerdict] = ()
    """In the order of files, sources before claims."""
    problems: Many[RecordProblem] = ()
    """Files that cannot be read, and citations that are malformed and so have no outcome."""


class StampedRecord(Record):
    """One record to which something was added."""

    record: Text
    where: Text
    added: Many[Text]
    """JSON pointers of the new members, in the order of the record."""


class RecordsStamp(Record):
    """What was added to records. Whatever stood in them is still there, in its order and spelling."""

    format: Literal["witnessmark.records-stamp/0.1"] = "witnessmark.records-stamp/0.1"
    record_count: Count
    stamped: Many[StampedRecord] = ()
    unchanged_count: Count
    """Records that lack nothing that is added here."""
    refused_count: Count
    """Records that were left alone, since they would not conform afterwards; the problems say why."""
    problems: Many[RecordProblem] = ()
