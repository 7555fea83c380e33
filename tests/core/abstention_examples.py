"""Refusals in the policy's languages, and answers that only sound like one."""

from __future__ import annotations

REFUSALS: list[tuple[str, str]] = [
    ("en", "I don't know."),
    ("en", "Sorry, I do not have specific information about version 6.16."),
    ("en", "The documents do not answer this question."),
    ("en", "Based on the context, there is not enough information to say."),
    ("en", "This question cannot be answered from the passages."),
    ("en", "The guide does not mention a refund."),
    ("de", "Das kann ich nicht beantworten."),
    ("de", "Dazu liegen keine Informationen vor."),
    ("fr", "Je ne sais pas."),
    ("fr", "Il n’y a pas d’information à ce sujet."),
    ("es", "Lo siento, no tengo información sobre eso."),
    ("it", "Mi dispiace, non lo so."),
    ("pt", "Desculpe, não tenho informações sobre isso."),
    ("nl", "Ik weet het niet."),
    ("pl", "Niestety nie wiem."),
    ("ru", "К сожалению, я не знаю."),
    ("zh", "抱歉，根据文档无法回答这个问题。"),
    ("ja", "申し訳ありませんが、わかりません。"),
    ("ko", "죄송합니다. 관련 정보가 없습니다."),
    ("ar", "عذرًا، لا أعرف."),
    ("hi", "माफ़ कीजिए, मुझे नहीं पता।"),
]

ANSWERS: list[str] = [
    "The free plan does not contain an export.",
    "Our cakes do not contain nuts.",
    "The warranty is void when the seal is broken.",
    "Casino information desks open at nine.",
    "Das Paket enthält keine Batterien.",
    "42",
    "👍",
]
