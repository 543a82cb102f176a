import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox.spec import Limits, Verdict
from sandbox.stream import Ends, FrameError, Frames, Output


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
    return Output(Limits(**limits), results, b"+"), results


def test_results_are_what_follows_the_mark() -> None:
    taken, results = output()
    taken.feed(frame(2, b"log"))
    assert not taken.marked
    taken.feed(frame(1, b"+ta") + frame(1, b"r"))
    assert taken.marked
    assert (results.getvalue(), taken.log.value, taken.breach) == (b"tar", b"log", None)


def test_too_much_output_is_a_breach_and_is_not_kept() -> None:
    taken, _ = output(output_kept=8, output_total=100)
    for _ in range(50):
        taken.feed(frame(2, b"x" * 10))
    assert taken.breach is Verdict.OUTPUT_LIMIT
    assert len(taken.log.value) < 60


def test_too_large_results_are_a_breach_and_no_byte_above_the_limit_is_written() -> None:
    taken, results = output(results=10)
    taken.feed(frame(1, b"+" + b"y" * 8) + frame(1, b"y" * 8) + frame(1, b"y"))
    assert taken.breach is Verdict.RESULT_LIMIT
    assert len(results.getvalue()) <= 10
