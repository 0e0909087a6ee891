"""The exceptions of the package."""

from __future__ import annotations


class BroadleafError(Exception):
    """The base of the exceptions of this package.

    A wrong type or dtype raises TypeError, and an integer that does not fit its parameter
    raises OverflowError: neither is a BroadleafError.
    """


class InputError(BroadleafError, ValueError):
    """A value that is refused: a coordinate that is not a number, a box turned inside
    out, a negative radius, arrays that do not go together. Nothing has been changed.

    Attributes:
        argument: the name of the argument, such as ``"shapes"``; of the two arrays of a tuple
            of corners ``"shapes[0]"`` and ``"shapes[1]"``.
        row: the row of its array, or None if it is refused as a whole.
        column: the column of its array, or None if the row is refused as a whole.
    """

    def __init__(
        self, message: str, argument: str | None = None, row: int | None = None, column: int | None = None
    ) -> None:
        super().__init__(message)
        self.argument = argument
        self.row = row
        self.column = column

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.argument, self.row, self.column)


class StaleIdError(InputError):
    """An id that names no object: it was removed, is of another tree, or is listed twice
    where each may stand once. Nothing has been changed.

    Attributes:
        argument: the name of the argument, such as ``"ids"``.
        row: where in its array the id stands.
        id: the id.
    """

    def __init__(self, message: str, argument: str | None = None, row: int | None = None, id: int = 0) -> None:
        super().__init__(message, argument, row)
        self.id = id

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (str(self), self.argument, self.row, self.id)


class StaleViewError(BroadleafError, RuntimeError):
    """A question to a view of a tree that has changed since. Take a new one by ``Octree.view()``."""


class SnapshotError(BroadleafError, ValueError):
    """Bytes that are no snapshot of this kind and version, or are damaged."""


class BrokenTreeError(BroadleafError, RuntimeError):
    """An invariant that does not hold, which would be a fault of this package."""
