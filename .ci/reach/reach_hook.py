"""Loaded at the start of each Python process that is measured: starts coverage, and saves it every second."""

import threading
import time

import coverage

measured = coverage.process_startup() or coverage.Coverage.current()


def save():
    while True:
        time.sleep(1)
        try:
            measured.save()
        except Exception:
            pass


if measured is not None:
    threading.Thread(target=save, daemon=True).start()
