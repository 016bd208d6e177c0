"""A PostgreSQL database of Debian in a folder of its own, for the tests of clusters."""

import os
import pathlib
import pwd
import shutil
import subprocess

import clients
from relay import free_tcp_port

PROGRAMS = pathlib.Path("/usr/lib/postgresql/15/bin")
# Library that counts statements.
COUNTER = pathlib.Path("/usr/lib/postgresql/15/lib/pg_stat_statements.so")


def is_present():
    return (PROGRAMS / "initdb").exists()


class Database:
    """Runs until `stop`. As root it runs under the user of Debian's package, because PostgreSQL refuses to run as root."""

    def __init__(self, folder, address="127.0.0.1", prefix=()):
        """`prefix`: a command that runs the database elsewhere."""
        self.folder, self.port, self.address = pathlib.Path(folder).resolve(), free_tcp_port(), address
        self._prefix, self._starts = list(prefix), 0
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._user = []
        if os.geteuid() == 0:
            entry = pwd.getpwnam("postgres")
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
            self._user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        subprocess.run([*self._user, PROGRAMS / "initdb", "-D", self.folder / "data", "-U", "millrace", "-A", "trust"], check=True,
                       stdout=subprocess.DEVNULL)
        with open(self.folder / "data/pg_hba.conf", "a") as file:
            file.write("host all all samenet trust\n")
        self.start()

    @property
    def url(self):
        return f"postgres://millrace@{self.address}:{self.port}/postgres"

    def count_statements(self):
        """Returns how often each statement was executed so far, by its text."""
        rows = self.rows("CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public; "
                         "SELECT sum(calls), regexp_replace(query, '\\s+', ' ', 'g') FROM public.pg_stat_statements GROUP BY 2")
        return {text: int(calls) for calls, text in rows}

    def rows(self, sql):
        """Returns the rows of a query about conversations, as texts."""
        output = subprocess.run([*self._prefix, PROGRAMS / "psql", "-X", "-q", "-A", "-t", "-F", "\x1f", "-h", self.address, "-p",
                                 str(self.port), "-U", "millrace", "-d", "postgres", "-c",
                                 f"SET search_path = millrace_messages; {sql}"], check=True, capture_output=True, text=True).stdout
        return [line.split("\x1f") for line in output.splitlines()]

    def start(self):
        self._starts += 1
        self._log = self.folder.parent / f"postgres-{self._starts}.log"
        self._process = clients.Process("postgres", [
            *self._prefix, *self._user, PROGRAMS / "postgres", "-D", self.folder / "data", "-p", self.port,
            "-c", f"listen_addresses={self.address}", "-c", f"unix_socket_directories={self.folder}",
            *(["-c", "shared_preload_libraries=pg_stat_statements"] if COUNTER.exists() else []),
            # The tests kill the process, not the machine.
            "-c", "fsync=off"], self._log)
        clients.wait_until(lambda: self._answers() or not self._process.running, 30, "PostgreSQL")
        if not self._process.running:
            raise RuntimeError(f"PostgreSQL ended at once: {self._process.tail()}")

    def _answers(self):
        return subprocess.run([*self._prefix, PROGRAMS / "pg_isready", "-q", "-h", self.address, "-p", str(self.port)]).returncode == 0

    def kill(self):
        """Kills the server process; those of its connections notice it and end."""
        self._process.kill()

    def stop(self):
        self._process.stop()
