# SPDX-License-Identifier: MIT
"""server_test.py SERVER MODE - samples/server goes on accepting after it had no descriptor left.

More clients come than it has descriptors for. They go, and those that come then are served.
"""
import os
import resource
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "inspect"))
from judge import check, end # pylint: disable=wrong-import-position

FEW, MANY, AFTER, LIMIT = 64, 120, 8, 20
REQUEST = struct.pack("<QQ48s", 1, 0, b"x" * 48)


def limit_descriptors():
    resource.setrlimit(resource.RLIMIT_NOFILE, (FEW, FEW))


def connect(port):
    client = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
    client.settimeout(LIMIT)
    return client


def answered(client):
    client.sendall(REQUEST)
    got = b""
    while len(got) < len(REQUEST):
        part = client.recv(len(REQUEST) - len(got))
        if not part:
            return False
        got += part
    return got[:8] == REQUEST[:8]


def wait_until_full(pid):
    """Until the number of its descriptors has stood still for a second. Sooner, and the test would see less."""
    still, before, until = 0, -1, time.monotonic() + LIMIT
    while still < 20 and time.monotonic() < until:
        time.sleep(0.05)
        now = len(os.listdir(f"/proc/{pid}/fd"))
        still, before = still + 1 if now == before else 0, now


program, mode = sys.argv[1:]
with subprocess.Popen([program, "--mode", mode, "--schedulers", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                      preexec_fn=limit_descriptors) as server: # pylint: disable=subprocess-popen-preexec-fn
    try:
        port = int(server.stdout.readline().split()[1])
        crowd = [connect(port) for _ in range(MANY)]
        wait_until_full(server.pid)
        check(answered(crowd[0]), "the first client is not served")
        for client in crowd:
            client.close()
        for _ in range(AFTER):
            with connect(port) as client:
                check(answered(client), "a client after the crowd is turned away")
        said = server.communicate(timeout=LIMIT)[0]
        check(server.returncode == 0 and "left 0" in said, f"the server ended with {server.returncode}: {said}")
    except (OSError, subprocess.TimeoutExpired) as error:
        check(False, str(error))
    finally:
        server.kill()
end("server_test", mode)
