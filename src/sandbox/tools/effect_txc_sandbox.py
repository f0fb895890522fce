"""A sandbox of the exchange, for programs and tests in Python. It needs only the standard library.

    from effect_txc_sandbox import Sandbox

    with Sandbox.start(dialect="live") as sandbox:
        print(sandbox.call("/api/v4/main-account/balance"))

The sandbox ends with the process that started it, even if that is killed.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any, Callable, Mapping, NamedTuple, Sequence

_packaged = Path(__file__).resolve().parents[3] / "dist" / "cli" / "bin.cjs"

# A sandbox on this machine is never behind a proxy.
_opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Refused(Exception):
    """The exchange or the control plane responded with an error."""

    def __init__(self, status: int, body: Any) -> None:
        super().__init__(f"HTTP {status}: {body}")
        #: The HTTP status.
        self.status = status
        #: The response body: parsed if it is JSON, otherwise a string.
        self.body = body


class Key(NamedTuple):
    """An API key of the exchange."""

    api_key: str
    api_secret: str


def _send(request: urllib.request.Request) -> Any:
    try:
        with _opener.open(request, timeout=60) as answer:
            text, status = answer.read(), answer.status
    except urllib.error.HTTPError as error:
        with error:
            text, status = error.read(), error.code
    try:
        body = json.loads(text)
    except ValueError:
        body = text.decode(errors="replace")
    if status >= 400 or isinstance(body, str):
        raise Refused(status, body)
    return body


class Sandbox:
    """A running sandbox. Use it with `with`, or call `stop`."""

    def __init__(self, url: str, control_url: str, control_token: str, stop: Callable[[], None]) -> None:
        #: The base URL of the exchange, such as http://127.0.0.1:8080.
        self.url = url
        #: The base URL of the control plane.
        self.control_url = control_url
        #: The control plane's token.
        self.control_token = control_token
        self._stop = stop
        self._lock = threading.Lock()
        self._nonce = 0
        self._limited: set[str] = set()
        #: "document" or "live".
        self.dialect: str = self.control("Status")["dialect"]
        #: The first key of every account: alice, bob and alice's sub-accounts.
        self.keys: dict[str, Key] = {}
        for line in self._read_control("Journal").decode().splitlines():
            action = json.loads(line)["action"]
            if action["_tag"] == "AddKey":
                self.keys.setdefault(action["account"], Key(action["apiKey"], action["apiSecret"]))
        self._first_keys = dict(self.keys)

    @classmethod
    def start(
        cls,
        dialect: str = "document",
        clock: str | None = None,
        flags: Sequence[str] = ("--memory",),
        command: str | None = None,
    ) -> Sandbox:
        """Starts a sandbox.

        `clock` is a time, such as 2026-01-01T00:00:00Z, at which its clock is frozen. `flags` are other flags of
        `effect-txc sandbox`. `command`, or else the variable TXC_COMMAND, names the program to run instead of this
        package's own.
        """
        given = command or os.environ.get("TXC_COMMAND")
        program = [given] if given else ["node", str(_packaged)]
        frozen = ["--clock", clock] if clock else []
        process = subprocess.Popen(
            [*program, "sandbox", "--until-stdin-ends", "--dialect", dialect, *frozen, *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            # Ctrl-C reaches only the test process, which then stops the sandbox.
            start_new_session=True,
        )

        def stop() -> None:
            process.stdin.close()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

        line = next((line for line in process.stdout if line.startswith(b"{")), None)
        if line is None:
            stop()
            raise RuntimeError(f"the sandbox ended with {process.returncode}; standard error says why")
        # The rest of the output is for people, but must be read so that the pipe does not fill up.
        threading.Thread(target=lambda: [None for _ in process.stdout], daemon=True).start()
        first = json.loads(line)
        return cls(first["url"], first["controlUrl"], first["controlToken"], stop)

    @classmethod
    def of_host(cls, url: str, token: str, **fields: Any) -> Sandbox:
        """Creates a new venue on a running host. `stop` deletes the venue.

        `url` is the base URL of the host, and `token` its control token. `fields` are settings of the venue: `owner="ci"`,
        `dialect="live"`, `timeToLiveMillis=600_000`.
        """
        venues = url.rstrip("/") + "/control/v1/Venues"
        headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        made = _send(urllib.request.Request(venues, json.dumps(fields).encode(), headers))
        end = urllib.request.Request(f"{venues}/{made['id']}", headers=headers, method="DELETE")
        return cls(made["url"], made["controlUrl"], made["controlToken"], lambda: _send(end))

    def stop(self) -> None:
        """Stops the sandbox."""
        self._stop()

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _control_request(self, operation: str, body: bytes | None, method: str | None) -> urllib.request.Request:
        headers = {"Authorization": "Bearer " + self.control_token, "Content-Type": "application/json"}
        return urllib.request.Request(self.control_url + operation, body, headers, method=method)

    def _read_control(self, operation: str) -> bytes:
        with _opener.open(self._control_request(operation, None, None), timeout=60) as answer:
            return answer.read()

    def control(self, operation: str, fields: Mapping[str, Any] | None = None, method: str | None = None) -> Any:
        """Calls an operation of the control plane: `control("Fund", {"account": "alice", ...})`.

        With `fields` it is a POST, without them a GET, such as `control("OpenOrders?account=alice")`.
        """
        if operation == "Limit" and fields and "path" in fields:
            self._limited.add(fields["path"])
        body = None if fields is None else json.dumps(fields).encode()
        return _send(self._control_request(operation, body, method))

    def reset(self) -> None:
        """Resets the exchange to its initial state, removes all faults, and restores the documented rate limits."""
        self.control("Reset", {})
        self.control("Faults", method="DELETE")
        self.control("Limit", {})
        for path in list(self._limited):
            self.control("Limit", {"path": path})
        self._limited.clear()
        self.keys = dict(self._first_keys)

    def fork(self) -> Sandbox:
        """Creates a copy of the exchange in its current state, at its own URL. At most 16 copies can exist at once."""
        made = self.control("Fork", {})
        forked = f"Forks/{made['id']}"
        return Sandbox(
            made["url"], made["controlUrl"], self.control_token, lambda: self.control(forked, method="DELETE")
        )

    def open_account(self, account: str, b2b: bool = True) -> Key:
        """Opens an account without funds, with an unrestricted key."""
        key = Key(f"{account}-sandbox-key", f"{account}-sandbox-secret")
        self.control("OpenAccount", {"account": account, "b2b": b2b})
        self.control(
            "AddKey",
            {
                "account": account,
                "apiKey": key.api_key,
                "apiSecret": key.api_secret,
                "title": account,
                "type": "2",
                "enabled": True,
            },
        )
        self.keys[account] = key
        return key

    def environment(self, account: str = "alice") -> dict[str, str]:
        """Returns the environment variables for a program that makes calls as this account."""
        api_key, api_secret = self.keys[account]
        return {
            **os.environ,
            "TXC_BASE_URL": self.url,
            "TXC_DIALECT": self.dialect,
            "TXC_API_KEY": api_key,
            "TXC_API_SECRET": api_secret,
        }

    def _nonce_fields(self) -> dict[str, Any]:
        is_live = self.dialect == "live"
        with self._lock:
            self._nonce = max(self._nonce + 1, time.time_ns() // (1_000_000 if is_live else 1_000))
            nonce = self._nonce
        return {"nonce": nonce, "nonceWindow": True} if is_live else {"nonce": str(nonce)}

    def sign(self, path: str, fields: Mapping[str, Any], account: str = "alice") -> tuple[bytes, dict[str, str]]:
        """Signs a private call, and returns its body and headers, to be sent once by any HTTP client."""
        api_key, api_secret = self.keys[account]
        body = json.dumps({**fields, "request": path, **self._nonce_fields()}, separators=(",", ":")).encode()
        payload = base64.b64encode(body)
        return body, {
            "Content-Type": "application/json",
            "X-TXC-APIKEY": api_key,
            "X-TXC-PAYLOAD": payload.decode(),
            "X-TXC-SIGNATURE": hmac.new(api_secret.encode(), payload, hashlib.sha512).hexdigest(),
        }

    def call(self, path: str, account: str = "alice", **fields: Any) -> Any:
        """Makes a private call, and returns the response. Raises `Refused` if the exchange refuses."""
        body, headers = self.sign(path, fields, account)
        return _send(urllib.request.Request(self.url + path, body, headers))

    def get(self, path: str, **query: Any) -> Any:
        """Makes a public call, and returns the response. Raises `Refused` if the exchange refuses."""
        question = "?" + urllib.parse.urlencode(query) if query else ""
        return _send(urllib.request.Request(self.url + path + question))
