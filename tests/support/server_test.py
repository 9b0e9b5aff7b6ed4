# SPDX-License-Identifier: MIT
"""server_test.py MODE COMMAND... - the sample server, under load.

Keeps 40 connections busy, closes some by a reset and some within a request, checks every reply, and then what the
server says that it has answered. MODE: ums, port or threads. COMMAND starts it. Where it stands still the engine says
who waits (UMSSHIM_WATCH), and this program which connections have had no reply.
"""
import os
import selectors
import socket
import struct
import subprocess
import sys
import time

CONNECTIONS, REQUESTS, LIMIT = 40, 25, 120
BASIS, PRIME, MASK = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
MESSAGE = struct.Struct("<QQ48s") # samples/server/protocol.h


def sum_of(number, text):
    result = BASIS ^ number
    for byte in text:
        result = (result ^ byte) * PRIME & MASK
    return result


class Connection:
    def __init__(self, index, port):
        self.index, self.answered, self.got = index, 0, b""
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=LIMIT)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self):
        number = self.index << 32 | self.answered
        text = bytes([(self.index + self.answered) % 256]) * 48
        self.expected = MESSAGE.pack(number, sum_of(number, text), text)
        self.got = b""
        self.socket.sendall(MESSAGE.pack(number, 0, text))

    def take(self):
        """True: it has its last reply."""
        part = self.socket.recv(MESSAGE.size - len(self.got))
        if not part:
            sys.exit(f"server_test: connection {self.index} was closed after {self.answered} replies")
        self.got += part
        if len(self.got) < MESSAGE.size:
            return False
        if self.got != self.expected:
            sys.exit(f"server_test: connection {self.index}: {self.got.hex()}, not {self.expected.hex()}")
        self.answered += 1
        if self.answered == REQUESTS:
            return True
        self.ask()
        return False

    def close(self):
        if self.index % 4 == 1: # in the middle of a request
            self.socket.sendall(b"half")
        if self.index % 4 == 2: # by a reset
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def exchange(port):
    """The load. How many replies came."""
    ready = selectors.DefaultSelector()
    connections = [Connection(index, port) for index in range(CONNECTIONS)]
    for connection in connections:
        ready.register(connection.socket, selectors.EVENT_READ, connection)
        connection.ask()
    end = time.monotonic() + LIMIT
    while ready.get_map():
        for key, _ in ready.select(1):
            if key.data.take():
                ready.unregister(key.fileobj)
                key.data.close()
        if time.monotonic() > end:
            waiting = {key.data.index: key.data.answered for key in ready.get_map().values()}
            sys.exit(f"server_test: after {LIMIT} s these wait, with so many replies: {waiting}")
    return sum(connection.answered for connection in connections)


def main():
    mode, *command = sys.argv[1:]
    with subprocess.Popen([*command, "--mode", mode, "--schedulers", "2"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True, env={**os.environ, "UMSSHIM_WATCH": "5"}) as process:
        try:
            said = process.stdout.readline().split()
            if said[:1] != ["port"]:
                sys.exit(f"server_test: the server says {said}")
            answered = exchange(int(said[1]))
            process.stdin.close()
            said = process.stdout.read().strip()
            process.wait(LIMIT)
        finally:
            process.kill()
        expected = f"requests {answered}, refused 0, left 0"
        if answered != CONNECTIONS * REQUESTS or said != expected or process.returncode:
            sys.exit(f"server_test: {answered} replies; it says '{said}', not '{expected}'; status "
                     f"{process.returncode}")


main()
