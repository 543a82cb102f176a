"""Job logs of any size, and archives of any layout, from a host that is not GitHub's."""

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Mapping

import pytest
from fakes_log_host import LogHost, log_host

from bot.adapters.github.downloads import Caps, download

FAILED = "FAILED tests/test_cart.py::test_total - assert 1 == 2\n"
MEBI = 1 << 20


def archive(files: Mapping[str, str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", compression) as made:
        for name, text in files.items():
            made.writestr(name, text)
    return packed.getvalue()


def fetched(body: bytes, job: str = "test (3.11)", caps: Caps | None = None) -> str:
    with log_host(LogHost(body=body)) as host:
        return download(host.url, job, caps or Caps())


def test_of_a_log_of_500_megabytes_the_end_is_read_and_neither_memory_nor_the_line_is_filled() -> None:
    with log_host(LogHost(tail=FAILED.encode(), size=500 * MEBI)) as host:
        tracemalloc.start()
        log = download(host.url, caps=Caps(bytes=4 * MEBI))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert log.endswith(FAILED)
    assert len(log) == 200_000
    assert peak < 40 * MEBI
    assert host.sent < 50 * MEBI
    assert [request.get("range", "") for request in host.requests] == [
        "",
        f"bytes={496 * MEBI}-{500 * MEBI - 1}",
    ]
    assert not any("authorization" in request for request in host.requests)


def test_of_a_host_without_ranges_the_beginning_is_read_up_to_the_cap_and_that_is_said() -> None:
    with log_host(LogHost(head=FAILED.encode(), size=500 * MEBI, ranges=False)) as host:
        log = download(host.url, caps=Caps(bytes=MEBI))
    assert "could not be read: only" in log
    assert host.sent < 50 * MEBI


LAYOUTS = {
    "a file a job": {"0_lint.txt": "fine", "1_test (3.11).txt": FAILED, "2_test (3.12).txt": "other"},
    "a file a step": {"test (3.11)/2_Run.txt": FAILED, "test (3.11)/1_Set up.txt": "first", "lint/1_Run.txt": "fine"},
    "both": {"-1_test (3.11).txt": FAILED, "test (3.11)/1_Run.txt": FAILED, "test (3.11)/system.txt": "runner"},
    "the runner's words beside": {"test (3.11)/system.txt": "runner", "test (3.11)/9_Run.txt": FAILED},
    "the runner's words alone": {"test (3.11)/system.txt": FAILED, "lint/system.txt": "fine"},
    "names cleaned": {"3_test _3.11_.txt": FAILED, "0_lint.txt": "fine"},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_jobs_own_log_is_found_however_the_archive_is_laid_out(layout: str) -> None:
    log = fetched(archive(LAYOUTS[layout]))
    assert log.endswith(FAILED)
    assert not {"fine", "other"} & set(log.split())


def test_steps_are_read_in_their_order() -> None:
    steps = {f"test (3.11)/{number}_x.txt": f"<{number}>" for number in (10, 9, 1)}
    assert fetched(archive(steps)) == "<1><9><10>"


def test_where_no_file_has_the_jobs_name_all_are_read() -> None:
    assert FAILED in fetched(archive({"logs/everything.log": FAILED, "readme": "r"}))


def test_a_long_job_name_that_the_archive_cut_is_the_same_name() -> None:
    job = "build / " + "very long " * 30
    assert fetched(archive({"0_lint.txt": "fine", f"1_{job.replace('/', '')[:90]}.txt": FAILED}), job) == FAILED


def test_an_archive_that_unpacks_to_gigabytes_is_unpacked_up_to_a_cap() -> None:
    bomb = archive({f"{number}_test (3.11).txt": "0" * (40 * MEBI) for number in range(3)})
    assert len(bomb) < MEBI
    tracemalloc.start()
    log = fetched(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(log) == 200_000
    assert peak < 20 * MEBI


@pytest.mark.parametrize("cut", [30, -40])
def test_a_damaged_archive_is_said_to_be_one_and_ends_nothing(cut: int) -> None:
    whole = archive({"1_test (3.11).txt": FAILED * 50})
    assert "could not be read" in fetched(whole[:cut])
    broken = bytearray(archive({"1_test (3.11).txt": FAILED * 500}))
    broken[60:90] = bytes(30)
    assert "damaged" in fetched(bytes(broken))


def test_an_archive_with_nothing_in_it_or_too_large_is_said_so() -> None:
    assert "could not be read" in fetched(archive({}) + b"\0")
    assert "could not be read" in fetched(archive({"empty/": ""}))
    assert "larger than" in fetched(archive({"a": FAILED * 1000}, zipfile.ZIP_STORED), caps=Caps(bytes=1000))


def test_a_log_that_is_compressed_by_itself_is_unpacked() -> None:
    assert fetched(gzip.compress(FAILED.encode())) == FAILED
    assert "damaged" in fetched(gzip.compress(FAILED.encode() * 900)[:40])


def test_bytes_that_are_no_text_are_read_all_the_same() -> None:
    assert fetched(b"\xef\xbb\xbf\xff\xfe\x00 " + FAILED.encode()).endswith(FAILED)


def test_a_host_that_is_not_there_is_said_so() -> None:
    assert download("http://127.0.0.1:1/x") == "[the job's log could not be read: ConnectError]"
    assert "could not be read" in download("ftp://127.0.0.1/x")
