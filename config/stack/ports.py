"""Finding an address to serve on."""

from __future__ import annotations

import errno
import socket

#: How many ports after a taken one are tried.
TRIES = 20


class NoPortError(RuntimeError):
    """None of the ports tried is free, or the address is not this machine's."""


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket at the port or at the next free one.

    It is kept open and handed to the web server, so that nobody can take the port between the look and the use,
    and connections wait while the web server is restarted.
    """
    for candidate in range(port, port + TRIES):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        line = socket.socket(family, socket.SOCK_STREAM)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            line.bind((host, candidate))
            line.listen(128)
        except OSError as error:
            line.close()
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise NoPortError(
                    f"cannot serve on {host}: {error.strerror}. Set HOST to one of this machine."
                ) from error
        else:
            return line
    raise NoPortError(f"ports {port} to {port + TRIES - 1} are all taken: choose another with `make run PORT=9000`.")
