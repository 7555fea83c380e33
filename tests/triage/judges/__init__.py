"""Judges, one contract for all."""
