"""What mkdocs does not know of the pages: patterns in the navigation, and links that lead
out of docs/ or to a folder, which are right on the forge."""

import os
import re

FENCE = re.compile(r"(^```.*?^```$|`[^`\n]*`)", re.M | re.S)
OTHER = re.compile(r"^\[(?:中文|English)\]\([^()\s]+\)\n", re.M)  # the site has its own switch
LINK = re.compile(r"\]\(([^()\s#:]+)(#[^()\s]*)?\)")


def on_config(config, **_):
    """Puts the pages that a pattern stands for in its place, each page once."""
    named, docs = set(), config.docs_dir

    def names(items):
        for item in items:
            if isinstance(item, dict):
                for below in item.values():
                    names(below if isinstance(below, list) else [below])
            elif "*" not in item:
                named.add(item)

    def expand(items):
        out = []
        for item in items:
            if isinstance(item, dict):
                out.append({title: expand(below) if isinstance(below, list) else below for title, below in item.items()})
            elif "*" not in item:
                out.append(item)
            else:
                folder = os.path.dirname(item)
                for name in sorted(os.listdir(os.path.join(docs, folder))):
                    page = os.path.join(folder, name) if folder else name
                    if name.endswith(".md") and not name.endswith(".zh-CN.md") and page not in named:
                        out.append(page)
        return out

    names(config.nav)
    config.nav = expand(config.nav)
    return config


def on_page_markdown(markdown, page, config, **_):
    """Leads links to a folder to its first page, and links out of docs/ to the forge. A
    link that leads nowhere is left as it is, and mkdocs says so."""
    docs = os.path.realpath(config.docs_dir)
    root = os.path.dirname(docs)
    here = os.path.dirname(os.path.realpath(page.file.abs_src_path))

    def lead(match):
        target, heading = match.group(1), match.group(2) or ""
        there = os.path.normpath(os.path.join(here, target))
        if not os.path.exists(there):
            return match.group(0)
        if there == docs or there.startswith(docs + os.sep):
            if not os.path.isdir(there):
                return match.group(0)
            pages = sorted(name for name in os.listdir(there) if name.endswith(".md"))
            first = "README.md" if "README.md" in pages else pages[0]
            return "](%s%s)" % (os.path.relpath(os.path.join(there, first), here).replace(os.sep, "/"), heading)
        kind = "tree" if os.path.isdir(there) else "blob"
        return "](%s/%s/main/%s%s)" % (config.extra["forge"], kind, os.path.relpath(there, root).replace(os.sep, "/"), heading)

    parts = FENCE.split(OTHER.sub("", markdown, count=1))
    for i in range(0, len(parts), 2):
        parts[i] = LINK.sub(lead, parts[i])
    return "".join(parts)
