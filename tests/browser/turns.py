"""turns.py: browsers are tested side by side, but a test that measures times has the machine to
itself."""
import contextlib
import fcntl

from page import BUILD


def timed(look):
    """Marks such a test."""
    look.timed = True
    return look


@contextlib.contextmanager
def turn_of(look):
    """Waits until it is a test's turn. A timed one that waits keeps others from beginning."""
    folder = BUILD / "browser"
    with open(folder / "next", "w") as following, open(folder / "turn", "w") as turn:
        fcntl.flock(following, fcntl.LOCK_EX)
        fcntl.flock(turn, fcntl.LOCK_EX if hasattr(look, "timed") else fcntl.LOCK_SH)
        fcntl.flock(following, fcntl.LOCK_UN)
        yield
