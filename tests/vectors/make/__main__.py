"""Write ``vectors/`` from the cases in this folder, or ``--check`` that it is what they give.

Nothing here imports the implementation: canonical forms and outcomes are written by hand, digests are hashlib's.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import amr_cases
import applicability_cases
import assessment_cases
import audit_cases
import canonical_cases
import gate_cases
import lexicon_cases
import model_cases

FOLDER = Path(__file__).resolve().parents[3] / "vectors"


def canonical_files() -> dict[str, object]:
    """Return the canonicalization vectors by path."""
    files: dict[str, object] = {}
    head = {"format": "witnessmark.vectors.canonical/0.1"}
    for name, (why, text, canonical) in canonical_cases.ACCEPTED.items():
        data = canonical.encode()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        files[f"canonical/accepted/{name}.json"] = {
            **head,
            "why": why,
            "text": text,
            "canonical_hex": data.hex(),
            "sha256": digest,
        }
    for name, (why, given, pointer) in canonical_cases.REFUSED.items():
        text = {"text": given} if isinstance(given, str) else {"text_hex": given.hex()}
        place = {} if pointer is None else {"pointer": pointer}
        files[f"canonical/refused/{name}.json"] = {**head, "why": why, **text, "error": name.split("-")[0], **place}
    return files


def wanted() -> dict[str, str]:
    """Return the text of every vector file by its path below ``vectors/``."""
    files = {
        **canonical_files(),
        **model_cases.files(),
        **assessment_cases.files(),
        **gate_cases.files(),
        **applicability_cases.files(),
        **audit_cases.files(),
        **amr_cases.files(),
        **lexicon_cases.files(),
    }
    return {path: json.dumps(value, indent=2, ensure_ascii=True) + "\n" for path, value in files.items()}


def main() -> int:
    """Write or check; return the exit code."""
    files = wanted()
    found = {path.relative_to(FOLDER).as_posix(): path for path in FOLDER.rglob("*.json")}
    if "--check" in sys.argv[1:]:
        differing = [
            path
            for path in sorted(files.keys() | found.keys())
            if path not in files or path not in found or found[path].read_text(encoding="utf-8") != files[path]
        ]
        for path in differing:
            print(f"out of date: vectors/{path}", file=sys.stderr)
        return 1 if differing else 0
    for path, file in found.items():
        if path not in files:
            file.unlink()
    for path, text in files.items():
        (FOLDER / path).parent.mkdir(parents=True, exist_ok=True)
        (FOLDER / path).write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
