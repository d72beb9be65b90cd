"""The public settings that every system of query.py is asked at, and how many answers it gives."""

SYSTEMS = ("dalenius", "opendp-polars", "smartnoise", "pipeline-dp", "qrlew")
PEERS = SYSTEMS[1:]
COMPARED = ("Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "Q7", "D1")

BOUNDS = {
    "Q1": ("1x50", "1x400", "1x700", "1x1000"),
    "Q2": ("10x3", "20x3", "50x2", "50x6", "50x16"),
    "Q3": ("10x3", "20x3", "50x2", "50x6"),
    "Q4": ("5x1", "12x1", "16x1", "20x1"),
    "Q5": ("1x5", "1x20", "1x50", "1x100"),
    "Q6": ("1x25", "1x50", "1x75", "1x100"),
    "Q7": ("5x2", "10x2", "20x2", "50x2"),
    "D1": ("10x1", "30x1", "50x1"),
}
"""Groups of a user times rows in each of them; the product T is the bound of a system that has one number for both."""

OPTIONS = {
    **dict.fromkeys(("Q2", "Q3", "Q4", "Q7", "D1"), ("", "+gauss")),
    "Q5": ("", "+0.1", "+0.01"),
    "Q6": ("", "+sum"),
}
"""What else there is to choose: noise that spends the δ, a person's sum held, the candidates of a quantile."""

TAKES = {
    "dalenius": ("", "+gauss", "+sum"),
    "opendp-polars": ("", "+gauss", "+0.1", "+0.01"),
    "smartnoise": ("",),
    "pipeline-dp": ("", "+gauss", "+sum"),
    "qrlew": ("",),
}
"""The options that a system has; smartnoise's Gaussian noise counts a user's rows as if all were in one key."""

ANSWERS = {
    "dalenius": ("5-20:0.7", "20-400:5"),
    "opendp-polars": ("1", "4-20:10"),
    "smartnoise": ("1", "4-20:6"),
    "pipeline-dp": ("1", "2-4:12"),
    "qrlew": ("2-3:1", "8-30:8"),
}
"""Answers at each point of the grid, and then at the best one: least-most:CPU seconds, see query_worker.py."""

QUICK = {
    **ANSWERS,
    "smartnoise": ("1", "3-20:3"),
    "pipeline-dp": ("1", "2"),
    "qrlew": ("2-3:1", "6-30:3"),
}
"""The same for a run on a busy machine."""

FEWER = {
    "Q1": ("1x50", "1x700"),
    "Q2": ("10x3", "50x16+gauss"),
    "Q3": ("10x3", "50x6+gauss"),
    "Q4": ("5x1", "12x1", "16x1+gauss"),
    "Q5": ("1x5", "1x20"),
    "Q6": ("1x50", "1x50+sum", "1x75+sum"),
    "Q7": ("5x2", "50x2+gauss"),
    "D1": ("10x1", "50x1+gauss"),
}
"""Where a quick run asks pipeline-dp, whose answers take seconds: at the question's own setting and about its best."""


def points(system, name, quick=False):
    """The settings at which a system is asked a question, as query_workload.asked reads them."""
    if quick and system == "pipeline-dp":
        return [f"{name}@{setting}" for setting in FEWER[name]]
    options = [option for option in OPTIONS.get(name, ("",)) if option in TAKES[system]]
    if (system, name) == ("dalenius", "Q4"):
        options = [""]  # it chooses the noise of a threshold itself
    return [f"{name}@{bound}{option}" for bound in BOUNDS[name] for option in options]
