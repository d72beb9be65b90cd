"""`dalenius epsilon`: what an ε means for a person, and how the errors of your questions fall with it; for free."""

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dalenius.cli import terms
from dalenius.cli.output import say, say_json
from dalenius.errors import InvalidParameter

if TYPE_CHECKING:
    from dalenius.guarantees import MembershipRisk

Questions = Annotated[
    list[str] | None, typer.Argument(help="Questions whose errors are compared, each one SELECT; they need --policy.")
]
Epsilons = Annotated[list[str] | None, typer.Option("--epsilon", help="What is compared: 0.1,0.3,1 or several times.")]
Sizes = Annotated[
    list[str] | None,
    typer.Option(help="How large an answer is, as you state it or as it was released: one, or one for each question."),
]


def epsilon(
    questions: Questions = None,
    policy: terms.PolicyFile = None,
    epsilon: Epsilons = None,
    size: Sizes = None,
    delta: Annotated[str | None, typer.Option(help="The δ that is promised beside ε, of each question too.")] = None,
    prior: Annotated[str, typer.Option(help="An attacker's probability, beforehand, that a person is there.")] = "0.5",
    json: terms.Json = False,
) -> None:
    """What ε means in odds and chances for a person, and the errors of your questions at each: nothing is charged.

    No row is read and no ledger is opened: errors are those that `dalenius explain` tells.
    """
    from dalenius.sql import EPSILONS, errors_by_epsilon

    prices = [part for text in epsilon or EPSILONS for part in text.split(",")]
    risks = [_risk(price, delta, prior) for price in prices]
    table = None
    if questions:
        if policy is None:
            raise InvalidParameter("questions need the owner's terms: --policy policy.toml")
        stated = None if not size else size[0] if len(size) == 1 else size
        table = errors_by_epsilon(questions, prices, policy=policy, sizes=stated, delta=delta)
    elif size or policy is not None:
        raise InvalidParameter("--policy and --size are for questions: name one, such as 'SELECT COUNT(*) FROM visits'")
    if json:
        people = [_as_json(price, *risk) for price, risk in zip(prices, risks, strict=True)]
        say_json({"people": people} | ({} if table is None else {"questions": table.to_dict()}))
        return
    say("\n".join(_lines(prices, risks, delta)))
    if table is not None:
        say(f"\n{table}")


def _risk(epsilon: str, delta: str | None, prior: str) -> "tuple[MembershipRisk, MembershipRisk | None]":
    """For ε, or for any (ε, δ) and for the Gaussian noise that has it."""
    from dalenius.guarantees import ApproxDP, PureDP, membership_risk

    if delta is None:
        return membership_risk(PureDP(epsilon), prior), None
    from dalenius.mechanisms import Gaussian, calibrate
    from dalenius.neighbors import Metric, Sensitivity

    one = Sensitivity(1, Metric.L2)
    noise = calibrate(Gaussian, one, epsilon=epsilon, delta=delta)
    return membership_risk(ApproxDP(epsilon, delta), prior), membership_risk(noise.guarantee(one), prior)


def _lines(
    prices: list[str], risks: "list[tuple[MembershipRisk, MembershipRisk | None]]", delta: str | None
) -> list[str]:
    from dalenius.numerics import digits_above

    def percent(chance: float) -> str:
        return f"{digits_above(100 * chance, 5)} %"

    first = risks[0][0]
    head = ["ε", "odds times", "then a chance of", "guessed right", "found with 1 % false alarms"]
    rows = [head if delta is None else [*head, "guessed right, Gaussian noise"]]
    for price, (risk, gaussian) in zip(prices, risks, strict=True):
        odds = digits_above(risk.odds_factor, 4) if math.isfinite(risk.odds_factor) else "no bound"
        row = [price, odds, percent(risk.posterior), percent(risk.chance), percent(risk.detection)]
        rows.append(row if gaussian is None else [*row, percent(gaussian.chance)])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    said = f"Somebody is in the data with a probability of {percent(float(first.prior))}, as an attacker sees it"
    promise = "" if delta is None else f", and (ε, {delta}) is promised"
    return [f"{said}{promise}. At most:", "", *("  ".join(map(str.rjust, row, widths)) for row in rows)]


def _as_json(price: str, risk: "MembershipRisk", gaussian: "MembershipRisk | None") -> dict[str, Any]:
    def risk_json(one: "MembershipRisk") -> dict[str, Any]:
        figures = {name: float(value) for name, value in asdict(one).items()}
        return {name: value if math.isfinite(value) else None for name, value in figures.items()}

    return {"epsilon": price, **risk_json(risk)} | ({} if gaussian is None else {"gaussian": risk_json(gaussian)})
