"""Citation tags: what one looks like, and whether it resolves."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from tests.house.tree import ROOT
from tools.notes_page import items

KINDS = "Thm|Def|Prop|Rem|Ex|Lem|Cor|Alg|Theorem|Definition|Proposition|Remark|Example|Lemma|Corollary|Algorithm"
BRACKET = re.compile(r"\[([^\[\]\n]+)\]")
NOTE = re.compile(rf"(?:[ADLSG] \S|[A-Z] (?:§|(?:{KINDS})\b)).*")
KEY = re.compile(r"[A-Z][A-Za-z+]*\d\d[a-z]?")
PROVED = frozenset({"guarantee", "compose", "repeat", "group", "amplify", "accuracy"})


@dataclass(frozen=True)
class Sources:
    """What may be cited."""

    labels: frozenset[str]
    sections: frozenset[str]
    keys: frozenset[str]

    @classmethod
    def of_the_repository(cls) -> "Sources":
        entries = items()
        bib = (ROOT / "docs" / "references.bib").read_text(encoding="utf-8")
        return cls(
            frozenset(item["label"] for item in entries),
            frozenset(f"{item['label'][0]} §{item['section']}" for item in entries),
            frozenset(re.findall(r"^@\w+\{([^,\s]+),", bib, re.MULTILINE)),
        )

    def resolves(self, piece: str) -> bool:
        """Whether a note's label, a section (or one that holds listed sections) or a key exists."""
        return (
            piece in self.labels
            or piece in self.keys
            or ("§" in piece and any(s == piece or s.startswith(f"{piece}.") for s in self.sections))
        )


def tags(text: str) -> list[str]:
    """What stands in brackets and looks like a citation."""
    return [inside for inside in BRACKET.findall(text) if _is_citation(re.split(r"[,;]", inside)[0].strip())]


def unresolved(tag: str, sources: Sources) -> list[str]:
    """The pieces of a tag that name nothing. After a key, a piece that is neither key nor note is its locator."""
    wrong: list[str] = []
    after_key = False
    for piece in (part.strip() for part in re.split(r"[,;]", tag)):
        if _is_citation(piece):
            after_key = KEY.fullmatch(piece) is not None
            if not sources.resolves(piece):
                wrong.append(piece)
        elif not after_key:
            wrong.append(piece)
    return wrong


def prose(source: str) -> list[str]:
    """The docstrings and comments of a module."""
    strings = [
        node.value.value
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return strings + [token.string for token in tokens if token.type == tokenize.COMMENT]


def broken_tags(source: str, sources: Sources) -> list[str]:
    """Every piece of every tag in a module that resolves to nothing."""
    return [piece for text in prose(source) for tag in tags(text) for piece in unresolved(tag, sources)]


def unproved_methods(source: str) -> list[str]:
    """`Class.method` for each method that states a theorem and cites none; interfaces only promise, and are exempt."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef) or any("Protocol" in ast.unparse(base) for base in node.bases):
            continue
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or method.name not in PROVED:
                continue
            if any("abstractmethod" in ast.unparse(decorator) for decorator in method.decorator_list):
                continue
            if not tags(ast.get_docstring(method) or ""):
                found.append(f"{node.name}.{method.name}")
    return found


def _is_citation(piece: str) -> bool:
    return NOTE.fullmatch(piece) is not None or KEY.fullmatch(piece) is not None


def sources_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))
