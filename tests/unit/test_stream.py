import io
from itertools import cycle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.containers.stream import Ends, FrameError, Frames, Output
from sandbox.spec import Limits, Verdict

SECRET = b"5ec2e7"


def frame(stream: int, payload: bytes) -> bytes:
    return bytes([stream, 0, 0, 0]) + len(payload).to_bytes(4) + payload


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    pieces, start = [], 0
    for size in sizes:
        pieces.append(data[start : start + size])
        start += size
    return [*pieces, data[start:]]


@given(
    st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=40)), max_size=20),
    st.lists(st.integers(1, 30), max_size=40),
)
def test_frames_come_out_whole_however_they_are_cut(frames: list[tuple[int, bytes]], sizes: list[int]) -> None:
    streams = {1: bytearray(), 2: bytearray()}
    reader = Frames(streams[1].extend, streams[2].extend)
    for piece in cut(b"".join(frame(*item) for item in frames), sizes):
        reader.feed(piece)
    for stream, seen in streams.items():
        assert bytes(seen) == b"".join(payload for kind, payload in frames if kind == stream)


@pytest.mark.parametrize("header", [b"\x07\0\0\0\0\0\0\x01", b"\x01\x01\0\0\0\0\0\x01", b"HTTP/1.1"])
def test_bytes_that_are_no_frame_are_refused(header: bytes) -> None:
    with pytest.raises(FrameError):
        Frames(lambda _: None, lambda _: None).feed(header)


@given(st.lists(st.binary(max_size=50), max_size=30), st.integers(2, 60))
def test_ends_keeps_the_first_and_the_last_half(pieces: list[bytes], kept: int) -> None:
    ends = Ends(kept)
    for piece in pieces:
        ends.write(memoryview(piece))
    whole, half = b"".join(pieces), kept // 2
    if len(whole) <= 2 * half:
        assert (ends.value, ends.truncated) == (whole, False)
    else:
        assert ends.truncated
        assert ends.value.startswith(whole[:half])
        assert ends.value.endswith(whole[-half:])


def output(**limits: int) -> tuple[Output, io.BytesIO]:
    results = io.BytesIO()
    return Output(Limits(**limits), results, b"+", SECRET), results


def test_results_are_what_follows_mark_and_secret() -> None:
    taken, results = output()
    taken.feed(frame(2, b"log"))
    assert not taken.marked
    taken.feed(frame(1, b"+" + SECRET + b"ta") + frame(1, b"r"))
    assert taken.marked
    assert (results.getvalue(), taken.log.value, taken.breach, taken.forged) == (b"tar", b"log", None, False)


@given(before=st.binary(max_size=40), after=st.binary(max_size=40), sizes=st.lists(st.integers(1, 9), min_size=1))
def test_what_precedes_the_secret_is_dropped_and_told_wherever_the_stream_is_cut(
    before: bytes, after: bytes, sizes: list[int]
) -> None:
    taken, results = output()
    rest = b"+" + before + SECRET + after
    for size in cycle(sizes):
        taken.feed(frame(1, rest[:size]))
        rest = rest[size:]
        if not rest:
            break
    genuine = (before + SECRET + after).partition(SECRET)
    assert (results.getvalue(), taken.forged) == (genuine[2], bool(genuine[0]))


@pytest.mark.parametrize("junk", [b"x", SECRET[:-1], b"x" * 100])
def test_anything_without_the_secret_is_forged_and_nothing_at_all_is_not(junk: bytes) -> None:
    taken, results = output()
    taken.feed(frame(1, b"+"))
    assert not taken.forged
    taken.feed(frame(1, junk))
    assert taken.forged
    assert results.getvalue() == b""


def test_what_precedes_the_secret_counts_against_the_limit() -> None:
    taken, results = output(results=100)
    taken.feed(frame(1, b"+" + b"x" * 60) + frame(1, SECRET + b"y" * 60))
    assert (taken.breach, taken.forged, results.getvalue()) == (Verdict.RESULT_LIMIT, True, b"")


def test_too_much_output_is_a_breach_and_is_not_kept() -> None:
    taken, _ = output(output_kept=8, output_total=100)
    for _ in range(50):
        taken.feed(frame(2, b"x" * 10))
    assert taken.breach is Verdict.OUTPUT_LIMIT
    assert len(taken.log.value) < 60


def test_too_large_results_are_a_breach_and_no_byte_above_the_limit_is_written() -> None:
    taken, results = output(results=10)
    taken.feed(frame(1, b"+" + SECRET + b"y" * 8) + frame(1, b"y" * 8) + frame(1, b"y"))
    assert taken.breach is Verdict.RESULT_LIMIT
    assert len(results.getvalue()) <= 10
