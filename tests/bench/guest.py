"""What the benchmarks that run in a VM share. Time passes there by counting instructions
(VM_ICOUNT, see tests/vm/boot), so that any time is a number of these."""
import re
import subprocess

NS_PER_INSTRUCTION = 2
# The namespaces of tests/netns.sh.
SERVER, SERVER_IPV4, CLIENT = "netstacklat-server", "192.0.2.2", "netstacklat-client"


def in_namespace(namespace, *command, **options):
    return subprocess.Popen(["ip", "netns", "exec", namespace, *command], **options)


class Netstacklat:
    """One that measures already; hooks has pairs of a function and the hook there."""

    def __init__(self, *arguments, stdout=subprocess.DEVNULL):
        command = ["./netstacklat", "-v", *arguments]
        self.process = subprocess.Popen(command, stdout=stdout, stderr=subprocess.PIPE, text=True)
        self.hooks = []
        said = ""
        for line in self.process.stderr:
            said += line
            attached = re.search(r": (\S+) attached at (\S+)\(\)", line)
            if attached:
                self.hooks.append((attached[2], attached[1]))
            if "measuring" in line:
                return
        raise RuntimeError(" ".join(command) + " did not start:\n" + said)

    def end(self):
        self.process.kill()
        self.process.wait()
