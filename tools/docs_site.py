"""Hooks of the documentation site: pages that are made when it is built, and a check that no public name is missing."""

import re
import zlib
from pathlib import Path
from typing import Any

from tools.reference_pages import exporting, pages, path_of

ROOT = Path(__file__).resolve().parent.parent
FROM_ROOT = {"README.md": "about.md", "SECURITY.md": "security.md", "CONTRIBUTING.md": "contributing.md"}
_ELSEWHERE = r"\[([^\]]+)\]\((?:changelog\.d|LICENSE|NOTICE|examples|bench|tests|src|CHANGELOG)[^)]*\)"


def on_config(config: Any) -> Any:
    """A folder in the navigation stands for its pages, the index first."""
    config.nav = [{title: _listed(entry)} for item in config.nav for title, entry in item.items()]
    return config


def on_files(files: Any, config: Any) -> Any:
    """The README and its neighbors, and the reference, as pages of the site."""
    from mkdocs.structure.files import File

    made = {page: from_root((ROOT / name).read_text(encoding="utf-8")) for name, page in FROM_ROOT.items()}
    made |= {f"reference/{name}": text for name, text in pages().items()}
    for name, text in made.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Links to the root of the repository lead to the site's own pages."""
    return re.sub(r"\]\((?:\.\./)+(README|SECURITY|CONTRIBUTING)\.md", _own, markdown)


def on_post_build(config: Any) -> None:
    """Every exported name has an entry of its own in the reference, else the build fails."""
    missing = unlisted((Path(config.site_dir) / "objects.inv").read_bytes())
    if missing:
        raise SystemExit(f"the reference lacks {', '.join(missing)}")


def unlisted(inventory: bytes) -> list[str]:
    """Exported names that an inventory of the site does not have."""
    body = zlib.decompress(inventory.split(b"\n", 4)[4]).decode()
    listed = {line.split(" ", 1)[0] for line in body.splitlines()}
    paths = [path_of(package, name) for package, (_, names) in exporting().items() for name in names]
    return sorted({path for path in paths if path is not None and path not in listed})


def from_root(text: str) -> str:
    """The text of a page at the root, its links as seen from docs/; files that are no pages lose theirs."""
    text = re.sub(r"\]\(docs/", "](", text)
    text = re.sub(r"(src|srcset)=\"docs/", r'\1="', text)
    return re.sub(_ELSEWHERE, r"\1", re.sub(r"\]\((README|SECURITY|CONTRIBUTING)\.md", _own, text))


def _own(link: re.Match[str]) -> str:
    return f"]({FROM_ROOT[link[1] + '.md']}"


def _listed(entry: Any) -> Any:
    if not isinstance(entry, str) or not entry.endswith("/"):
        return entry
    names = sorted(pages()) if entry == "reference/" else sorted(p.name for p in (ROOT / "docs" / entry).glob("*.md"))
    return [entry + name for name in sorted(names, key=lambda name: (name != "index.md", name))]
