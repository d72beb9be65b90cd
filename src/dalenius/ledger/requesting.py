"""Asking the owner: for more budget, or for one question to be run."""

from dalenius.errors import InvalidParameter
from dalenius.guarantees import Guarantee
from dalenius.ledger import accounts, kinds, requests
from dalenius.ledger.amount import Amount
from dalenius.ledger.blocks import Blocks
from dalenius.ledger.books import Books, check_texts
from dalenius.ledger.filters import cost_of
from dalenius.ledger.questions import question_words
from dalenius.ledger.requests import APPROVED, DECLINED, BudgetRequest
from dalenius.neighbors import Unit
from dalenius.numerics import Number


class Requesting(Books):
    """Requests and the owner's answers, each an entry of its own."""

    def request_budget(
        self, dataset: str, analyst: str, epsilon: Number, delta: Number = 0, *, purpose: str | None = None
    ) -> str:
        """Ask for so much more than one's share; the name of the request."""
        check_texts(analyst=analyst, purpose=purpose)
        price = Amount.limit(epsilon, delta)
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            most = accounts.budget_of(records, dataset).limit
            if not price.within(most):
                raise InvalidParameter(f"more was asked for than {dataset!r} has: {most}")
            body = _words(analyst, price, purpose) | {"question": None, "text": None, "error": None}
            return self._append(records, kinds.REQUEST, dataset, body)[1]

    def request_question(
        self,
        guarantee: Guarantee,
        *,
        dataset: str,
        unit: Unit | str,
        analyst: str,
        fingerprint: str,
        blocks: Blocks | None = None,
        text: str | None = None,
        error: str | None = None,
        purpose: str | None = None,
    ) -> str:
        """Ask that one question may be run beside one's share; the name of the request.

        Args:
            guarantee: the price of the question.
            dataset: whose budget would pay.
            unit: who is protected.
            analyst: who asks.
            fingerprint: names the question.
            blocks: the part of the people that would be read.
            text: the question, for the owner to read.
            error: how far off its answer would be, in words.
            purpose: what the answer is for.
        """
        check_texts(analyst=analyst, fingerprint=fingerprint, text=text, error=error, purpose=purpose)
        question = question_words(guarantee, Unit.of(unit), fingerprint, blocks)
        with self._store.transaction(dataset) as records:
            terms = accounts.terms_of(records, dataset)
            terms.check_charge(dataset, Unit.of(unit), guarantee.relation)
            cost = cost_of(guarantee, terms.branches)
            price = Amount.cost(cost.epsilon or 0, cost.delta or 0)
            body = _words(analyst, price, purpose) | {"question": question, "text": text, "error": error}
            return self._append(records, kinds.REQUEST, dataset, body)[1]

    def approve(self, dataset: str, request: str) -> None:
        """Grant what was asked for: the share grows by so much, or the question may be run once beside it."""
        with self._store.transaction(dataset) as records:
            terms = accounts.terms_of(records, dataset)
            asked = requests.open_request(records, dataset, request)
            if asked.get("question") is None:
                account = str(accounts.account_of(records, dataset, asked["analyst"]))
                share = accounts.share_of(records, dataset, account)
                if share is not None and not share.open_at(self._time(records, dataset)):
                    raise InvalidParameter(
                        f"the share of {account!r} {'was revoked' if share.revoked else 'has ended'}, and more of it "
                        "would give all of it back: give another one with ledger.share, or decline"
                    )
                limit = (Amount(0, 0) if share is None else share.limit) + Amount(
                    int(asked["epsilon_units"]), int(asked["delta_units"])
                )
                most = accounts.budget_of(records, dataset).limit
                if not limit.within(most):
                    raise InvalidParameter(f"a share of {limit} would be more than {dataset!r} has: {most}")
                given = terms.share(limit, None if share is None else share.until)
                self._append(records, kinds.SHARE, dataset, given.to_dict() | {"analyst": account, "request": request})
            body = {"request": request, "kind_of_answer": APPROVED, "analyst": asked["analyst"]}
            self._append(records, kinds.APPROVE, dataset, body)

    def decline(self, dataset: str, request: str, reason: str | None = None) -> None:
        """Refuse what was asked for, with a reason for who asked."""
        check_texts(purpose=reason)
        with self._store.transaction(dataset) as records:
            asked = requests.open_request(records, dataset, request)
            body = {"request": request, "kind_of_answer": DECLINED, "analyst": asked["analyst"], "reason": reason}
            self._append(records, kinds.DECLINE, dataset, body)

    def requests(self, dataset: str) -> list[BudgetRequest]:
        """Every request of a data set, the oldest first."""
        with self._store.reading() as records:
            accounts.terms_of(records, dataset)
            return requests.all_requests(records, dataset)


def _words(analyst: str, price: Amount, purpose: str | None) -> dict[str, str | None]:
    units = {"epsilon_units": str(price.epsilon_units), "delta_units": str(price.delta_units)}
    return {"analyst": analyst, "purpose": purpose} | units
