#!/usr/bin/python3 -B
"""netstacklat --help into a pipe which takes no more and does not block.

usage: tests/cli/full_pipe.py read                 a slow reader gets all
       tests/cli/full_pipe.py interrupt SIGNAL...  nobody reads, and each signal ends it
"""
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import time

HELP = ["./netstacklat", "--help"]
F_SETPIPE_SZ = 1031


def full_pipe():
    """Also returns how many bytes are in it."""
    reader, writer = os.pipe()
    fcntl.fcntl(writer, F_SETPIPE_SZ, 4096)
    os.set_blocking(writer, False)
    return reader, writer, os.write(writer, bytes(1 << 16))


def start(writer):
    """Once it holds signals back, and has had the time to find that the pipe is full."""
    run = subprocess.Popen(HELP, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    while "SigBlk:\t0000000000000000" in pathlib.Path(f"/proc/{run.pid}/status").read_text():
        time.sleep(0.01)
    time.sleep(0.5)
    assert run.poll() is None, run.stderr.read()
    return run


def read():
    reader, writer, already_there = full_pipe()
    run = start(writer)
    with open(reader, "rb") as pipe:
        read = pipe.read()[already_there:]
    assert run.wait() == 0, run.stderr.read()
    assert read == subprocess.check_output(HELP), read


def interrupt(*signals):
    for name in signals:
        _, writer, _ = full_pipe()
        run = start(writer)
        run.send_signal(signal.Signals["SIG" + name])
        # It waits for half a second, and a busy machine for longer.
        assert run.wait(timeout=10) == 1
        said = run.stderr.read()
        assert said == "netstacklat: ended while nobody read the reports: what was not read is lost\n", said


{"read": read, "interrupt": interrupt}[sys.argv[1]](*sys.argv[2:])
