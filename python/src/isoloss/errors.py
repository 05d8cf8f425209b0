"""What goes wrong, as exceptions with one line each."""

from __future__ import annotations


class IsolossError(Exception):
    """Something failed; the message is one line that says where, what came, what was expected and what to do."""


class InputError(IsolossError, ValueError):
    """An argument, a model or a file does not fit."""


class UnusableError(IsolossError):
    """The work was done, and its result is not usable: a fit diverged, or rounding would undo an edit."""
