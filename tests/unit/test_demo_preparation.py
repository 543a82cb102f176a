"""The demo's preparation asks before it changes a machine, and stops only what it started."""

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bot.demo import bootstrap, machine, network
from bot.demo.machine import NotReadyError, Powers
from bot.demo.processes import Processes, stop_left_running

COMMAND = "apt-get install docker.io"


def agree(powers: Powers, answer: str = "") -> list[str]:
    said: list[str] = []
    machine.agree(COMMAND, "An engine is missing.", powers, lambda _: answer, said.append)
    return said


def test_without_root_the_exact_command_is_named() -> None:
    with pytest.raises(NotReadyError, match=f"sudo sh -c '{COMMAND}'"):
        agree(Powers(root=False, apt=True, terminal=True, agreed=True))


def test_root_without_a_terminal_gets_the_exact_command_and_nothing_is_installed() -> None:
    with pytest.raises(NotReadyError, match=COMMAND):
        agree(Powers(root=True, apt=True, terminal=False, agreed=False))


def test_a_script_that_agreed_beforehand_is_told_what_runs() -> None:
    assert COMMAND in agree(Powers(root=True, apt=True, terminal=False, agreed=True))[0]


@pytest.mark.parametrize("answer", ["", "n", "later"])
def test_a_person_who_does_not_say_yes_keeps_the_machine_as_it_is(answer: str) -> None:
    with pytest.raises(NotReadyError, match="Nothing was installed"):
        agree(Powers(root=True, apt=True, terminal=True, agreed=False), answer)


def test_a_person_who_says_yes_is_enough() -> None:
    assert agree(Powers(root=True, apt=True, terminal=True, agreed=False), "Y\n") == []


def test_an_engine_named_by_the_operator_is_the_only_candidate() -> None:
    assert machine.candidates({"DOCKER_HOST": "tcp://10.0.0.1:2375"}) == ("tcp://10.0.0.1:2375",)


def test_an_engine_counts_only_when_it_answers(tmp_path: Path) -> None:
    address = f"unix://{tmp_path}/engine.sock"
    said: list[str] = []
    assert machine.find({"DOCKER_HOST": address}, said.append) is None
    assert address in said[0]
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"{tmp_path}/engine.sock")
        listener.listen()
        threading.Thread(target=_pong, args=(listener,)).start()
        assert machine.find({"DOCKER_HOST": address}, said.append) == address


def _pong(listener: socket.socket) -> None:
    with listener.accept()[0] as connection:
        connection.recv(4096)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK")


def test_an_engine_that_somebody_else_runs_is_never_stopped(tmp_path: Path) -> None:
    (tmp_path / "dockerd.pid").write_text(str(os.getpid()))
    assert machine.started_here(tmp_path) is None
    assert not machine.stop(tmp_path)


def test_where_the_named_engine_does_not_answer_the_command_is_never_run(capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = {**os.environ, "REGREEN_DOCKER_HOST": "unix:///nowhere.sock"}
    assert bootstrap.main([sys.executable, "-c", "raise SystemExit(0)"], nowhere) == 1
    assert "unix:///nowhere.sock" in capsys.readouterr().err


def test_only_what_differs_from_the_usual_is_printed_for_the_shell() -> None:
    usual = {"REGREEN_DOCKER_HOST": machine.DEFAULT_ADDRESS}
    assert bootstrap.exports(usual) == []
    found = usual | {"REGREEN_CA_BUNDLE": "/etc/my ca.pem", "REGREEN_PRIVATE_HOSTS": "a.example,b.example"}
    assert bootstrap.exports(found) == [
        "export REGREEN_CA_BUNDLE='/etc/my ca.pem'",
        "export REGREEN_PRIVATE_HOSTS=a.example,b.example",
    ]


def test_hosts_with_public_addresses_are_not_listed_as_private() -> None:
    addresses = {"mirror.example": ["10.1.2.3"], "public.example": ["1.1.1.1"], "gone.example": []}
    assert network.private_hosts(addresses, lambda host: addresses[host]) == ("mirror.example",)


def test_the_bundle_that_a_variable_names_comes_first(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.touch()
    assert network.ca_bundle({"SSL_CERT_FILE": str(bundle)}) == bundle
    assert network.ca_bundle({"SSL_CERT_FILE": str(tmp_path / "gone.pem")}) != tmp_path / "gone.pem"


def test_processes_left_running_are_stopped_by_a_later_call_and_nobody_else(tmp_path: Path) -> None:
    sleeper = [sys.executable, "-c", "import time; time.sleep(60)"]
    bystander = subprocess.Popen(sleeper)
    try:
        child = Processes(tmp_path).start("sleeper", sleeper, os.environ)
        threading.Thread(target=child.process.wait).start()  # what init does for those that a parent left behind
        assert stop_left_running(tmp_path) == 1
        assert stop_left_running(tmp_path) == 0
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_process_that_ends_by_itself_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    processes = Processes(tmp_path)
    child = processes.start("broken", [sys.executable, "-c", "raise SystemExit('no key')"], os.environ)
    child.process.wait()
    with pytest.raises(Exception, match="no key"):
        processes.check()
    processes.stop()
