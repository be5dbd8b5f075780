"""Key files: what is read, what is refused by name, and that nothing secret is told or left readable."""

from __future__ import annotations

from base64 import b64encode, urlsafe_b64encode
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corr_tui.state.credentials import CredentialRefused, create_seed, read_seed, seed_from

SEED = bytes(range(200, 232))


@given(st.binary(min_size=32, max_size=32))
def test_a_seed_is_read_raw_and_in_standard_base64(seed: bytes) -> None:
    assert seed_from(seed) == seed
    assert seed_from(b64encode(seed)) == seed
    assert seed_from(b64encode(seed) + b"\r\n") == seed


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\n", "empty"),
        (b"-----BEGIN PRIVATE KEY-----\nMC4CAQ", "PEM"),
        (SEED.hex().encode(), "64 hexadecimal digits"),
        (SEED + SEED, "64 bytes"),
        (urlsafe_b64encode(b"\xff" * 32), "base64url"),
        (b64encode(SEED).rstrip(b"="), "without padding"),
        (b64encode(SEED + b"x"), "44 bytes, as base64 a key of 33"),
        (b64encode(SEED) + b"=", "not in its one standard form"),
        (b"\xff" * 31, "31 bytes; a key is 32 raw bytes or standard base64"),
        (SEED + b"\n", "33 bytes"),
        (b"x", "1 byte;"),
        (b"x" * 10_000, "more than 4096 bytes"),
    ],
)
def test_anything_else_is_refused_by_what_it_looks_like(content: bytes, named: str, tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    with pytest.raises(CredentialRefused, match=named) as raised:
        read_seed(path)
    assert not content.strip() or content.decode("latin-1") not in str(raised.value)


def test_a_new_key_file_is_this_user_s_alone_and_never_overwrites_one(tmp_path: Path) -> None:
    path = tmp_path / "keys" / "key"
    seed = create_seed(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert read_seed(path) == seed
    assert len(seed) == 32
    with pytest.raises(CredentialRefused, match="never overwritten"):
        create_seed(path)
    assert read_seed(path) == seed
    assert [each.name for each in path.parent.iterdir()] == ["key"]


def test_a_folder_that_is_none_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CredentialRefused, match="cannot be made"):
        create_seed(tmp_path / "file" / "key")
    with pytest.raises(CredentialRefused, match="cannot be read"):
        read_seed(tmp_path / "absent")
