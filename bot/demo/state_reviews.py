"""What people do with pull requests at the stand-in, as scenarios and tests see it."""

from collections.abc import Sequence

from bot.demo import code_actions, merge_actions, review_actions
from bot.demo.actions import Actor
from bot.demo.records import Issue, Review, ReviewComment
from bot.demo.review_actions import NewRemark, NewReview, Thread
from bot.demo.store import Store


class Reviewing(Store):
    """Everything as a person, the repository's owner unless `by` says another."""

    def open_pull(
        self, full_name: str, head: str, *, base: str = "", title: str = "A change", body: str = "", by: str = ""
    ) -> Issue:
        """Open a pull request from a branch, on the default branch unless told otherwise."""
        with self.lock:
            repository = self.repository(full_name)
            new = code_actions.NewPull(head, base or repository.default_branch, title, body, draft=False)
            return code_actions.open_pull(self, repository, self._actor(full_name, by), new)

    def review(
        self,
        full_name: str,
        number: int,
        event: str,
        body: str = "",
        *,
        remarks: Sequence[NewRemark] = (),
        by: str = "",
    ) -> Review:
        """Submit a review: `event` is APPROVE, REQUEST_CHANGES or COMMENT, or empty for one that stays pending."""
        with self.lock:
            where = self._where(full_name, number)
            return review_actions.write_review(self, where, self._actor(full_name, by), NewReview(event, body, remarks))

    def remark(self, full_name: str, number: int, new: NewRemark, *, by: str = "") -> ReviewComment:
        """Comment on one line of the diff."""
        with self.lock:
            return review_actions.write_remark(self, self._where(full_name, number), self._actor(full_name, by), new)

    def reply(self, full_name: str, first: int, body: str, *, by: str = "") -> ReviewComment:
        """Answer in the thread that a review comment began."""
        with self.lock:
            where, remark = review_actions.find_remark(self.repository(full_name), first)
            return review_actions.reply(self, where, self._actor(full_name, by), remark, body)

    def resolve(self, full_name: str, first: int, *, resolved: bool = True, by: str = "") -> None:
        """Resolve the thread that a review comment began, or open it again."""
        with self.lock:
            where, remark = review_actions.find_remark(self.repository(full_name), first)
            review_actions.resolve(self, where, remark, self._actor(full_name, by), resolved=resolved)

    def dismiss(self, full_name: str, number: int, review: int, *, by: str = "") -> None:
        """Dismiss a review."""
        with self.lock:
            where, actor = self._where(full_name, number), self._actor(full_name, by)
            found = review_actions.find_review(where, review, actor.user)
            review_actions.dismiss_review(self, where, found, actor)

    def merge(self, full_name: str, number: int, *, method: str = "merge", by: str = "") -> str:
        """Merge a pull request and return the new commit of its base."""
        with self.lock:
            where = self._where(full_name, number)
            how = merge_actions.Merge(method)
            actor = self._actor(full_name, by)
            return merge_actions.merge_pull(self, where.repository, where.issue, where.pull, actor, how)

    def update_branch(self, full_name: str, number: int, *, by: str = "") -> None:
        """Merge the base into a pull request's branch."""
        with self.lock:
            where = self._where(full_name, number)
            merge_actions.update_branch(self, where.repository, where.pull, self._actor(full_name, by), "")

    def _where(self, full_name: str, number: int) -> Thread:
        repository = self.repository(full_name)
        return Thread.of(repository, self.issue(repository, number))

    def _actor(self, full_name: str, by: str) -> Actor:
        return Actor(self.user(by) if by else self.repository(full_name).owner)
