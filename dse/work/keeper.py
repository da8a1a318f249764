"""What pieces found, kept in a store by what it depends on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dse.work.piece import Piece
from dse.work.store import WorkStore
from dse.work.store_errors import damaged


class Keeper:
    """Finds results of pieces in a store and puts new ones there; without a store it knows nothing."""

    def __init__(self, store: WorkStore | None) -> None:
        self.store = store

    def keys(self, pieces: Sequence[Piece], context: Any) -> list[bytes | None]:
        """The key of each piece; None without a store."""
        return [None if self.store is None else piece.key(context) for piece in pieces]

    def known(self, pieces: Sequence[Piece], keys: Sequence[bytes | None]) -> dict[int, Any]:
        """The results that are there, by the number of the piece. Raises ArrayolError (`store-damaged`)."""
        if self.store is None:
            return {}
        rows = self.store.get([key for key in keys if key is not None])
        found = {}
        for number, (piece, key) in enumerate(zip(pieces, keys, strict=True)):
            if key in rows:
                try:
                    found[number] = piece.load(rows[key])
                except ValueError:
                    raise damaged(self.store.path) from None
        return found

    def keep(self, piece: Piece, key: bytes | None, result: Any) -> None:
        """Put a result in the store."""
        if self.store is not None and key is not None:
            self.store.put(key, piece.kind, piece.dump(result))

    def finish(self) -> None:
        """The exploration has ended well: only its own rows stay, and none where it was over in a moment."""
        if self.store is not None:
            self.store.finish()
