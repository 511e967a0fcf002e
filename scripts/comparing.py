"""What the scripts that compare Pulga with other programs share."""
import subprocess
import sys
from pathlib import Path


def check(good, *said):
    """Ends with a message and status 1 unless it is good."""
    if not good:
        sys.exit(Path(sys.argv[0]).stem + ": " + " ".join(str(s) for s in said))


def run(*command):
    """What the command prints, in bytes."""
    command = [str(c) for c in command]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    check(done.returncode == 0, *command, "failed:", done.stderr.decode().strip())
    return done.stdout
