"""The numbers that change an answer, in one frozen value with a fingerprint.

Defaults are those of `metrics.md` sections 3 and 4. Every stored result carries the fingerprint of the
policy it was made under; numbers that only change speed live in settings instead.
"""

from __future__ import annotations

import hashlib
import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

#: A threshold: every score a judge gives lies in [0, 1].
Share = Annotated[float, Field(ge=0, le=1)]

#: Refusals the abstention test looks for, by language, matched case-insensitively at word edges in a short
#: answer. Each names the refusal itself ("does not contain information"), never a bare verb: "the plan does
#: not contain a fee" is an answer.
ABSTENTION_PATTERNS_BY_LANGUAGE: dict[str, tuple[str, ...]] = {
    "en": (
        "i don't know",
        "i do not know",
        "i'm not able to answer",
        "i am not able to answer",
        "i cannot find",
        "i can't find",
        "i could not find",
        "i couldn't find",
        "cannot answer",
        "can't answer",
        "cannot be answered",
        "unable to answer",
        "unable to find",
        "no information",
        "not enough information",
        "insufficient information",
        "do not have information",
        "don't have information",
        "do not have any information",
        "don't have any information",
        "do not have that information",
        "don't have that information",
        "do not have enough information",
        "don't have enough information",
        "do not have specific information",
        "don't have specific information",
        "do not have any specific",
        "don't have any specific",
        "does not answer this question",
        "do not answer this question",
        "does not answer the question",
        "do not answer the question",
        "does not provide an answer",
        "do not provide an answer",
        "does not provide information",
        "do not provide information",
        "does not contain information",
        "do not contain information",
        "does not contain any information",
        "do not contain any information",
        "does not contain the answer",
        "do not contain the answer",
        "does not contain an answer",
        "do not contain an answer",
        "does not include information",
        "do not include information",
        "does not mention",
        "do not mention",
        "is not mentioned in",
        "not covered in the",
    ),
    "de": (
        "ich weiß es nicht",
        "ich weiß nicht",
        "keine informationen",
        "keine angaben",
        "nicht genügend informationen",
        "kann ich nicht beantworten",
        "kann diese frage nicht beantworten",
        "kann die frage nicht beantworten",
        "beantworten diese frage nicht",
        "konnte ich nicht finden",
    ),
    "fr": (
        "je ne sais pas",
        "aucune information",
        "pas d'information",
        "pas d'informations",
        "pas assez d'informations",
        "je ne peux pas répondre",
        "impossible de répondre",
        "ne répondent pas à cette question",
        "je n'ai pas trouvé",
    ),
    "es": (
        "no lo sé",
        "no tengo información",
        "no hay información",
        "no hay suficiente información",
        "no contiene información",
        "no contienen información",
        "no puedo responder",
        "no pude encontrar",
    ),
    "it": (
        "non lo so",
        "non ho informazioni",
        "nessuna informazione",
        "non ci sono informazioni",
        "non posso rispondere",
        "non sono in grado di rispondere",
    ),
    "pt": (
        "eu não sei",
        "não tenho informações",
        "não há informações",
        "não contém informações",
        "não posso responder",
        "não consigo responder",
    ),
    "nl": ("ik weet het niet", "geen informatie", "onvoldoende informatie", "kan ik niet beantwoorden"),
    "pl": ("nie wiem", "brak informacji", "nie mam informacji", "nie mogę odpowiedzieć"),
    "ru": ("я не знаю", "нет информации", "недостаточно информации", "не могу ответить"),
    "zh": ("我不知道", "没有相关信息", "没有足够的信息", "无法回答", "未提及", "無法回答", "沒有相關資訊"),
    "ja": ("わかりません", "分かりません", "情報がありません", "記載がありません", "お答えできません"),
    "ko": ("모르겠습니다", "정보가 없습니다", "답변할 수 없습니다"),
    "ar": ("لا أعرف", "لا أعلم", "لا توجد معلومات", "لا يمكنني الإجابة"),
    "hi": ("मुझे नहीं पता", "कोई जानकारी नहीं", "उत्तर नहीं दे सकता"),
}
DEFAULT_ABSTENTION_PATTERNS: tuple[str, ...] = tuple(
    pattern for patterns in ABSTENTION_PATTERNS_BY_LANGUAGE.values() for pattern in patterns
)


class Policy(BaseModel):
    """Thresholds of the classifier and everything else that can move a label.

    All thresholds lie in [0, 1] and are compared strictly: a value equal to its threshold passes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    #: Test 1: context recall below this files a query as `retrieval_miss`.
    context_recall: float = Field(default=0.50, ge=0, le=1)
    #: Test 2: faithfulness below this files a query as `unsupported_claims`.
    faithfulness: float = Field(default=0.85, ge=0, le=1)
    #: Test 3: answer relevance below this files a query as `grounded_wrong_question`.
    answer_relevance: float = Field(default=0.70, ge=0, le=1)
    #: An answer checked on its own is blocked below this share of supported claims, flagged up to `faithfulness`.
    block_below: float = Field(default=0.50, ge=0, le=1)
    #: Judges heard at another threshold than their own: fingerprint of the judge as it scores -> threshold.
    judge_thresholds: dict[str, Share] = Field(default_factory=dict)
    #: A margin smaller than this (either side) marks the query as near a threshold.
    near: float = Field(default=0.05, ge=0, le=1)
    #: Where a file says of no answer whether it is correct, the machine says it by match with the reference.
    match_reference: bool = True
    #: From this token F1 with its reference up an answer counts as correct (only by match).
    match_token_f1: float = Field(default=0.50, ge=0, le=1)
    #: An answer that holds its whole reference counts as correct (only by match).
    match_inclusion: bool = True
    #: An answer longer than this many characters is never an abstention by pattern alone.
    abstention_max_chars: int = Field(default=400, ge=0)
    #: Phrases that mark a refusal; data, not regular expressions, so that matching stays linear.
    abstention_patterns: tuple[str, ...] = DEFAULT_ABSTENTION_PATTERNS

    @property
    def fingerprint(self) -> str:
        """Return the first 8 hex digits of the sha256 of the canonical JSON of all fields.

        No moved judge is the same policy as before there was the field, so it keeps the fingerprint of its results.
        """
        unmoved = set() if self.judge_thresholds else {"judge_thresholds"}
        body = json.dumps(self.model_dump(mode="json", exclude=unmoved), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(body.encode()).hexdigest()[:8]


DEFAULT_POLICY = Policy()

#: Dashboard targets (metrics.md section 3), editable per project: metric -> at least.
DEFAULT_TARGETS: dict[str, float] = {
    "context_recall": 0.90,
    "faithfulness": 0.85,
    "answer_relevance": 0.80,
}
#: CI gates (metrics.md section 3), editable per project: metric -> at least.
DEFAULT_GATES: dict[str, float] = {
    "faithfulness": 0.85,
    "answer_relevance": 0.70,
    "citation_precision": 0.70,
    "citation_coverage": 0.90,
}
