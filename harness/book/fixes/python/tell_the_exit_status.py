"""A command that fails: with its status, or without."""

import subprocess


def faulty(server):
    @server.tool()
    def bash(command: str) -> str:
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        return f"Output:\n{done.stdout}{done.stderr}"


def fixed(server):
    # the fix:
    @server.tool()
    def bash(command: str) -> str:
        done = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        how = f"killed by signal {-done.returncode}" if done.returncode < 0 else f"exit status {done.returncode}"
        return f"{done.stdout}{done.stderr}\n{how}"
    # the end of the fix
