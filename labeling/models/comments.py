"""What people say to each other about an item. Never part of a blind page."""

from __future__ import annotations

from typing import Self

from django.conf import settings
from django.db import models

from triage.models import Project, Query, Run


class Comments(models.QuerySet["Comment"]):
    """Comments by query and by whom they name."""

    def on(self, query_id: int) -> Self:
        """Return the comments on a query, oldest first."""
        return self.filter(query=query_id).select_related("author").order_by("pk")

    def naming(self, user_id: int, project: Project) -> Self:
        """Return the comments of a project that name this person, newest first; none of a run that is being deleted."""
        mine = self.filter(names=user_id, query__run__project=project).exclude(query__run__state=Run.State.DELETING)
        return mine.select_related("author", "query__run").order_by("-pk")


class Comment(models.Model):
    """One remark on a query, with the members it names."""

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="comments")
    text = models.TextField()
    names = models.ManyToManyField(settings.AUTH_USER_MODEL, related_name="named_in")
    created_at = models.DateTimeField(auto_now_add=True)

    objects = Comments.as_manager()

    class Meta:
        indexes = [models.Index(fields=["query", "id"], name="comments_in_order")]

    def __str__(self) -> str:
        return f"comment on query {self.query_id}"
