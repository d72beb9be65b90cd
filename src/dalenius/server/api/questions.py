"""Saved questions: kept under a title for who asks, and for nobody else."""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from dalenius.server.desk import LONGEST_TITLE, SavedQuestion
from dalenius.server.who import Asker, Holder, Served
from dalenius.sql import LONGEST

router = APIRouter(tags=["saved questions"])

Id = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The name of something that was saved.")]
Term = Annotated[str, Field(max_length=100, description="As it is typed, such as 0.1; empty if it is left out.")]


class NewQuestion(BaseModel):
    """A question with its terms as they are typed; without a title it is called by its first words."""

    model_config = ConfigDict(extra="forbid")

    title: Annotated[str, Field(max_length=LONGEST_TITLE)] = ""
    sql: Annotated[str, Field(min_length=1, max_length=LONGEST)]
    epsilon: Term = ""
    delta: Term = ""

    def saved(self) -> SavedQuestion:
        """The question under a name of its own."""
        return SavedQuestion.of(self.title, self.sql, self.epsilon, self.delta)


class KeptQuestion(NewQuestion):
    """A question that is saved."""

    id: str


@router.get("/api/datasets/{table}/questions")
async def list_questions(session: Asker, key: Holder, served: Served) -> list[KeptQuestion]:
    """What the asker has saved, by title."""
    every = await served.line.free(lambda: served.desk.questions(session.policy.table, key.name))
    return [shown(one) for one in every]


@router.post("/api/datasets/{table}/questions", status_code=201)
async def save_question(kept: NewQuestion, session: Asker, key: Holder, served: Served) -> KeptQuestion:
    """Keep a question."""
    question = kept.saved()
    await served.line.free(lambda: served.desk.save(session.policy.table, key.name, question))
    return shown(question)


@router.delete("/api/datasets/{table}/questions/{question}", status_code=204)
async def forget_question(question: Id, session: Asker, key: Holder, served: Served) -> None:
    """Keep a question no more; one that is not there is gone already."""
    await served.line.free(lambda: served.desk.forget(session.policy.table, key.name, question))


def shown(question: SavedQuestion) -> KeptQuestion:
    """A question as it is kept."""
    return KeptQuestion(
        id=question.id, title=question.title, sql=question.sql, epsilon=question.epsilon, delta=question.delta
    )
