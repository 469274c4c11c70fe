"""What a URL and the environment say of where a request goes."""

from __future__ import annotations

import pytest

from placet.actors.agents.model.transport.address import Address, Target, UnsupportedAddress
from placet.actors.agents.model.transport.proxies import Proxies

PLAIN, SECURE = Address("model.example", 80, secure=False), Address("model.example", 443, secure=True)


@pytest.mark.parametrize(
    ("url", "address", "host", "path"),
    [
        ("http://model.example", PLAIN, "model.example", "/"),
        ("http://model.example:80/v1?a=b", PLAIN, "model.example", "/v1?a=b"),
        ("https://model.example/v1", SECURE, "model.example", "/v1"),
        ("https://model.example:80/", Address("model.example", 80, secure=True), "model.example:80", "/"),
        ("http://127.0.0.1:8080/v1", Address("127.0.0.1", 8080, secure=False), "127.0.0.1:8080", "/v1"),
        ("http://[::1]:8080/v1", Address("::1", 8080, secure=False), "[::1]:8080", "/v1"),
        ("http://[::1]/v1", Address("::1", 80, secure=False), "[::1]", "/v1"),
        (
            "https://bücher.example/",
            Address("xn--bcher-kva.example", 443, secure=True),
            "xn--bcher-kva.example",
            "/",
        ),
        ("HTTP://Model.Example/V1", PLAIN, "model.example", "/V1"),
    ],
)
def test_a_url_is_taken_apart(url: str, address: Address, host: str, path: str) -> None:
    assert Target.of(url) == Target(address, host, path, None)


def test_a_name_and_a_password_go_into_a_header() -> None:
    target = Target.of("https://me%40home:p%3Aw@model.example/v1")
    assert target.basic == "Basic bWVAaG9tZTpwOnc="
    assert (target.host, target.address) == ("model.example", SECURE)


@pytest.mark.parametrize(
    "url", ["ftp://x/", "model.example", "http:///v1", "http://x:99999/", "http://a..b\u00fc/"]
)
def test_what_is_no_url_is_refused(url: str) -> None:
    with pytest.raises(UnsupportedAddress):
        Target.of(url)


@pytest.mark.parametrize(
    ("named", "address", "proxy"),
    [
        ({}, SECURE, None),
        ({"http": "http://proxy:3128"}, SECURE, None),
        ({"http": "http://proxy:3128"}, PLAIN, Address("proxy", 3128, secure=False)),
        ({"https": "http://proxy:3128"}, SECURE, Address("proxy", 3128, secure=False)),
        ({"https": "https://proxy"}, SECURE, Address("proxy", 443, secure=True)),
        ({"all": "proxy:3128"}, PLAIN, Address("proxy", 3128, secure=False)),
        ({"all": "http://one", "https": "http://two"}, SECURE, Address("two", 80, secure=False)),
        ({"all": "http://one"}, Address("within.example", 443, secure=True), None),
    ],
)
def test_the_environment_names_the_proxy(
    named: dict[str, str], address: Address, proxy: Address | None
) -> None:
    found = Proxies(named, lambda host: host.startswith("within.")).of(address)
    assert (found.address if found else None) == proxy


def test_the_usual_variables_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    monkeypatch.setenv("no_proxy", "within.example")
    proxies = Proxies()
    assert proxies.of(SECURE) == Target.of("http://proxy:3128")
    assert proxies.of(Address("a.within.example", 443, secure=True)) is None


def test_a_proxy_of_another_kind_is_refused() -> None:
    with pytest.raises(UnsupportedAddress, match="socks5 is not spoken"):
        Proxies({"all": "socks5://proxy:1080"}, lambda _: False).of(SECURE)
