import gc
import multiprocessing
import os
import signal
import threading
import time
from multiprocessing.synchronize import Event
from pathlib import Path

from sandbox.locks import Leases, if_free, locked

CONTEXT = multiprocessing.get_context("spawn")


def hold(path: Path, ready: Event) -> None:
    """For a process of its own: hold a lock until it is killed."""
    with locked(path):
        ready.set()
        time.sleep(600)


def test_a_lock_is_held_by_one_and_never_waited_for_by_who_only_asks(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.lock"
    with locked(path), if_free(path) as free:
        assert not free
    with if_free(path) as free:
        assert free


def test_the_lock_of_a_killed_process_is_free(tmp_path: Path) -> None:
    path, ready = tmp_path / "a.lock", CONTEXT.Event()
    process = CONTEXT.Process(target=hold, args=(path, ready))
    process.start()
    assert ready.wait(60)
    with if_free(path) as free:
        assert not free
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    with if_free(path) as free:
        assert free


def test_who_waited_for_a_lock_whose_file_was_removed_holds_the_new_one(tmp_path: Path) -> None:
    path, entered = tmp_path / "a.lock", threading.Event()

    def wait() -> None:
        with locked(path):
            entered.set()
            with if_free(path) as free:
                assert not free

    with locked(path):
        thread = threading.Thread(target=wait)
        thread.start()
        assert not entered.wait(0.1)
        path.unlink()
    thread.join()
    assert entered.is_set()


def test_leases_are_shared_note_their_use_and_end_with_their_object(tmp_path: Path) -> None:
    first, second = Leases(tmp_path), Leases(tmp_path)
    first.hold("k")
    os.utime(tmp_path / "k", (1, 1))
    second.hold("k")
    assert (tmp_path / "k").stat().st_mtime > 1
    first.release()
    with if_free(tmp_path / "k") as free:
        assert not free
    del second
    gc.collect()
    with if_free(tmp_path / "k") as free:
        assert free
