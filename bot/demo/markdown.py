"""GitHub-flavoured Markdown → safe HTML: tables, tasks, alerts, details, issue references. The text is untrusted."""

import re

import nh3
from markdown_it import MarkdownIt

TAGS = nh3.ALLOWED_TAGS | {"details", "summary", "input", "section"}
ATTRIBUTES = {name: set(values) for name, values in nh3.ALLOWED_ATTRIBUTES.items()} | {
    "details": {"open"},
    "input": {"checked"},
    "code": {"class"},
    "td": {"style", "align"},
    "th": {"style", "align"},
}
TASK = re.compile(r"<li>(\s*<p>)?\[([ xX])\] ")
ALERTS = ("note", "tip", "important", "warning", "caution")
REFERENCE = re.compile(r"(?<![\w/&#])#(\d{1,9})\b")
ALERT = re.compile(rf"<blockquote>\n<p>\[!({'|'.join(ALERTS)})\]\n", re.IGNORECASE)
CODE_OR_LINK = re.compile(r"(<(a|code|pre)\b.*?</\2>|<[^>]+>)", re.DOTALL)


def render(text: str | None, repository_url: str) -> str:
    """HTML that may stand in a page; references like #7 lead into the repository."""
    html = MarkdownIt("gfm-like", {"html": True, "linkify": False}).disable("linkify").render(text or "")
    html = ALERT.sub(_alert, TASK.sub(_task, html))
    clean = nh3.clean(
        html,
        tags=TAGS,
        attributes=ATTRIBUTES,
        allowed_classes={"blockquote": {"alert", *ALERTS}, "p": {"alert-title"}},
        # A text field in a body could ask for a password: every input becomes a checkbox that nobody can change.
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        filter_style_properties={"text-align"},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
    parts = CODE_OR_LINK.split(clean)
    # Three parts a match: the text before it, the match, the name of its tag.
    link = rf'<a href="{repository_url}/issues/\1">#\1</a>'
    return "".join(part if at % 3 else REFERENCE.sub(link, part) for at, part in enumerate(parts) if at % 3 != 2)  # noqa: PLR2004 - see above


def _alert(found: re.Match[str]) -> str:
    kind = found[1].lower()
    return f'<blockquote class="alert {kind}">\n<p class="alert-title">{kind.capitalize()}</p>\n<p>'


def _task(found: re.Match[str]) -> str:
    checked = "" if found[2] == " " else " checked"
    return f'<li>{found[1] or ""}<input type="checkbox" disabled{checked}> '
