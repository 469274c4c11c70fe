"""Programs that fetch: what they send must be known and hold no secret."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

from placet.actors.guard.arguments import Arg
from placet.actors.guard.programs import words
from placet.actors.guard.secrets import holds_secret

if TYPE_CHECKING:
    from placet.actors.guard.call import Call, Judge

# Addresses at which cloud machines hand out their credentials.
_METADATA = re.compile(
    r"169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|100\.100\.100\.200|fd00:ec2::254",
    re.IGNORECASE,
)
_URL = re.compile(r"((https?|ftp)://)?([\w.-]+|\[[0-9a-f:.]+\])(:[0-9]+)?([/?][^\s]*)?", re.IGNORECASE)
_FETCHING = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOKUP_NAME = re.compile(r"[\w.:+@/-]+")


def fetched(judge: Judge, call: Call, address: Arg) -> None:
    """Judge an address that is fetched.

    Args:
        judge: collects the reasons.
        call: the program that fetches.
        address: the address.
    """
    secret = holds_secret(address.text) or _METADATA.search(address.text)
    if not address.known and not (address.exact and "?" in address.text):
        judge.ask("outward", f"{call.title} {address.source}", call.source)
    elif secret or not _URL.fullmatch(address.text):
        judge.ask("secret" if secret else "outward", f"{call.title} {address.source}", call.source)


def curl(judge: Judge, call: Call) -> None:
    """`curl`: fetching known addresses, with known headers."""
    for address in [*call.sorted.operands, *call.sorted.values("--url")]:
        fetched(judge, call, address)
        if call.sorted.has("-O", "--remote-name", "--remote-name-all"):
            _named_after(judge, call, address)
    if call.sorted.has("-J"):
        judge.ask("unknown_target", f"{call.title} -J", call.source)
    for value in call.sorted.values("-X", "--request"):
        if value.text.upper() not in _FETCHING or not value.exact:
            judge.ask("outward", f"{call.title} -X {value.source}", call.source)
    for value in call.sorted.values(
        "-H", "--header", "-A", "--user-agent", "-e", "--referer", "-w", "--write-out"
    ):
        if (
            not value.exact
            or value.text.startswith("@")
            or holds_secret(value.text)
            or "%output" in value.text
        ):
            judge.ask("outward", f"{call.title} with {value.source}", call.source)


def _named_after(judge: Judge, call: Call, address: Arg) -> None:
    name = posixpath.basename(address.text.partition("?")[0])
    judge.write(Arg(name or "index", source=address.source), call.scope)


def wget(judge: Judge, call: Call) -> None:
    """`wget`: fetching known addresses, with known headers, into the working directory."""
    for address in call.sorted.operands:
        fetched(judge, call, address)
        if not call.sorted.has("-O", "--output-document", "--spider"):
            _named_after(judge, call, address)
    if call.sorted.has("-r", "-m", "--mirror") and call.sorted.has("-nd", "-nH"):
        judge.ask("unknown_target", f"{call.title} -r", call.source)
    for value in call.sorted.values("--header", "-U", "--user-agent"):
        if not value.exact or holds_secret(value.text):
            judge.ask("outward", f"{call.title} with {value.source}", call.source)


def httpie(judge: Judge, call: Call) -> None:
    """`http`: an address alone is fetched; further items are sent."""
    operands = list(call.sorted.operands)
    if operands and operands[0].text.upper() in {"GET", "HEAD"}:
        operands = operands[1:]
    if len(operands) != 1 or any(
        o.name not in {"-v", "-h", "-b", "--json", "--headers", "--body"} for o in call.sorted.options
    ):
        judge.ask("outward", call.title, call.source)
    for address in operands[:1]:
        fetched(judge, call, address)


def lookup(judge: Judge, call: Call) -> None:
    """`ping`, `dig` and their kin: asking for a known name."""
    for arg in call.args:
        if not arg.exact or (not arg.text.startswith("-") and not _LOOKUP_NAME.fullmatch(arg.text)):
            judge.ask("outward", f"{call.title} {arg.source}", call.source)


def ifconfig(judge: Judge, call: Call) -> None:
    """`ifconfig`: one operand names an interface, more configure it."""
    if len(call.sorted.operands) > 1:
        judge.ask("network", call.title, call.source)


def ip(judge: Judge, call: Call) -> None:
    """`ip OBJECT`: only showing."""
    words = [operand.text for operand in call.sorted.operands]
    shows = len(words) < 2 or words[1] in {"show", "list", "ls", "lst", "get", "s", "l", "sh", "help"}
    if (
        not shows
        or words[0] in {"netns", "vrf"}
        or any(not operand.known for operand in call.sorted.operands)
    ):
        judge.ask("network", call.title, call.source)


_OPENSSL = words("version ciphers list errstr dgst help rand")
_OPENSSL_READS = words("x509 req verify crl asn1parse sha256 sha1 md5 sha512")
_OPENSSL_CHANGES = words(
    """
    -out -keyout -outdir -writerand -engine -provider -provider-path -signkey -new -newkey -key -sign -config -passin -passout
    -CAkey -CAcreateserial -CAserial
    """
)


def openssl(judge: Judge, call: Call) -> None:
    """`openssl`: looking at certificates and making digests."""
    texts = [arg.text for arg in call.args]
    if texts[1:] in (["--help"], ["-help"]):
        return
    options = {"-" + text.lstrip("-").partition("=")[0] for text in texts[1:] if text.startswith("-")}
    if not texts or texts[0] not in _OPENSSL | _OPENSSL_READS or _OPENSSL_CHANGES.intersection(options):
        judge.ask("secret", " ".join([call.title, *texts[:1]]), call.source)
    for arg in call.args[1:]:
        if not arg.text.startswith("-"):
            judge.read(arg, call.scope)


def shows_only(judge: Judge, call: Call) -> None:
    """`tc OBJECT show`, `ethtool DEVICE`: without a change."""
    words = [arg.text for arg in call.args if not arg.text.startswith("-")]
    shows = words[1:2] in ([], ["show"], ["list"], ["ls"]) and all(arg.known for arg in call.args)
    if not shows or any(
        arg.text.startswith("-") and arg.text not in {"-i", "-S", "-k", "-s", "-d"} for arg in call.args
    ):
        judge.ask("network", call.title, call.source)


def gh_api(judge: Judge, call: Call) -> None:
    """`gh api`: reading."""
    for value in call.sorted.values("-X", "--method"):
        if value.text.upper() != "GET":
            judge.ask("outward", f"{call.title} {value.source}", call.source)
    for operand in call.sorted.operands:
        if not operand.exact or operand.text == "graphql":
            judge.ask("outward", f"{call.title} {operand.source}", call.source)
