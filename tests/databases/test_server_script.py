"""The server that tests, benchmarks and the curious start: there while it is needed, and gone afterwards."""

import socket
from urllib.parse import urlsplit

import pytest
from scripts import start_postgres

from tests.databases.loading import shared_server


def test_nothing_is_left_of_a_server():
    shared_server()  # skips where there can be none
    with start_postgres.server() as address:
        place = urlsplit(address)
        socket.create_connection((place.hostname, place.port)).close()
    with pytest.raises(OSError):
        socket.create_connection((place.hostname, place.port)).close()


def test_where_there_is_none_it_says_so(monkeypatch, capsys):
    monkeypatch.setattr(start_postgres, "find", lambda: None)
    monkeypatch.setattr(start_postgres, "install", lambda: None)
    monkeypatch.setattr("sys.argv", ["start_postgres.py", "--install"])
    start_postgres.main()
    assert "Tests of PostgreSQL will be skipped" in capsys.readouterr().out
    with pytest.raises(start_postgres.NoServerError, match="there is no PostgreSQL here"):
        start_postgres.server().__enter__()
