"""Where the server's address is known, what is said of a run on GitHub leads to its page."""

from fakes_acts import Desk
from fakes_fix import Stage
from fakes_store import fix_issue

from bot.pipeline.intake.site import Site
from bot.pipeline.reports.status import StatusBoard

HERE = "https://regreen.example"


def test_a_status_comment_leads_to_the_page_of_its_run() -> None:
    desk = Desk()
    job = fix_issue()
    site = Site("octo/fizz", desk.github, desk.around.labels, desk.around.pulls, public_url=HERE)
    StatusBoard(job, desk.github, "de", site.page(job)).working("es wird geprüft")
    assert f"\n\n[Der Lauf]({HERE}/runs/octo%2Ffizz%3Aissue-7%3Ad-1)" in desk.status
    StatusBoard(job, desk.github).working("testing")
    assert HERE not in desk.status


def test_a_whole_job_links_its_page_from_the_first_word_to_the_last() -> None:
    stage = Stage(public_url=HERE)
    stage.run(stage.issue)
    (status,) = [one.body for one in stage.github.comments[7] if "regreen:status=" in one.body]
    assert status.count(f"]({HERE}/runs/o%2Fr%3Aissue-7%3Ad1)") == 1
