"""Links from the pages to the repository's other files, such as samples, lead to pages of the site that show them.

A line <!-- picture NAME: what it shows --> becomes a picture of dist/pictures, which leads to the page it was taken of.
"""

import os
import re
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
PICTURES = ROOT / "dist" / "pictures"
PICTURE = re.compile(r"^<!-- picture ([a-z]+): (.*) -->$", re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
# What other languages are called by those who colour them.
LANGUAGES = {".yaml": "yaml", ".yml": "yaml", ".sh": "bash", ".lua": "lua", ".go": "go", ".json": "json"}


def outside(page, link):
    """The path in the repository of a link that leaves docs/, else None."""
    if "://" in link or link.startswith(("/", "mailto:")):
        return None
    path = os.path.normpath(os.path.join("docs", os.path.dirname(page), link))
    return None if path.startswith("docs" + os.sep) or path == "docs" else path


def shown(path):
    """The page of the site that shows a file of the repository."""
    return "source/" + (path if path.endswith(".md") else path + ".md")


def content(path):
    """The text of that page: prose as it is, with the links that it has from where it lies, and all else as code."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".md"):
        return text
    return f"# {os.path.basename(path)}\n\n`{path}`\n\n````{LANGUAGES.get(Path(path).suffix, 'text')}\n{text}````\n"


def on_files(files, config):
    """Adds a page for every file that a page links to, and for those that these link to in turn."""
    pages = {file.src_uri: file.content_string for file in files.documentation_pages()}
    while pages:
        wanted = set()
        for page, text in pages.items():
            for link, _ in LINK.findall(text):
                path = outside(original(page), link)
                if path and not files.get_file_from_path(shown(path)):
                    wanted.add((page, path))
        pages = {}
        for page, path in sorted(wanted):
            if not (ROOT / path).is_file():
                raise PluginError(f"{page} links to {path}, which is not a file of the repository")
            pages[shown(path)] = content(path)
        for page, text in pages.items():
            files.append(File.generated(config, page, content=text))
        pages = {page: text for page, text in pages.items() if not is_code(page)}
    for file in sorted(PICTURES.iterdir()):
        files.append(File.generated(config, f"assets/pictures/{file.name}", abs_src_path=str(file)))
    return files


def original(page):
    """The path from docs/ of what a page was made from."""
    return "../" + page.removeprefix("source/") if page.startswith("source/") else page


def is_code(page):
    """Whether a page shows a file as code, in which what looks like a link is none."""
    return page.startswith("source/") and "." in page.removeprefix("source/").removesuffix(".md")


def on_page_markdown(markdown, page, **_):
    """Turns the links, and has the search find what explains before what was measured or is an example."""
    here = page.file.src_uri
    if here == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
    # GitHub begins a list without an empty line before it, and so does the API reference.
    markdown = markdown.replace("_Appears in:_\n- ", "_Appears in:_\n\n- ")
    if here.startswith("source/"):
        page.meta["search"] = {"boost": 0.3}
    elif here.startswith("studies/") and here.endswith("/report.md"):
        page.meta["search"] = {"exclude": True}

    if is_code(here):
        return markdown

    def turned(match):
        link, heading = match.group(1), match.group(2) or ""
        path = outside(original(here), link)
        if path:
            link = shown(path)
        elif original(here) != here and "://" not in link:
            link = os.path.relpath(os.path.normpath(os.path.join("docs", os.path.dirname(original(here)), link)), "docs")
        else:
            return match.group(0)
        return f"]({os.path.relpath(link, os.path.dirname(here))}{heading})"

    def pictured(match):
        name, alt = match.groups()
        address = os.path.relpath(f"assets/pictures/{name}", os.path.dirname(here))
        return f"[![{alt}]({address}.png)]({address}.html)"

    return PICTURE.sub(pictured, LINK.sub(turned, markdown))
